/* Wait queues: tasks in order of priority, the oldest first among equals. Interrupts are disabled by the callers. */
#ifndef KERNEL_WAIT_H
#define KERNEL_WAIT_H

#include "task_control.h"

/* Makes the caller wait in `queue` (NULL: just sleep), and returns why the wait ended. The time-out is not
   RTOS_NO_WAIT. */
rtos_status wait_in(struct list_node *queue, uint32_t timeout_us);
/* The same until an instant. */
rtos_status wait_until(struct list_node *queue, rtos_ticks instant);
/* RTOS_OK when the caller may wait that long, else RTOS_ERROR_CONTEXT, or RTOS_ERROR_TIMEOUT for RTOS_NO_WAIT. */
rtos_status wait_allowed(uint32_t timeout_us);
/* Ends a task's wait; it returns `result` from wait_in. */
void wait_end(struct task *task, rtos_status result);
/* Ends the waits of all tasks in the queue. */
void wait_end_all(struct list_node *queue, rtos_status result);
/* Puts a waiting task in its place after a change of priority. */
void wait_reorder(struct task *task, struct list_node *queue);

/* The most urgent waiter, NULL when there is none. */
static inline struct task *wait_first(const struct list_node *queue)
{
    return list_is_empty(queue) ? NULL : LIST_ENTRY(queue->next, struct task, node);
}

/* Timeout of a task's wait. */
void wait_expired(struct timeout *timeout);

#endif
