/* Shared with the SWI entry. */
#ifndef KERNEL_SYSCALL_TABLE_H
#define KERNEL_SYSCALL_TABLE_H

#include <rtos/syscall.h>

/* Entries of the kernel's own table; all are filled. */
#define RTOS_SYSCALL_COUNT 88

#ifndef __ASSEMBLER__
extern const rtos_syscall_function rtos_syscall_table[RTOS_SYSCALL_COUNT];
/* The function of a number that is not in the kernel's table. */
rtos_syscall_function rtos_syscall_find_system(uint32_t number);
#endif

#endif
