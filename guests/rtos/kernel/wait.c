#include "wait.h"

#include "mutex_control.h"
#include "scheduler_control.h"

#include <rtos/kernel.h>
#include <rtos/section.h>

RTOS_FAST_TEXT static void insert_by_priority(struct list_node *queue, struct task *task)
{
    struct list_node *place = queue->next;
    while (place != queue && LIST_ENTRY(place, struct task, node)->priority >= task->priority)
        place = place->next;
    list_insert_before(place, &task->node);
}

RTOS_FAST_TEXT void wait_reorder(struct task *task, struct list_node *queue)
{
    list_remove(&task->node);
    insert_by_priority(queue, task);
}

RTOS_FAST_TEXT rtos_status wait_allowed(uint32_t timeout_us)
{
    if (timeout_us == RTOS_NO_WAIT)
        return RTOS_ERROR_TIMEOUT;
    if (rtos_interrupt_nesting != 0 || scheduler_locks != 0)
        return RTOS_ERROR_CONTEXT;
    return RTOS_OK;
}

/* Leaves the ready queue; interruptions that came earlier end the wait before it begins. */
RTOS_FAST_TEXT static rtos_status wait_here(struct list_node *queue)
{
    struct task *task = task_current;
    if (task->interrupt_pending && task->blocked_on == NULL) {
        task->interrupt_pending = task->killed;
        timeout_cancel(&task->timeout);
        return RTOS_ERROR_INTERRUPTED;
    }
    scheduler_remove(task);
    task->blocked |= TASK_WAITING;
    task->queue = queue;
    if (queue != NULL)
        insert_by_priority(queue, task);
    scheduler_leave();
    return task->wait_result;
}

RTOS_FAST_TEXT rtos_status wait_in(struct list_node *queue, uint32_t timeout_us)
{
    if (timeout_us != RTOS_WAIT_FOREVER)
        timeout_start(&task_current->timeout, time_after_us(timeout_us));
    return wait_here(queue);
}

RTOS_FAST_TEXT rtos_status wait_until(struct list_node *queue, rtos_ticks instant)
{
    timeout_start(&task_current->timeout, instant);
    return wait_here(queue);
}

RTOS_FAST_TEXT void wait_end(struct task *task, rtos_status result)
{
    list_remove(&task->node);
    timeout_cancel(&task->timeout);
    task->wait_result = result;
    task->blocked &= (uint8_t)~TASK_WAITING;
    if (task->blocked_on != NULL)
        mutex_wait_abandoned(task);
    if (task->blocked == 0)
        scheduler_insert(task);
}

RTOS_FAST_TEXT void wait_end_all(struct list_node *queue, rtos_status result)
{
    while (!list_is_empty(queue))
        wait_end(wait_first(queue), result);
}

RTOS_FAST_TEXT void wait_expired(struct timeout *timeout)
{
    wait_end(LIST_ENTRY(timeout, struct task, timeout), RTOS_ERROR_TIMEOUT);
}
