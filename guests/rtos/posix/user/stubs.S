/* Stubs of the system calls. */
#include "../syscalls.h"

#define POSIX_SYSCALL(number, name) RTOS_SYSCALL_STUB(number, sys_##name)
#include "../syscalls.def"
