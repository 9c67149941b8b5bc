/* Stubs of system calls; see rtos/syscall.h. lr is saved because a call from supervisor mode overwrites it; `number` has no #
   as that would make a string of it. */
#ifndef ARCH_SYSCALL_H
#define ARCH_SYSCALL_H

#define RTOS_SYSCALL_STUB(number, name)                                                                              \
    .section .text.name, "ax", %progbits;                                                                            \
    .syntax unified; .arm; .balign 4; .global name; .type name, %function;                                           \
    name: str lr, [sp, #-4]!; mov r12, number; swi 0; ldr lr, [sp], #4; bx lr;                                      \
    .size name, . - name

#endif
