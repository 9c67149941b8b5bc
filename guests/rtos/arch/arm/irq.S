/* Interrupts: the interrupted registers go to the stack of supervisor mode, so that a task can be switched away from
   and more urgent interrupts nest; handlers run on the interrupt stack. */
#include "entry.inc"

    .section .bss.kernel_data, "aw", %nobits
    .balign 4
    .global rtos_arch_irq_scratch
rtos_arch_irq_scratch:              /* r0, pc and CPSR of the interrupted code, on the way to its stack. */
    .space 12

    .section .fast_text, "ax", %progbits

/* Frame, upwards: r0-r4, r12, lr (supervisor), unused, CPSR, pc. The last two are where swi.S has them too. */
#define FRAME_SPSR 32
#define FRAME_PC 36
#define FRAME_SIZE 40

FUNCTION rtos_arch_irq
    sub   lr, lr, #4
    stmia sp, {r0, lr}
    mrs   r0, spsr
    str   r0, [sp, #8]
    mov   r0, sp
    msr   cpsr_c, #RUN_SUPERVISOR
    sub   sp, sp, #12
    stmfd sp!, {r1-r4, r12, lr}
    ldmia r0, {r1-r3}
    str   r1, [sp, #-4]!
    str   r3, [sp, #FRAME_SPSR]
    str   r2, [sp, #FRAME_PC]

    mov   r4, sp
    ldr   r0, =rtos_interrupt_nesting
    ldr   r1, [r0]
    cmp   r1, #0
    add   r1, r1, #1
    str   r1, [r0]
    ldreq sp, =rtos_arch_interrupt_stack_top
    bicne sp, sp, #7
    CALL  rtos_interrupt_dispatch

    ldr   r0, =rtos_interrupt_nesting
    ldr   r1, [r0]
    subs  r1, r1, #1
    str   r1, [r0]
    bne   1f
    bic   sp, r4, #7
    CALL  scheduler_reschedule
1:  mov   sp, r4
    ldr   r0, [sp, #FRAME_SPSR]
    msr   spsr_fsxc, r0
    ldmia sp, {r0-r4, r12, lr}
    add   sp, sp, #FRAME_PC
    ldmfd sp!, {pc}^
    .ltorg
END_FUNCTION rtos_arch_irq
