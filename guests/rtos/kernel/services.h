/* The services that may be switched off, and how the kernel starts them. */
#ifndef KERNEL_SERVICES_H
#define KERNEL_SERVICES_H

#include <rtos/config.h>

/* Each prepares its table of objects. */
void timer_initialise(void);
void semaphore_initialise(void);
void event_initialise(void);
void queue_initialise(void);
void mailbox_initialise(void);
void pool_initialise(void);

#endif
