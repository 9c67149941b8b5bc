/* Stacks of tasks: the kernel stack lies above the user stack in one piece of memory; a privileged task has only the
   first. */
#ifndef KERNEL_STACK_H
#define KERNEL_STACK_H

#include "task_control.h"

/* Smallest sizes in bytes: an interrupt frame and a switch frame fit, with the calls that lead to them. */
#define STACK_KERNEL_SIZE_MIN 384u
#define STACK_USER_SIZE_MIN 128u

static inline uint32_t *stack_kernel_bottom(const struct task *task)
{
    return task->stack + task->stack_size / sizeof(uint32_t);
}

static inline uint32_t *stack_kernel_top(const struct task *task)
{
    return stack_kernel_bottom(task) + task->kernel_stack_size / sizeof(uint32_t);
}

/* Writes the guard word and the pattern. */
void stack_prepare(uint32_t *bottom, uint32_t size);
/* Most bytes ever used; 0 when stacks are not filled. */
uint32_t stack_used(const uint32_t *bottom, uint32_t size);
/* Writes the guard word of the interrupt stack, the one that the kernel starts on. */
void stack_guard_interrupts(void);
/* False after an overflow. The last is for a user task that does not run. */
int stack_is_interrupt_intact(void);
int stack_is_kernel_intact(const struct task *task);
int stack_is_user_intact(const struct task *task);

#endif
