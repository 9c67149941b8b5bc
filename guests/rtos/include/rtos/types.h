/* Types, result codes and time-outs shared by every service. */
#ifndef RTOS_TYPES_H
#define RTOS_TYPES_H

#include <stddef.h>
#include <stdint.h>

/* Handle of a kernel object; positive when valid. Freed handles are never accepted again. */
typedef int32_t rtos_id;

/* Result of a call: zero or a positive value on success, one of `enum rtos_error` otherwise. */
typedef int32_t rtos_status;

/* Instant or length in ticks of the board's timer, 64 bits wide, counted from the start of the kernel. */
typedef uint64_t rtos_ticks;

enum rtos_error {
    RTOS_OK = 0,
    RTOS_ERROR_PARAMETER = -1,     /* An argument is outside its range or a pointer is not in memory. */
    RTOS_ERROR_ID = -2,            /* No such object, or it is of another kind. */
    RTOS_ERROR_CONTEXT = -3,       /* Not allowed here: in an interrupt handler or with the scheduler locked. */
    RTOS_ERROR_TIMEOUT = -4,       /* The time-out ended first; also the answer of RTOS_NO_WAIT. */
    RTOS_ERROR_DELETED = -5,       /* The object was deleted while the task waited on it. */
    RTOS_ERROR_MEMORY = -6,        /* The kernel heap or the stack heap has no segment that fits. */
    RTOS_ERROR_LIMIT = -7,         /* The table of that kind of object is full, or a count would exceed its maximum. */
    RTOS_ERROR_OWNER = -8,         /* The caller does not own the mutex or the message. */
    RTOS_ERROR_STATE = -9,         /* The object's state does not allow the call. */
    RTOS_ERROR_DEADLOCK = -10,     /* Waiting would close a circle of mutex owners. */
    RTOS_ERROR_INTERRUPTED = -11,  /* rtos_task_interrupt ended the wait. */
    RTOS_ERROR_NOT_SUPPORTED = -12, /* No such system call, or its service is switched off. */
    RTOS_ERROR_PERMISSION = -13,   /* Only privileged code may do that. */
};

/* Result of rtos_mutex_lock when the former owner ended without unlocking: locked, data suspect. */
#define RTOS_OWNER_DIED 1

/* Time-outs are in microseconds; these two values are special. */
#define RTOS_NO_WAIT 0u
#define RTOS_WAIT_FOREVER 0xffffffffu

/* Handle that names the calling task wherever a task is asked for. */
#define RTOS_SELF 0

#endif
