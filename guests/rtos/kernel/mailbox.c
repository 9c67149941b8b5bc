#include "message_control.h"
#include "services.h"

#if RTOS_CONFIG_MAILBOXES

#include "scheduler_control.h"
#include "wait.h"

#include <rtos/kernel.h>
#include <rtos/section.h>

struct mailbox {
    struct object object;
    uint32_t count;
    struct list_node messages;
    struct list_node waiters;
};

static RTOS_KERNEL_DATA struct mailbox mailboxes[RTOS_CONFIG_MAILBOXES];
static RTOS_KERNEL_DATA struct object_table objects;

void mailbox_initialise(void)
{
    object_table_initialise(&objects, mailboxes, sizeof mailboxes[0], RTOS_CONFIG_MAILBOXES, KIND_MAILBOX);
    message_initialise();
}

rtos_id rtos_k_mailbox_create(void)
{
    rtos_irq_state state = rtos_arch_irq_disable();
    struct mailbox *mailbox = (struct mailbox *)object_allocate(&objects);
    rtos_status result = RTOS_ERROR_LIMIT;
    if (mailbox != NULL) {
        mailbox->count = 0;
        list_initialise(&mailbox->messages);
        list_initialise(&mailbox->waiters);
        result = mailbox->object.id;
    }
    rtos_arch_irq_restore(state);
    return result;
}

RTOS_SERVICE_TEXT rtos_status rtos_k_mailbox_send(rtos_id id, void *text)
{
    struct message *message = message_find(text);
    if (message == NULL)
        return RTOS_ERROR_PARAMETER;
    rtos_irq_state state = rtos_arch_irq_disable();
    struct mailbox *mailbox = OBJECT_FIND(mailboxes, id);
    rtos_status result = RTOS_OK;
    if (mailbox == NULL)
        result = RTOS_ERROR_ID;
    else if (message->owner != message_caller())
        result = RTOS_ERROR_OWNER;
    else if (!list_is_empty(&mailbox->waiters)) {
        struct task *receiver = wait_first(&mailbox->waiters);
        message->owner = receiver->object.id;
        receiver->wait.received = text;
        wait_end(receiver, RTOS_OK);
        scheduler_reschedule();
    } else {
        message->owner = id;
        list_append(&mailbox->messages, &message->node);
        ++mailbox->count;
    }
    rtos_arch_irq_restore(state);
    return result;
}

RTOS_SERVICE_TEXT static void *take_first(struct mailbox *mailbox)
{
    struct message *message = LIST_ENTRY(mailbox->messages.next, struct message, node);
    list_remove(&message->node);
    --mailbox->count;
    message->owner = message_caller();
    return message->text;
}

RTOS_SERVICE_TEXT rtos_status rtos_k_mailbox_receive(rtos_id id, void **text, uint32_t timeout_us)
{
    if (((uintptr_t)text & 3) != 0 || !rtos_k_writable(text, sizeof *text))
        return RTOS_ERROR_PARAMETER;
    rtos_irq_state state = rtos_arch_irq_disable();
    struct mailbox *mailbox = OBJECT_FIND(mailboxes, id);
    rtos_status result = RTOS_OK;
    void *received = NULL;
    if (mailbox == NULL)
        result = RTOS_ERROR_ID;
    else if (mailbox->count != 0)
        received = take_first(mailbox);
    else {
        result = wait_allowed(timeout_us);
        if (result == RTOS_OK)
            result = wait_in(&mailbox->waiters, timeout_us);
        if (result == RTOS_OK)
            received = task_current->wait.received;
    }
    rtos_arch_irq_restore(state);
    *text = received;
    return result;
}

rtos_status rtos_k_mailbox_count(rtos_id id)
{
    rtos_irq_state state = rtos_arch_irq_disable();
    const struct mailbox *mailbox = OBJECT_FIND(mailboxes, id);
    rtos_status result = mailbox != NULL ? (rtos_status)mailbox->count : RTOS_ERROR_ID;
    rtos_arch_irq_restore(state);
    return result;
}

rtos_status rtos_k_mailbox_delete(rtos_id id)
{
    rtos_irq_state state = rtos_arch_irq_disable();
    struct mailbox *mailbox = OBJECT_FIND(mailboxes, id);
    rtos_status result = RTOS_ERROR_ID;
    if (mailbox != NULL) {
        while (!list_is_empty(&mailbox->messages)) {
            struct message *message = LIST_ENTRY(mailbox->messages.next, struct message, node);
            list_remove(&message->node);
            message_release(message);
        }
        wait_end_all(&mailbox->waiters, RTOS_ERROR_DELETED);
        object_free(&objects, &mailbox->object);
        scheduler_reschedule();
        result = RTOS_OK;
    }
    rtos_arch_irq_restore(state);
    return result;
}

#endif
