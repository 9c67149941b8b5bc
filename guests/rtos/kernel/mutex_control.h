/* Mutexes as the rest of the kernel sees them. Interrupts are disabled by the callers. */
#ifndef KERNEL_MUTEX_CONTROL_H
#define KERNEL_MUTEX_CONTROL_H

#include "task_control.h"

#if RTOS_CONFIG_MUTEXES
struct mutex {
    struct object object;
    struct task *owner;
    struct list_node node; /* In the owner's list of held mutexes. */
    struct list_node waiters;
    uint32_t depth; /* Locks of the owner. */
    uint8_t flags;  /* Of `enum rtos_mutex_flag`. */
    uint8_t owner_died;
};

void mutex_initialise(void);
/* A task gave up waiting for the mutex it was blocked on. */
void mutex_wait_abandoned(struct task *task);
/* Hands over all mutexes of a task that ends. */
void mutex_release_all(struct task *task);
#else
static inline void mutex_initialise(void) {}
static inline void mutex_wait_abandoned(struct task *task)
{
    (void)task;
}
static inline void mutex_release_all(struct task *task)
{
    (void)task;
}
#endif

#endif
