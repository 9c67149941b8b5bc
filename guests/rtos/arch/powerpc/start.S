/* From the board's reset code to the kernel. */
#include "entry.inc"
#include <rtos/config.h>

    .section .bss.stacks, "aw", @nobits
    .balign 16
    .global rtos_arch_interrupt_stack
rtos_arch_interrupt_stack:
    .space RTOS_CONFIG_INTERRUPT_STACK_SIZE
    .balign 16
    .global rtos_arch_interrupt_stack_top
rtos_arch_interrupt_stack_top:

    .section .text.rtos_arch_start, "ax", @progbits
/* In: vectors at 0 and memory prepared, interrupts disabled. The kernel starts on the interrupt stack. */
FUNCTION rtos_arch_start
    .reloc ., R_PPC_NONE, rtos_arch_vectors     /* Whoever links the start gets the vectors. */
    li    %r3, ARCH_MSR_KERNEL      /* Vectors at 0. */
    mtmsr %r3
    isync
    ADDRESS %r1, rtos_arch_interrupt_stack_top
    li    %r0, 0
    stwu  %r0, -16(%r1)
    bl    rtos_kernel_start
    b     .
END_FUNCTION rtos_arch_start
