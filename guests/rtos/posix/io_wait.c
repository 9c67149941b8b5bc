/* Wait queues on the kernel's event flags, one flags object a task. */
#include "io_wait.h"

#include <errno.h>

#define ENDS_WAIT (WAIT_FLAG_SIGNAL | WAIT_FLAG_ALARM)

rtos_id io_wait_task_event(void)
{
    rtos_id event = (rtos_id)(intptr_t)rtos_k_task_get_slot(RTOS_SELF, WAIT_SLOT);
    if (event == 0) {
        event = rtos_k_event_create(0);
        if (event > 0)
            rtos_k_task_set_slot(RTOS_SELF, WAIT_SLOT, (void *)(intptr_t)event);
    }
    return event;
}

static void insert(struct io_wait *wait, struct io_queue *queue)
{
    wait->queue = queue;
    rtos_irq_state state = rtos_interrupt_lock();
    wait->next = queue->first;
    queue->first = wait;
    rtos_interrupt_unlock(state);
}

void io_wait_begin(struct io_wait *wait, struct io_queue *queue)
{
    wait->event = io_wait_task_event();
    rtos_k_event_clear(wait->event, WAIT_FLAG_WOKEN);
    insert(wait, queue);
}

void io_wait_add(struct io_wait *extra, struct io_wait *wait, struct io_queue *queue)
{
    extra->event = wait->event;
    insert(extra, queue);
}

int io_wait_sleep(struct io_wait *wait, uint32_t timeout_us)
{
    rtos_status flags = rtos_k_event_wait(wait->event, WAIT_FLAG_WOKEN | ENDS_WAIT, RTOS_EVENT_ANY, timeout_us);
    if (flags < 0)
        return flags == RTOS_ERROR_TIMEOUT ? -EAGAIN : -EINTR;
    if (flags & ENDS_WAIT)
        return -EINTR;
    rtos_k_event_clear(wait->event, WAIT_FLAG_WOKEN);
    return 0;
}

void io_wait_end(struct io_wait *wait)
{
    rtos_irq_state state = rtos_interrupt_lock();
    for (struct io_wait **link = &wait->queue->first; *link != NULL; link = &(*link)->next) {
        if (*link == wait) {
            *link = wait->next;
            break;
        }
    }
    rtos_interrupt_unlock(state);
}

void io_wake(struct io_queue *queue)
{
    rtos_irq_state state = rtos_interrupt_lock();
    for (struct io_wait *wait = queue->first; wait != NULL; wait = wait->next)
        rtos_k_event_set(wait->event, WAIT_FLAG_WOKEN);
    rtos_interrupt_unlock(state);
}
