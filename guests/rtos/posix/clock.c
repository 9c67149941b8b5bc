/* Time of day: a base and the kernel's clock; and sleeping. */
#include "clock.h"

#include <errno.h>

#include "calls.h"
#include "process.h"

#define US_PER_S 1000000u

/* The board has no calendar: the system starts at this time (2000-01-01) until someone sets it. */
#ifndef POSIX_START_TIME_S
#define POSIX_START_TIME_S 946684800u
#endif

/* Ticks from 1970 to the start of the kernel; 0 until the frequency is known. */
static uint64_t base_ticks;

static uint64_t ticks_since_1970(void)
{
    if (base_ticks == 0)
        base_ticks = (uint64_t)POSIX_START_TIME_S * (uint32_t)rtos_k_time_frequency();
    return base_ticks + rtos_k_time_now();
}

uint32_t clock_now_s(void)
{
    return (uint32_t)(ticks_since_1970() / (uint32_t)rtos_k_time_frequency());
}

int posix_time(struct timeval *now)
{
    uint32_t frequency_hz = (uint32_t)rtos_k_time_frequency();

    if (!rtos_k_writable(now, sizeof *now))
        return -EFAULT;
    uint64_t ticks = ticks_since_1970();
    now->tv_sec = (time_t)(ticks / frequency_hz);
    now->tv_usec = (suseconds_t)(ticks % frequency_hz * US_PER_S / frequency_hz);
    return 0;
}

int posix_set_time(const struct timeval *now)
{
    uint64_t frequency_hz = (uint32_t)rtos_k_time_frequency();

    if (!rtos_k_readable(now, sizeof *now))
        return -EFAULT;
    if (now->tv_sec < 0 || now->tv_usec < 0 || now->tv_usec >= (suseconds_t)US_PER_S)
        return -EINVAL;
    uint64_t ticks = (uint64_t)now->tv_sec * frequency_hz + (uint64_t)now->tv_usec * frequency_hz / US_PER_S;
    if (ticks <= rtos_k_time_now())
        return -EINVAL;
    base_ticks = ticks - rtos_k_time_now();
    return 0;
}

int posix_sleep(uint32_t duration_us)
{
    struct io_queue nobody = {NULL};
    struct io_wait wait;
    rtos_ticks end = rtos_k_time_now() + rtos_k_ticks_from_us(duration_us);

    io_wait_begin(&wait, &nobody);
    int error = io_wait_sleep(&wait, duration_us);
    io_wait_end(&wait);
    rtos_ticks now = rtos_k_time_now();
    return error == -EINTR && now < end ? (int)(rtos_k_ns_from_ticks(end - now) / 1000) : 0;
}
