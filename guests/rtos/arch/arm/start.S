/* From the board's reset code to the kernel: the stacks of all modes. */
#include "entry.inc"
#include <rtos/config.h>

    .section .bss.stacks, "aw", %nobits
    .balign 8
    .global rtos_arch_interrupt_stack
rtos_arch_interrupt_stack:
    .space RTOS_CONFIG_INTERRUPT_STACK_SIZE
    .global rtos_arch_interrupt_stack_top
rtos_arch_interrupt_stack_top:

    .section .text.rtos_arch_start, "ax", %progbits
/* In: supervisor mode, interrupts disabled, memory prepared. The kernel starts on the interrupt stack. */
FUNCTION rtos_arch_start
    .reloc ., R_ARM_NONE, rtos_arch_vectors     /* Whoever links the start gets the vectors. */
    ldr   r0, =rtos_arch_fault_record
    msr   cpsr_c, #(ARCH_MODE_UNDEFINED | ARCH_IRQ_OFF | ARCH_FIQ_OFF)
    mov   sp, r0
    msr   cpsr_c, #(ARCH_MODE_ABORT | ARCH_IRQ_OFF | ARCH_FIQ_OFF)
    mov   sp, r0
    msr   cpsr_c, #(ARCH_MODE_FIQ | ARCH_IRQ_OFF | ARCH_FIQ_OFF)
    mov   sp, r0
    msr   cpsr_c, #(ARCH_MODE_IRQ | ARCH_IRQ_OFF | ARCH_FIQ_OFF)
    ldr   sp, =rtos_arch_irq_scratch
    msr   cpsr_c, #RUN_SUPERVISOR
    ldr   sp, =rtos_arch_interrupt_stack_top
    CALL  rtos_kernel_start
    b     .
    .ltorg
END_FUNCTION rtos_arch_start
    .reloc ., R_ARM_NONE, rtos_arch_vectors     /* Whoever links the start gets the vectors. */
