/* The 64-bit clock and its units. */
#include "timeout.h"

#include <rtos/kernel.h>
#include <rtos/section.h>

#define US_PER_S 1000000u
#define NS_PER_S 1000000000u

static RTOS_KERNEL_DATA struct rtos_board_timer timer;
static RTOS_KERNEL_DATA uint32_t counter_mask;
static RTOS_KERNEL_DATA uint32_t counter_last;
static RTOS_KERNEL_DATA rtos_ticks ticks_at_last;
static RTOS_KERNEL_DATA uint64_t ticks_per_us; /* Fixed point, 32 bits of fraction, rounded up. */

void time_initialise(void)
{
    rtos_board_timer_init(&timer);
    counter_mask = 0xffffffffu >> (32 - timer.bits);
    ticks_per_us = (((uint64_t)timer.frequency_hz << 32) + US_PER_S - 1) / US_PER_S;
    counter_last = rtos_board_timer_count() & counter_mask;
}

/* Exact as long as it is called at least once while the counter goes round; timeout.c sees to that. */
RTOS_FAST_TEXT rtos_ticks time_now(void)
{
    uint32_t counter = rtos_board_timer_count();
    ticks_at_last += (counter - counter_last) & counter_mask;
    counter_last = counter & counter_mask;
    return ticks_at_last;
}

RTOS_FAST_TEXT rtos_ticks time_last_read(void)
{
    return ticks_at_last;
}

RTOS_FAST_TEXT rtos_ticks rtos_k_time_now(void)
{
    rtos_irq_state state = rtos_arch_irq_disable();
    rtos_ticks now = time_now();
    rtos_arch_irq_restore(state);
    return now;
}

RTOS_FAST_TEXT RTOS_ARCH_LONG_MULTIPLY rtos_ticks rtos_k_ticks_from_us(uint32_t duration_us)
{
    uint32_t whole = (uint32_t)(ticks_per_us >> 32);
    uint32_t fraction = (uint32_t)ticks_per_us;
    return (uint64_t)duration_us * whole + (((uint64_t)duration_us * fraction + 0xffffffffu) >> 32);
}

RTOS_FAST_TEXT rtos_ticks time_after_us(uint32_t duration_us)
{
    return time_now() + rtos_k_ticks_from_us(duration_us) + 1;
}

uint64_t rtos_k_ns_from_ticks(rtos_ticks ticks)
{
    uint64_t seconds = ticks / timer.frequency_hz;
    uint64_t rest = ticks % timer.frequency_hz;
    return seconds * NS_PER_S + rest * NS_PER_S / timer.frequency_hz;
}

uint32_t time_frequency_hz(void)
{
    return timer.frequency_hz;
}

RTOS_FAST_TEXT uint32_t time_counter_at(rtos_ticks instant)
{
    return (counter_last + (uint32_t)(instant - ticks_at_last)) & counter_mask;
}

RTOS_FAST_TEXT uint32_t time_ticks_half_round(void)
{
    return counter_mask >> 1;
}

rtos_status rtos_k_time_get(rtos_ticks *now)
{
    if (((uintptr_t)now & 3) != 0 || !rtos_k_writable(now, sizeof *now))
        return RTOS_ERROR_PARAMETER;
    *now = rtos_k_time_now();
    return RTOS_OK;
}

rtos_status rtos_k_time_frequency(void)
{
    return (rtos_status)timer.frequency_hz;
}
