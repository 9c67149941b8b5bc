/* Waiting for something that an interrupt or another task brings about, with a time-out, and interruptible by signals.

   A wait has the form: io_wait_begin(&wait, &queue); while (!condition) { error = io_wait_sleep(&wait, timeout_us);
   if (error != 0) break; } io_wait_end(&wait);  The condition is looked at after each io_wake of the queue. */
#ifndef POSIX_IO_WAIT_H
#define POSIX_IO_WAIT_H

#include <rtos/interrupt.h>
#include <rtos/kernel.h>

struct io_wait {
    struct io_wait *next;
    struct io_queue *queue;
    rtos_id event;
};

struct io_queue {
    struct io_wait *first;
};

void io_wait_begin(struct io_wait *wait, struct io_queue *queue);
/* 0 when woken, -EINTR for a signal, -EAGAIN when the time is over. */
int io_wait_sleep(struct io_wait *wait, uint32_t timeout_us);
void io_wait_end(struct io_wait *wait);
/* Adds a further queue to a wait under way (for select); it takes a `struct io_wait` of its own. */
void io_wait_add(struct io_wait *extra, struct io_wait *wait, struct io_queue *queue);
/* Wakes every waiter. Allowed in interrupt handlers. */
void io_wake(struct io_queue *queue);

/* Event flags of a task that waits. */
#define WAIT_FLAG_WOKEN 1u
#define WAIT_FLAG_SIGNAL 2u
#define WAIT_FLAG_ALARM 4u /* Set by the timer of a process's alarm. */

/* The event flags object of the calling task, made when first needed; kept in slot WAIT_SLOT. */
rtos_id io_wait_task_event(void);

/* Uses of the tasks' slots. */
#define PROCESS_SLOT 0
#define WAIT_SLOT 1

#endif
