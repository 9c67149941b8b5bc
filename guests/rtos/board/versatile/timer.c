/* The kernel's timer: the first of a pair counts down from the highest value for ever, the second, one shot each, stands in
   for its compare. */
#include <rtos/board.h>
#include <rtos/section.h>

#include "versatile.h"

#define COUNTER VERSATILE_TIMER(0)
#define COMPARE VERSATILE_TIMER(1)
#define TIMER_PRIORITY 4

RTOS_FAST_TEXT static void timer_handler(void *argument)
{
    (void)argument;
    COMPARE->interrupt_clear = 0;
    rtos_timer_interrupt();
}

void rtos_board_timer_init(struct rtos_board_timer *timer)
{
    COUNTER->control = 0;
    COMPARE->control = 0;
    COMPARE->interrupt_clear = 0;
    COUNTER->load = 0xffffffff;
    COUNTER->control = TIMER_ENABLE | TIMER_32_BITS;
    rtos_interrupt_attach(VERSATILE_LINE_TIMER, TIMER_PRIORITY, RTOS_TRIGGER_LEVEL_LOW, timer_handler, 0);
    timer->frequency_hz = TIMER_HZ;
    timer->bits = 32;
}

RTOS_FAST_TEXT uint32_t rtos_board_timer_count(void)
{
    return ~COUNTER->value;
}

RTOS_FAST_TEXT void rtos_board_timer_set_compare(uint32_t count)
{
    COMPARE->control = 0;
    COMPARE->interrupt_clear = 0;
    COMPARE->load = count - rtos_board_timer_count();
    COMPARE->control = TIMER_ENABLE | TIMER_INTERRUPT | TIMER_32_BITS | TIMER_ONE_SHOT;
}
