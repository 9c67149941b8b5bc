/* Time slices: tasks of one priority take turns. Interrupts are disabled by the callers. */
#ifndef KERNEL_SLICE_H
#define KERNEL_SLICE_H

#include "task_control.h"

#if RTOS_CONFIG_TIME_SLICE_US
void slice_initialise(void);
/* Another task of the running one's priority became ready. */
void slice_peer_arrived(void);
/* The running task changes. One that was preempted keeps the rest of its slice; one that gave way or waits gets a
   whole one. `has_peers`: others of the new one's priority are ready. */
void slice_switch(struct task *from, int preempted, struct task *to, int has_peers);
/* A task gets a whole slice. */
void slice_refill(struct task *task);
#else
static inline void slice_initialise(void) {}
static inline void slice_peer_arrived(void) {}
static inline void slice_switch(struct task *from, int preempted, struct task *to, int has_peers)
{
    (void)from, (void)preempted, (void)to, (void)has_peers;
}
static inline void slice_refill(struct task *task)
{
    (void)task;
}
#endif

#endif
