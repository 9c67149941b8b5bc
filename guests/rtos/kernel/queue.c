#include "services.h"

#if RTOS_CONFIG_QUEUES

#include "heap_control.h"
#include "scheduler_control.h"
#include "wait.h"

#include <rtos/kernel.h>
#include <rtos/section.h>

struct queue {
    struct object object;
    uint32_t message_size;
    uint32_t capacity;
    uint32_t count;
    char *storage;
    char *end;   /* Of the storage. */
    char *first; /* The message to be received next. */
    char *free;  /* Where the next one goes. */
    struct list_node waiters; /* Receivers while it is empty, senders while it is full. */
};

static RTOS_KERNEL_DATA struct queue queues[RTOS_CONFIG_QUEUES];
static RTOS_KERNEL_DATA struct object_table objects;

void queue_initialise(void)
{
    object_table_initialise(&objects, queues, sizeof queues[0], RTOS_CONFIG_QUEUES, KIND_QUEUE);
}

RTOS_SERVICE_TEXT static char *after(const struct queue *queue, char *place)
{
    place += queue->message_size;
    return place == queue->end ? queue->storage : place;
}

RTOS_SERVICE_TEXT static void put(struct queue *queue, const void *message, int urgent)
{
    char *place = queue->free;
    if (urgent) {
        queue->first = (queue->first == queue->storage ? queue->end : queue->first) - queue->message_size;
        place = queue->first;
    } else
        queue->free = after(queue, queue->free);
    ++queue->count;
    __builtin_memcpy(place, message, queue->message_size);
}

rtos_id rtos_k_queue_create(uint32_t message_size, uint32_t capacity)
{
    if (rtos_interrupt_nesting != 0)
        return RTOS_ERROR_CONTEXT;
    if (message_size == 0 || message_size > RTOS_CONFIG_QUEUE_MESSAGE_MAX || capacity == 0 ||
        capacity > INT32_MAX / RTOS_CONFIG_QUEUE_MESSAGE_MAX)
        return RTOS_ERROR_PARAMETER;
    char *storage = heap_take(&heap_kernel, message_size * capacity);
    if (storage == NULL)
        return RTOS_ERROR_MEMORY;
    rtos_irq_state state = rtos_arch_irq_disable();
    struct queue *queue = (struct queue *)object_allocate(&objects);
    rtos_status result = RTOS_ERROR_LIMIT;
    if (queue != NULL) {
        queue->message_size = message_size;
        queue->capacity = capacity;
        queue->count = 0;
        queue->storage = queue->first = queue->free = storage;
        queue->end = storage + message_size * capacity;
        list_initialise(&queue->waiters);
        result = queue->object.id;
    }
    rtos_arch_irq_restore(state);
    if (result < 0)
        heap_give(&heap_kernel, storage);
    return result;
}

RTOS_SERVICE_TEXT static rtos_status send(rtos_id id, const void *message, uint32_t timeout_us, int urgent)
{
    rtos_irq_state state = rtos_arch_irq_disable();
    struct queue *queue = OBJECT_FIND(queues, id);
    rtos_status result = RTOS_OK;
    if (queue == NULL)
        result = RTOS_ERROR_ID;
    else if (!rtos_k_readable(message, queue->message_size))
        result = RTOS_ERROR_PARAMETER;
    else if (queue->count == queue->capacity) {
        result = wait_allowed(timeout_us);
        if (result == RTOS_OK) {
            task_current->wait.queue.message = (void *)(uintptr_t)message;
            task_current->wait.queue.urgent = (uint32_t)urgent;
            result = wait_in(&queue->waiters, timeout_us);
        }
    } else if (!list_is_empty(&queue->waiters)) {
        struct task *receiver = wait_first(&queue->waiters);
        __builtin_memcpy(receiver->wait.queue.message, message, queue->message_size);
        wait_end(receiver, RTOS_OK);
        scheduler_reschedule();
    } else
        put(queue, message, urgent);
    rtos_arch_irq_restore(state);
    return result;
}

RTOS_SERVICE_TEXT rtos_status rtos_k_queue_send(rtos_id id, const void *message, uint32_t timeout_us)
{
    return send(id, message, timeout_us, 0);
}

RTOS_SERVICE_TEXT rtos_status rtos_k_queue_send_urgent(rtos_id id, const void *message, uint32_t timeout_us)
{
    return send(id, message, timeout_us, 1);
}

/* Takes the first message out and lets the first waiting sender put his in. */
RTOS_SERVICE_TEXT static void get(struct queue *queue, void *message)
{
    __builtin_memcpy(message, queue->first, queue->message_size);
    queue->first = after(queue, queue->first);
    --queue->count;
    if (!list_is_empty(&queue->waiters)) {
        struct task *sender = wait_first(&queue->waiters);
        put(queue, sender->wait.queue.message, (int)sender->wait.queue.urgent);
        wait_end(sender, RTOS_OK);
        scheduler_reschedule();
    }
}

RTOS_SERVICE_TEXT rtos_status rtos_k_queue_receive(rtos_id id, void *message, uint32_t timeout_us)
{
    rtos_irq_state state = rtos_arch_irq_disable();
    struct queue *queue = OBJECT_FIND(queues, id);
    rtos_status result = RTOS_OK;
    if (queue == NULL)
        result = RTOS_ERROR_ID;
    else if (!rtos_k_writable(message, queue->message_size))
        result = RTOS_ERROR_PARAMETER;
    else if (queue->count != 0)
        get(queue, message);
    else {
        result = wait_allowed(timeout_us);
        if (result == RTOS_OK) {
            task_current->wait.queue.message = message;
            result = wait_in(&queue->waiters, timeout_us);
        }
    }
    rtos_arch_irq_restore(state);
    return result;
}

rtos_status rtos_k_queue_count(rtos_id id)
{
    rtos_irq_state state = rtos_arch_irq_disable();
    const struct queue *queue = OBJECT_FIND(queues, id);
    rtos_status result = queue != NULL ? (rtos_status)queue->count : RTOS_ERROR_ID;
    rtos_arch_irq_restore(state);
    return result;
}

rtos_status rtos_k_queue_delete(rtos_id id)
{
    if (rtos_interrupt_nesting != 0)
        return RTOS_ERROR_CONTEXT;
    rtos_irq_state state = rtos_arch_irq_disable();
    struct queue *queue = OBJECT_FIND(queues, id);
    char *storage = NULL;
    if (queue != NULL) {
        storage = queue->storage;
        wait_end_all(&queue->waiters, RTOS_ERROR_DELETED);
        object_free(&objects, &queue->object);
        scheduler_reschedule();
    }
    rtos_arch_irq_restore(state);
    if (storage == NULL)
        return RTOS_ERROR_ID;
    heap_give(&heap_kernel, storage);
    return RTOS_OK;
}

#endif
