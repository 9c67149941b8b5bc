/* System calls of the system built on the kernel (numbers 128 to 255). */
#ifndef RTOS_SYSCALL_H
#define RTOS_SYSCALL_H

#define RTOS_SYSCALL_SYSTEM_FIRST 128

#ifdef __ASSEMBLER__

/* RTOS_SYSCALL_STUB(number, name) defines `name` as a stub for a system call of at most four word arguments; for .S files. */
#include <arch_syscall.h>

#else

#include <rtos/types.h>

/* A function of the system's table; it gets the caller's four words. */
typedef void (*rtos_syscall_function)(void);

/* Sets the table for the numbers from 128: `table[0]` is number 128. Runs in supervisor mode on the
   kernel stack of the calling task, interrupts enabled; it may block. NULL entries are not supported calls. */
void rtos_syscall_set_table(const rtos_syscall_function *table, uint32_t count);

#endif
#endif
