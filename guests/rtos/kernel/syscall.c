/* The tables of system calls; the architecture's SWI entry looks functions up in them. */
#include "syscall_table.h"

#include <rtos/kernel.h>
#include <rtos/section.h>

static rtos_status not_supported(void)
{
    return RTOS_ERROR_NOT_SUPPORTED;
}

#define ENTRY(function) ((rtos_syscall_function)(void *)(function))

/* Later initialisers replace the one for the whole range. */
#pragma GCC diagnostic ignored "-Woverride-init"
const rtos_syscall_function rtos_syscall_table[RTOS_SYSCALL_COUNT] = {
    [0 ... RTOS_SYSCALL_COUNT - 1] = ENTRY(not_supported),
#define RTOS_SYSCALL(number, name) [number] = ENTRY(rtos_k_##name),
#include <rtos/syscalls.def>
#undef RTOS_SYSCALL
};

static RTOS_KERNEL_DATA const rtos_syscall_function *system_table;
static RTOS_KERNEL_DATA uint32_t system_count;

void rtos_syscall_set_table(const rtos_syscall_function *table, uint32_t count)
{
    system_table = table;
    system_count = count;
}

RTOS_FAST_TEXT rtos_syscall_function rtos_syscall_find_system(uint32_t number)
{
    uint32_t index = number - RTOS_SYSCALL_SYSTEM_FIRST;
    if (index < system_count && system_table[index] != NULL)
        return system_table[index];
    return ENTRY(not_supported);
}
