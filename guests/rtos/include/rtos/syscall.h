/* System calls of the system built on the kernel (numbers 128 to 255). */
#ifndef RTOS_SYSCALL_H
#define RTOS_SYSCALL_H

#define RTOS_SYSCALL_SYSTEM_FIRST 128

#ifdef __ASSEMBLER__

/* Defines `name` as a stub for a system call of at most four word arguments; use it in a .S file. lr is saved because
   a call from supervisor mode overwrites it; `number` has no # as that would make a string of it. */
#define RTOS_SYSCALL_STUB(number, name)                                                                              \
    .section .text.name, "ax", %progbits;                                                                            \
    .syntax unified; .arm; .balign 4; .global name; .type name, %function;                                                            \
    name: str lr, [sp, #-4]!; mov r12, number; swi 0; ldr lr, [sp], #4; bx lr;                                      \
    .size name, . - name

#else

#include <rtos/types.h>

/* A function of the system's table; it gets the caller's r0 to r3. */
typedef void (*rtos_syscall_function)(void);

/* Sets the table for the numbers from 128: `table[0]` is number 128. Runs in supervisor mode on the
   kernel stack of the calling task, interrupts enabled; it may block. NULL entries are not supported calls. */
void rtos_syscall_set_table(const rtos_syscall_function *table, uint32_t count);

#endif
#endif
