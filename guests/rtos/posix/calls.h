/* The system's functions behind the calls of syscalls.def; they run in supervisor mode for the calling process. */
#ifndef POSIX_CALLS_H
#define POSIX_CALLS_H

#include "syscalls.h"

#define POSIX_SYSCALL(number, name) extern __typeof__(sys_##name) posix_##name;
#include "syscalls.def"
#undef POSIX_SYSCALL

/* Enters the table into the kernel. */
void posix_set_calls(void);
/* Longest path, terminator included. */
#define POSIX_PATH_MAX 256

#endif
