#include "slice.h"

#if RTOS_CONFIG_TIME_SLICE_US

#include "scheduler_control.h"

#include <rtos/kernel.h>
#include <rtos/section.h>

static RTOS_KERNEL_DATA struct timeout slice;
static RTOS_KERNEL_DATA uint32_t slice_ticks;

/* The running task's slice is over; the exit of the interrupt switches. */
RTOS_FAST_TEXT static void slice_expired(struct timeout *timeout)
{
    (void)timeout;
    task_current->slice_left = slice_ticks;
    scheduler_rotate();
}

void slice_initialise(void)
{
    timeout_initialise(&slice, slice_expired);
    slice_ticks = (uint32_t)rtos_k_ticks_from_us(RTOS_CONFIG_TIME_SLICE_US);
}

RTOS_FAST_TEXT void slice_refill(struct task *task)
{
    task->slice_left = slice_ticks;
}

RTOS_FAST_TEXT void slice_peer_arrived(void)
{
    if (!timeout_is_running(&slice))
        timeout_start(&slice, time_now() + task_current->slice_left);
}

RTOS_FAST_TEXT void slice_switch(struct task *from, int preempted, struct task *to, int has_peers)
{
    if (timeout_is_running(&slice)) {
        rtos_ticks now = time_now();
        from->slice_left = slice.expiry > now ? (uint32_t)(slice.expiry - now) : 1;
        timeout_cancel(&slice);
    }
    if (!preempted)
        slice_refill(from);
    if (has_peers)
        timeout_start(&slice, time_now() + to->slice_left);
}

#endif
