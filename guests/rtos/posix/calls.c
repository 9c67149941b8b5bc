/* The table of system calls, and the calls on processes. */
#include "calls.h"

#include <errno.h>
#include <rtos/board.h>

#include "process.h"

#define FIRST RTOS_SYSCALL_SYSTEM_FIRST

static const rtos_syscall_function table[] = {
#define POSIX_SYSCALL(number, name) [number - FIRST] = (rtos_syscall_function)(void *)posix_##name,
#include "syscalls.def"
#undef POSIX_SYSCALL
};

void posix_set_calls(void)
{
    rtos_syscall_set_table(table, sizeof table / sizeof table[0]);
}

void posix_exit(int status)
{
    if (process_self() == NULL)
        rtos_k_task_exit(status);
    process_exit(status);
    __builtin_unreachable();
}

int posix_process_id(void)
{
    return process_self_id();
}

int posix_wait(int process, uint32_t options)
{
    return process_wait(process, (options & WAIT_NOW) != 0);
}

int posix_halt(void)
{
    rtos_board_halt(0);
}
