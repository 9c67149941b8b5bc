/* Mailboxes with shared messages: the message stays where it is, its owner changes. */
#ifndef RTOS_MAILBOX_H
#define RTOS_MAILBOX_H

#include <rtos/types.h>

/* Takes a message of RTOS_CONFIG_MESSAGE_SIZE bytes from the kernel's pool; the caller owns it. */
rtos_status rtos_message_alloc(void **message, uint32_t timeout_us);
/* Gives it back; RTOS_ERROR_OWNER unless the caller owns it. */
rtos_status rtos_message_free(void *message);
/* Returns the owner: a task, a mailbox, or 0 when free. */
rtos_id rtos_message_owner(const void *message);

rtos_id rtos_mailbox_create(void);
/* Hands an owned message over; the sender may not touch it any more. Never waits. */
rtos_status rtos_mailbox_send(rtos_id mailbox, void *message);
/* Waits for a message and becomes its owner. */
rtos_status rtos_mailbox_receive(rtos_id mailbox, void **message, uint32_t timeout_us);
/* Returns the messages held. */
rtos_status rtos_mailbox_count(rtos_id mailbox);
/* Deletes it and frees the messages in it. */
rtos_status rtos_mailbox_delete(rtos_id mailbox);

#endif
