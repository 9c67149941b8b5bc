/* The task control block. */
#ifndef KERNEL_TASK_CONTROL_H
#define KERNEL_TASK_CONTROL_H

#include "list.h"
#include "object.h"
#include "timeout.h"

#include <rtos/arch.h>
#include <rtos/config.h>
#include <rtos/task.h>

/* Why a task is not in the ready queue; 0 when it is. */
enum task_block {
    TASK_WAITING = 1,
    TASK_SUSPENDED = 2,
    TASK_EXITED = 4,
};

/* What the task waits for; which member is in use follows from the kind of the object waited on. */
union task_wait {
    struct {
        uint32_t flags;
        uint32_t options;
    } event;
    struct {
        void *message;
        uint32_t urgent;
    } queue;
    void *received; /* Message or block handed over by the waker. */
    int exit_status;
};

struct task {
    struct object object;
    struct rtos_arch_context context;
    struct list_node node;   /* In a ready queue or in a wait queue. */
    struct list_node *queue; /* The wait queue, NULL while it just sleeps. */
    uint8_t blocked;       /* Of `enum task_block`. */
    uint8_t priority;      /* In force. */
    uint8_t base_priority;
    uint8_t interrupt_pending;
    uint8_t killed; /* To end as soon as it leaves the kernel. */
    uint8_t ending; /* Its end has begun. */
    uint8_t flags;  /* Of `enum rtos_task_flag`. */
    rtos_status wait_result;
    union task_wait wait;
    struct timeout timeout;
    uint32_t slice_left; /* Ticks. */
    uint32_t switches;
    struct mutex *blocked_on;   /* The mutex it waits for. */
    struct list_node held;      /* Mutexes it owns. */
    struct list_node joiners;   /* Wait queue of rtos_task_join. */
    int exit_status;
    uint32_t *stack; /* Lowest address; the kernel stack follows the user stack. */
    uint32_t stack_size;
    uint32_t kernel_stack_size;
    void *slots[RTOS_CONFIG_TASK_SLOTS];
    char name[RTOS_NAME_SIZE];
};

extern struct task task_table[RTOS_CONFIG_TASKS];
extern struct object_table task_objects;

/* The task that runs, or was interrupted. Before the start it is the idle task. */
extern struct task *task_current;

/* The task of a handle, the caller for RTOS_SELF, NULL when it does not exist. */
static inline struct task *task_find(rtos_id id)
{
    return id == RTOS_SELF ? task_current : OBJECT_FIND(task_table, id);
}

/* Makes the idle task, the running one until the scheduler starts. */
void task_initialise(void);
/* Ends the calling task, or another that is privileged, and releases all it holds. */
void task_end(struct task *task, int status);
/* Lets a user task end when it leaves the kernel. Interrupts are disabled. */
void task_kill(struct task *task, int status);

/* Priorities; interrupts are disabled. The first sets the one in force and moves the task in its queue; the second
   computes it from the base priority and the held mutexes, along the chain of owners. */
void task_set_priority_in_force(struct task *task, uint32_t priority);
void task_inherit(struct task *task);

#endif
