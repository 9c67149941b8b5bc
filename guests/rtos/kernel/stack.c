/* Stacks: the guard word at the lower end, and the pattern that shows how deep a stack was ever used. */
#include "stack.h"

#include <rtos/arch.h>
#include <rtos/section.h>

#define GUARD 0x57ac6a4du
#define PATTERN 0xa5a5a5a5u

void stack_prepare(uint32_t *bottom, uint32_t size)
{
    uint32_t words = RTOS_CONFIG_STACK_FILL ? size / sizeof(uint32_t) : 1;
    for (uint32_t index = 1; index < words; ++index)
        bottom[index] = PATTERN;
    bottom[0] = GUARD;
}

/* Lowest word of the interrupt stack, which start.S reserves. */
extern uint32_t rtos_arch_interrupt_stack[];

void stack_guard_interrupts(void)
{
    rtos_arch_interrupt_stack[0] = GUARD;
}

RTOS_FAST_TEXT int stack_is_interrupt_intact(void)
{
    return rtos_arch_interrupt_stack[0] == GUARD;
}

RTOS_FAST_TEXT int stack_is_kernel_intact(const struct task *task)
{
    return *stack_kernel_bottom(task) == GUARD;
}

RTOS_FAST_TEXT int stack_is_user_intact(const struct task *task)
{
    const uint32_t *pointer = rtos_arch_user_stack_pointer(&task->context);
    return task->stack[0] == GUARD && pointer > task->stack && pointer <= stack_kernel_bottom(task);
}

uint32_t stack_used(const uint32_t *bottom, uint32_t size)
{
    uint32_t words = size / sizeof(uint32_t);
    uint32_t unused = 1;
    if (!RTOS_CONFIG_STACK_FILL || words == 0 || bottom[0] != GUARD)
        return RTOS_CONFIG_STACK_FILL ? size : 0;
    while (unused < words && bottom[unused] == PATTERN)
        ++unused;
    return size - unused * sizeof(uint32_t);
}
