#include "services.h"

#if RTOS_CONFIG_EVENTS

#include "scheduler_control.h"
#include "wait.h"

#include <rtos/kernel.h>
#include <rtos/section.h>

struct event {
    struct object object;
    uint32_t flags;
    struct list_node waiters;
};

static RTOS_KERNEL_DATA struct event events[RTOS_CONFIG_EVENTS];
static RTOS_KERNEL_DATA struct object_table objects;

void event_initialise(void)
{
    object_table_initialise(&objects, events, sizeof events[0], RTOS_CONFIG_EVENTS, KIND_EVENT);
}

/* The awaited flags that are set if they satisfy the wait, else 0; clears them if that is asked for. */
RTOS_SERVICE_TEXT static uint32_t consume(struct event *event, uint32_t flags, uint32_t options)
{
    uint32_t found = event->flags & flags;
    if ((options & RTOS_EVENT_ALL) != 0 && found != flags)
        return 0;
    if (options & RTOS_EVENT_CLEAR)
        event->flags &= ~found;
    return found;
}

rtos_id rtos_k_event_create(uint32_t initial)
{
    if (initial & ~RTOS_EVENT_FLAGS)
        return RTOS_ERROR_PARAMETER;
    rtos_irq_state state = rtos_arch_irq_disable();
    struct event *event = (struct event *)object_allocate(&objects);
    rtos_status result = RTOS_ERROR_LIMIT;
    if (event != NULL) {
        event->flags = initial;
        list_initialise(&event->waiters);
        result = event->object.id;
    }
    rtos_arch_irq_restore(state);
    return result;
}

RTOS_SERVICE_TEXT rtos_status rtos_k_event_wait(rtos_id id, uint32_t flags, uint32_t options, uint32_t timeout_us)
{
    uint32_t unknown_options = options & ~(uint32_t)(RTOS_EVENT_ALL | RTOS_EVENT_CLEAR);
    if (flags == 0 || (flags & ~RTOS_EVENT_FLAGS) != 0 || unknown_options != 0)
        return RTOS_ERROR_PARAMETER;
    rtos_irq_state state = rtos_arch_irq_disable();
    struct event *event = OBJECT_FIND(events, id);
    rtos_status result = RTOS_ERROR_ID;
    if (event != NULL) {
        result = (rtos_status)consume(event, flags, options);
        if (result == 0) {
            result = wait_allowed(timeout_us);
            if (result == RTOS_OK) {
                task_current->wait.event.flags = flags;
                task_current->wait.event.options = options;
                result = wait_in(&event->waiters, timeout_us);
            }
        }
    }
    rtos_arch_irq_restore(state);
    return result;
}

RTOS_SERVICE_TEXT rtos_status rtos_k_event_set(rtos_id id, uint32_t flags)
{
    if (flags & ~RTOS_EVENT_FLAGS)
        return RTOS_ERROR_PARAMETER;
    rtos_irq_state state = rtos_arch_irq_disable();
    struct event *event = OBJECT_FIND(events, id);
    rtos_status result = RTOS_ERROR_ID;
    if (event != NULL) {
        event->flags |= flags;
        struct list_node *node = event->waiters.next;
        while (node != &event->waiters) {
            struct task *waiter = LIST_ENTRY(node, struct task, node);
            node = node->next;
            uint32_t found = consume(event, waiter->wait.event.flags, waiter->wait.event.options);
            if (found != 0)
                wait_end(waiter, (rtos_status)found);
        }
        scheduler_reschedule();
        result = RTOS_OK;
    }
    rtos_arch_irq_restore(state);
    return result;
}

RTOS_SERVICE_TEXT rtos_status rtos_k_event_clear(rtos_id id, uint32_t flags)
{
    rtos_irq_state state = rtos_arch_irq_disable();
    struct event *event = OBJECT_FIND(events, id);
    rtos_status result = RTOS_ERROR_ID;
    if (event != NULL) {
        result = (rtos_status)event->flags;
        event->flags &= ~flags;
    }
    rtos_arch_irq_restore(state);
    return result;
}

rtos_status rtos_k_event_get(rtos_id id)
{
    return rtos_k_event_clear(id, 0);
}

rtos_status rtos_k_event_delete(rtos_id id)
{
    rtos_irq_state state = rtos_arch_irq_disable();
    struct event *event = OBJECT_FIND(events, id);
    rtos_status result = RTOS_ERROR_ID;
    if (event != NULL) {
        wait_end_all(&event->waiters, RTOS_ERROR_DELETED);
        object_free(&objects, &event->object);
        scheduler_reschedule();
        result = RTOS_OK;
    }
    rtos_arch_irq_restore(state);
    return result;
}

#endif
