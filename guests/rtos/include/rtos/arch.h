/* What the kernel asks of a processor architecture; arch/<name>/arch_types.h defines the types and inlines:
   struct rtos_arch_context, RTOS_ARCH_LONG_MULTIPLY, rtos_arch_irq_disable (returns the former state) and rtos_arch_irq_restore. */
#ifndef RTOS_ARCH_H
#define RTOS_ARCH_H

#include <rtos/types.h>

/* State of the interrupt mask, as rtos_arch_irq_disable returns it; 0 is enabled. */
typedef uint32_t rtos_irq_state;

/* Where a task that does not run keeps its registers, or the way to them. */
struct rtos_arch_context;

#include <arch_types.h>

/* How a new task begins. */
struct rtos_arch_start {
    int (*entry)(void *argument);
    void *argument;
    uint32_t *kernel_stack_top;
    uint32_t *user_stack_top; /* Not used for privileged tasks. */
    int privileged;
};

/* Lets the first switch to this context enter the task; its return ends the task. */
void rtos_arch_context_initialise(struct rtos_arch_context *context, const struct rtos_arch_start *start);
/* Saves the running task's registers and goes on with another's. Interrupts are disabled. */
void rtos_arch_switch(struct rtos_arch_context *from, struct rtos_arch_context *to);
/* User stack pointer of a user task that does not run. */
uint32_t *rtos_arch_user_stack_pointer(const struct rtos_arch_context *context);
/* Makes a user task that does not run end (system call task_exit) when it next would run user code. */
void rtos_arch_end_user_code(uint32_t *kernel_stack_top);
/* Records the caller's registers, unless those of a fault are recorded and not yet printed. */
void rtos_arch_record_registers(void);
/* Prints the recorded registers, once. */
void rtos_arch_print_registers(void);

#endif
