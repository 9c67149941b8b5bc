/* The kernel's timer on channel 0 of the timer counter: free running over 16 bits, compare in RC. */
#include <board.h>
#include <rtos/board.h>
#include <rtos/section.h>

#include "aic.h"
#include "ps.h"
#include "tc.h"

#define TIMER AT91_TC(0)
#define TIMER_DIVIDER 32u
#define TIMER_PRIORITY 4

RTOS_FAST_TEXT static void timer_handler(void *argument)
{
    (void)argument;
    (void)TIMER->sr; /* Reading the status clears the cause. */
    rtos_timer_interrupt();
}

void rtos_board_timer_init(struct rtos_board_timer *timer)
{
    AT91_PS->pcer = PS_TC0;
    TIMER->ccr = TC_CCR_CLKDIS;
    TIMER->idr = 0xffffffff;
    (void)TIMER->sr;
    TIMER->cmr = TC_CMR_WAVE | TC_CMR_MCK_32;
    TIMER->rc = 0xffff;
    rtos_interrupt_attach(AIC_SOURCE_TC0, TIMER_PRIORITY, RTOS_TRIGGER_LEVEL_LOW, timer_handler, 0);
    TIMER->ier = TC_SR_CPCS;
    TIMER->ccr = TC_CCR_CLKEN | TC_CCR_SWTRG;
    timer->frequency_hz = BOARD_MCK_HZ / TIMER_DIVIDER;
    timer->bits = 16;
}

RTOS_FAST_TEXT uint32_t rtos_board_timer_count(void)
{
    return TIMER->cv;
}

RTOS_FAST_TEXT void rtos_board_timer_set_compare(uint32_t count)
{
    TIMER->rc = count & 0xffff;
    (void)TIMER->sr;
}
