#include "fatal.h"

#include "scheduler_control.h"
#include "stack.h"

#include <rtos/kernel.h>
#include <rtos/section.h>

static const char *task_name(void)
{
    return task_current != NULL ? task_current->name : "none";
}

void rtos_k_panic(const char *reason)
{
    (void)rtos_arch_irq_disable();
    rtos_arch_record_registers();
    rtos_k_printf("\nPANIC: %s (task %s, interrupt depth %u, from %08x)\n", reason, task_name(),
                  (unsigned)rtos_interrupt_nesting, (unsigned)(uintptr_t)__builtin_return_address(0));
    rtos_arch_print_registers();
    rtos_board_halt(1);
}

static void stack_overflowed(struct task *task)
{
    rtos_k_printf("\nFAULT: stack overflow in task %s\n", task->name);
    task_kill(task, RTOS_EXIT_STACK);
}

RTOS_FAST_TEXT void fatal_check_stacks(struct task *from, struct task *to)
{
    if (!stack_is_interrupt_intact())
        rtos_k_panic("interrupt stack overflow");
    if (!stack_is_kernel_intact(from))
        rtos_k_panic("kernel stack overflow");
    if (!(to->flags & RTOS_TASK_PRIVILEGED) && !to->killed && !to->ending && !stack_is_user_intact(to))
        stack_overflowed(to);
}

void rtos_fatal_fault(const char *kind, int in_user_code)
{
    if (!in_user_code)
        rtos_k_panic(kind);
    rtos_k_printf("\nFAULT: %s in task %s\n", kind, task_name());
    rtos_arch_print_registers();
    rtos_arch_irq_restore(0);
    task_end(task_current, RTOS_EXIT_FAULT);
    __builtin_unreachable();
}
