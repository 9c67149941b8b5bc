/* Scheduling inside the kernel. For all of these interrupts are disabled by the caller. */
#ifndef KERNEL_SCHEDULER_CONTROL_H
#define KERNEL_SCHEDULER_CONTROL_H

#include "task_control.h"

/* Depth of the scheduler lock. */
extern uint32_t scheduler_locks;

/* Depth of interrupts; the architecture's entry code counts it. */
extern uint32_t rtos_interrupt_nesting;

void scheduler_initialise(void);
/* Puts a task at the end, or at the front, of the ready queue of its priority. */
void scheduler_insert(struct task *task);
void scheduler_insert_first(struct task *task);
void scheduler_remove(struct task *task);
/* Moves the running task behind its peers. */
void scheduler_rotate(void);
/* Switches to the most urgent ready task, unless in an interrupt (its exit does it) or locked. */
void scheduler_reschedule(void);
/* Switches away from a task that is not ready any more, lock or not. */
void scheduler_leave(void);
/* Starts the first task; the present stack is abandoned. */
void scheduler_start(void) __attribute__((noreturn));

uint32_t scheduler_switches(void);

/* Body of the idle task. */
int rtos_idle(void *argument);
/* Where the architecture's start code goes; never returns. */
void rtos_kernel_start(void) __attribute__((noreturn));
/* Called by the interrupt entry: interrupts disabled, on the interrupt stack. */
void rtos_interrupt_dispatch(void);

#endif
