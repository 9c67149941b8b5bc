/* Faults and what the kernel does about them. */
#ifndef KERNEL_FATAL_H
#define KERNEL_FATAL_H

#include "task_control.h"

/* At a task switch: stops the system if the old task's kernel stack overflowed; lets the new task end if its user stack
   did. */
void fatal_check_stacks(struct task *from, struct task *to);

/* A processor fault, called by the architecture. In user code it ends the task, elsewhere it stops the system. */
void rtos_fatal_fault(const char *kind, int in_user_code) __attribute__((noreturn));

#endif
