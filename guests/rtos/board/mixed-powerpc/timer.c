/* The kernel's timer: the time base counts, the decrementer stands in for its compare. */
#include <board.h>
#include <rtos/board.h>
#include <rtos/section.h>

#include "../at91/aic.h"

#define TIMER_PRIORITY 4

/* Where and what the decrementer's exception writes (arch/powerpc/vectors.S): its line is pending then. */
extern const uint32_t rtos_board_decrementer[2];
const uint32_t rtos_board_decrementer[2] = {
    AT91_AIC_BASE + offsetof(struct at91_aic, iscr),
    1u << BOARD_LINE_DECREMENTER,
};

RTOS_FAST_TEXT static void timer_handler(void *argument)
{
    (void)argument;
    rtos_timer_interrupt();
}

void rtos_board_timer_init(struct rtos_board_timer *timer)
{
    rtos_interrupt_attach(BOARD_LINE_DECREMENTER, TIMER_PRIORITY, RTOS_TRIGGER_EDGE_FALLING, timer_handler, NULL);
    timer->frequency_hz = BOARD_TIMER_HZ;
    timer->bits = 32;
}

RTOS_FAST_TEXT uint32_t rtos_board_timer_count(void)
{
    uint32_t count;
    __asm__ volatile("mftb %0" : "=r"(count));
    return count;
}

/* The exception comes when the decrementer passes zero. A value that has passed raises it at once: an interrupt too many. */
RTOS_FAST_TEXT void rtos_board_timer_set_compare(uint32_t count)
{
    AT91_AIC->iccr = 1u << BOARD_LINE_DECREMENTER;
    __asm__ volatile("mtdec %0" : : "r"(count - rtos_board_timer_count() - 1));
}
