/* Tasks: creation, end, priorities, suspension, sleeping. */
#ifndef RTOS_TASK_H
#define RTOS_TASK_H

#include <rtos/types.h>

/* Body of a task; its return value is the exit status. */
typedef int (*rtos_task_entry)(void *argument);

enum rtos_task_flag {
    RTOS_TASK_PRIVILEGED = 1, /* Runs in supervisor mode on one stack. */
    RTOS_TASK_SUSPENDED = 2,  /* Starts suspended. */
    RTOS_TASK_DETACHED = 4,   /* Freed when it ends; nobody joins it. */
};

enum rtos_task_state {
    RTOS_STATE_READY,     /* Running or able to run. */
    RTOS_STATE_WAITING,   /* Waits on an object or sleeps. */
    RTOS_STATE_SUSPENDED, /* Stopped until resumed; may also be waiting. */
    RTOS_STATE_EXITED,    /* Ended, status not yet joined. */
};

/* Exit statuses given by the kernel. */
#define RTOS_EXIT_KILLED (-1000)
#define RTOS_EXIT_FAULT (-1001)
#define RTOS_EXIT_STACK (-1002)

/* Bytes of a task's name, terminator included. */
#define RTOS_NAME_SIZE 16

struct rtos_task_attributes {
    const char *name;           /* Copied, cut to RTOS_NAME_SIZE - 1; NULL is allowed. */
    rtos_task_entry entry;
    void *argument;
    uint32_t priority;          /* 1 .. RTOS_CONFIG_PRIORITIES - 1; greater is more urgent. */
    uint32_t flags;             /* Of `enum rtos_task_flag`. */
    uint32_t stack_size;        /* User stack in bytes (the only stack of a privileged task). */
    uint32_t kernel_stack_size; /* 0 for RTOS_CONFIG_KERNEL_STACK_SIZE; not used for privileged tasks. */
};

struct rtos_task_info {
    rtos_id id;
    char name[RTOS_NAME_SIZE];
    uint32_t state; /* Of `enum rtos_task_state`. */
    uint32_t priority;
    uint32_t base_priority;
    uint32_t flags;
    uint32_t stack_size;
    uint32_t stack_used; /* Most ever used; 0 when RTOS_CONFIG_STACK_FILL is off. */
    uint32_t kernel_stack_size;
    uint32_t kernel_stack_used;
    uint32_t switches; /* Times the task was switched to. */
};

/* Creates a task; its stacks come from the stack heap. Returns its handle. */
rtos_id rtos_task_create(const struct rtos_task_attributes *attributes);
/* Ends a task with RTOS_EXIT_KILLED. A user task ends by itself, when it next would run user code: its waits are
   interrupted, so that the kernel's and the drivers' data stay whole. An ended task is forgotten. */
rtos_status rtos_task_delete(rtos_id task);
/* Ends the calling task. */
void rtos_task_exit(int status) __attribute__((noreturn));
/* Waits until a task has ended, then frees it and stores its exit status (`status` may be NULL). */
rtos_status rtos_task_join(rtos_id task, int *status, uint32_t timeout_us);
/* Stops a task until it is resumed; a wait under way goes on meanwhile. */
rtos_status rtos_task_suspend(rtos_id task);
/* Resumes a suspended task. Allowed in interrupt handlers. */
rtos_status rtos_task_resume(rtos_id task);
/* Ends the wait or sleep of a task with RTOS_ERROR_INTERRUPTED, or else its next one. Waits for a mutex go on.
   Allowed in interrupt handlers. */
rtos_status rtos_task_interrupt(rtos_id task);
/* Gives way to ready tasks of the same priority. */
rtos_status rtos_task_yield(void);
/* Sleeps at least that long. RTOS_WAIT_FOREVER sleeps until interrupted. */
rtos_status rtos_task_sleep(uint32_t duration_us);
/* Sleeps until an instant; at once if it is past. */
rtos_status rtos_task_sleep_until(const rtos_ticks *instant);
/* Sets the base priority and returns the former one. */
rtos_status rtos_task_set_priority(rtos_id task, uint32_t priority);
/* Returns the priority in force, inheritance included. */
rtos_status rtos_task_get_priority(rtos_id task);
/* Returns the caller's handle. */
rtos_id rtos_task_self(void);
/* Describes a task. */
rtos_status rtos_task_get_info(rtos_id task, struct rtos_task_info *info);
/* Returns the task after `previous` in table order (0 for the first), RTOS_ERROR_ID after the last. */
rtos_id rtos_task_next(rtos_id previous);

#endif
