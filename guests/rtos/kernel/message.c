#include "message_control.h"

#if RTOS_CONFIG_MAILBOXES

#include "scheduler_control.h"
#include "wait.h"

#include <rtos/kernel.h>
#include <rtos/section.h>

_Static_assert(RTOS_CONFIG_MESSAGE_SIZE % 4 == 0, "messages are copied and aligned by words");

static RTOS_KERNEL_HEAP struct message messages[RTOS_CONFIG_MESSAGES];
static RTOS_KERNEL_DATA struct list_node free_messages;
static RTOS_KERNEL_DATA struct list_node waiters;

void message_initialise(void)
{
    list_initialise(&free_messages);
    list_initialise(&waiters);
    for (uint32_t index = 0; index < RTOS_CONFIG_MESSAGES; ++index) {
        messages[index].owner = 0;
        list_append(&free_messages, &messages[index].node);
    }
}

RTOS_SERVICE_TEXT struct message *message_find(const void *text)
{
    uintptr_t offset = (uintptr_t)text - (uintptr_t)messages[0].text;
    if (offset >= sizeof messages || offset % sizeof messages[0] != 0)
        return NULL;
    return &messages[offset / sizeof messages[0]];
}

RTOS_SERVICE_TEXT rtos_id message_caller(void)
{
    return rtos_interrupt_nesting != 0 ? MESSAGE_OWNER_INTERRUPT : task_current->object.id;
}

RTOS_SERVICE_TEXT rtos_status rtos_k_message_alloc(void **text, uint32_t timeout_us)
{
    if (((uintptr_t)text & 3) != 0 || !rtos_k_writable(text, sizeof *text))
        return RTOS_ERROR_PARAMETER;
    rtos_irq_state state = rtos_arch_irq_disable();
    rtos_status result = RTOS_OK;
    void *received = NULL;
    if (!list_is_empty(&free_messages)) {
        struct message *message = LIST_ENTRY(free_messages.next, struct message, node);
        list_remove(&message->node);
        message->owner = message_caller();
        received = message->text;
    } else {
        result = wait_allowed(timeout_us);
        if (result == RTOS_OK)
            result = wait_in(&waiters, timeout_us);
        if (result == RTOS_OK)
            received = task_current->wait.received;
    }
    rtos_arch_irq_restore(state);
    *text = received;
    return result;
}

RTOS_SERVICE_TEXT void message_release(struct message *message)
{
    struct task *waiter = wait_first(&waiters);
    if (waiter == NULL) {
        message->owner = 0;
        list_prepend(&free_messages, &message->node);
        return;
    }
    message->owner = waiter->object.id;
    waiter->wait.received = message->text;
    wait_end(waiter, RTOS_OK);
}

RTOS_SERVICE_TEXT rtos_status rtos_k_message_free(void *text)
{
    struct message *message = message_find(text);
    if (message == NULL)
        return RTOS_ERROR_PARAMETER;
    rtos_irq_state state = rtos_arch_irq_disable();
    rtos_status result = RTOS_ERROR_OWNER;
    if (message->owner == message_caller()) {
        message_release(message);
        scheduler_reschedule();
        result = RTOS_OK;
    }
    rtos_arch_irq_restore(state);
    return result;
}

rtos_id rtos_k_message_owner(const void *text)
{
    const struct message *message = message_find(text);
    return message != NULL ? message->owner : RTOS_ERROR_PARAMETER;
}

void message_release_all(rtos_id owner)
{
    for (uint32_t index = 0; index < RTOS_CONFIG_MESSAGES; ++index) {
        rtos_irq_state state = rtos_arch_irq_disable();
        if (messages[index].owner == owner)
            message_release(&messages[index]);
        rtos_arch_irq_restore(state);
    }
}

#endif
