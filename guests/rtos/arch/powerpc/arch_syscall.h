/* Stubs of system calls; see rtos/syscall.h. */
#ifndef ARCH_SYSCALL_H
#define ARCH_SYSCALL_H

#define RTOS_SYSCALL_STUB(number, name)                                                                              \
    .section .text.name, "ax", @progbits; .balign 4; .global name; .type name, @function;                            \
    name: li %r0, number; sc; blr; .size name, . - name

#endif
