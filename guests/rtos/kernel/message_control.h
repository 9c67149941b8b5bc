/* Shared messages: each lies in the kernel's pool behind a header that names its owner. */
#ifndef KERNEL_MESSAGE_CONTROL_H
#define KERNEL_MESSAGE_CONTROL_H

#include "list.h"

#include <rtos/config.h>
#include <rtos/types.h>

#if RTOS_CONFIG_MAILBOXES
struct message {
    struct list_node node; /* In the free list or in a mailbox. */
    rtos_id owner;         /* A task, a mailbox, MESSAGE_OWNER_INTERRUPT, or 0 when free. */
    uint32_t reserved;     /* Keeps the text 8-byte aligned. */
    char text[RTOS_CONFIG_MESSAGE_SIZE];
};

/* Owner of what interrupt handlers have allocated. */
#define MESSAGE_OWNER_INTERRUPT INT32_MAX

void message_initialise(void);
/* The message whose text begins there, NULL when there is none. */
struct message *message_find(const void *text);
/* The owner that the caller stands for. */
rtos_id message_caller(void);
/* Gives a message back, or hands it to the most urgent task that waits for one. Interrupts are disabled. */
void message_release(struct message *message);
/* Frees what a task that ends still owns. */
void message_release_all(rtos_id owner);
#else
static inline void message_initialise(void) {}
static inline void message_release_all(rtos_id owner)
{
    (void)owner;
}
#endif

#endif
