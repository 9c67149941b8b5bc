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

static uint64_t base_us = POSIX_START_TIME_S * (uint64_t)US_PER_S;

static uint64_t uptime_us(void)
{
    return rtos_k_ns_from_ticks(rtos_k_time_now()) / 1000;
}

uint32_t clock_now_s(void)
{
    return (uint32_t)((base_us + uptime_us()) / US_PER_S);
}

int posix_time(struct timeval *now)
{
    if (!rtos_k_writable(now, sizeof *now))
        return -EFAULT;
    uint64_t us = base_us + uptime_us();
    now->tv_sec = (time_t)(us / US_PER_S);
    now->tv_usec = (suseconds_t)(us % US_PER_S);
    return 0;
}

int posix_set_time(const struct timeval *now)
{
    if (!rtos_k_readable(now, sizeof *now))
        return -EFAULT;
    if (now->tv_sec < 0 || now->tv_usec < 0 || now->tv_usec >= (suseconds_t)US_PER_S)
        return -EINVAL;
    base_us = (uint64_t)now->tv_sec * US_PER_S + (uint64_t)now->tv_usec - uptime_us();
    return 0;
}

int posix_sleep(uint32_t duration_us)
{
    struct io_queue nobody = {NULL};
    struct io_wait wait;
    uint64_t end_us = uptime_us() + duration_us;

    io_wait_begin(&wait, &nobody);
    int error = io_wait_sleep(&wait, duration_us);
    io_wait_end(&wait);
    uint64_t now_us = uptime_us();
    return error == -EINTR && now_us < end_us ? (int)(end_us - now_us) : 0;
}
