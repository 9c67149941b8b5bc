/* The user side of the kernel's system calls, from the one list. */
#include <rtos/config.h>
#include <rtos/syscall.h>

#define RTOS_SYSCALL(number, name) RTOS_SYSCALL_STUB(number, rtos_##name)
#include <rtos/syscalls.def>
