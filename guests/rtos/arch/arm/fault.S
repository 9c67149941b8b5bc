/* Undefined instructions, aborts and unexpected fast interrupts: the registers are recorded; see arch_fault.c. */
#include "entry.inc"

    .section .text.rtos_arch_fault, "ax", %progbits

/* The stack pointers of these modes point to the record (start.S). Record: r0-r12, sp, lr, pc, CPSR. */
#define RECORD_SP 52
#define RECORD_LR 56
#define RECORD_PC 60
#define RECORD_CPSR 64

.macro FAULT name, distance, kind
    .weak \name
FUNCTION \name
    sub   lr, lr, #\distance
    stmia sp, {r0-r12}
    str   lr, [sp, #RECORD_PC]
    mov   r4, sp
    ldr   r5, =\kind
    b     fault
END_FUNCTION \name
.endm

    FAULT rtos_arch_prefetch_abort, 4, kind_prefetch_abort
    FAULT rtos_arch_data_abort, 8, kind_data_abort
    FAULT rtos_arch_fiq, 4, kind_fiq

FUNCTION rtos_arch_undefined
    stmia sp, {r0-r12}
    mrs   r0, spsr
    tst   r0, #ARCH_THUMB
    subeq lr, lr, #4
    subne lr, lr, #2
    str   lr, [sp, #RECORD_PC]
    mov   r4, sp
    ldr   r5, =kind_undefined
    b     fault
END_FUNCTION rtos_arch_undefined

/* In: r4 record, r5 kind. System mode shows the registers of user mode. */
fault:
    mrs   r6, spsr
    str   r6, [r4, #RECORD_CPSR]
    and   r6, r6, #ARCH_MODE_MASK
    cmp   r6, #ARCH_MODE_USER
    orrne r0, r6, #(ARCH_IRQ_OFF | ARCH_FIQ_OFF)
    moveq r0, #(ARCH_MODE_SYSTEM | ARCH_IRQ_OFF | ARCH_FIQ_OFF)
    add   r3, r4, #RECORD_SP
    msr   cpsr_c, r0
    stmia r3, {sp, lr}
    msr   cpsr_c, #RUN_SUPERVISOR
    mov   r0, r5
    cmp   r6, #ARCH_MODE_USER
    moveq r1, #1                    /* On the task's kernel stack, which is empty. */
    movne r1, #0
    ldrne sp, =rtos_arch_interrupt_stack_top
    CALL  rtos_fatal_fault
    .ltorg

    .section .text.rtos_arch_record_registers, "ax", %progbits
FUNCTION rtos_arch_record_registers
    stmfd sp!, {r0, r1}
    ldr   r1, =rtos_arch_fault_record
    ldr   r0, [r1, #RECORD_CPSR]
    cmp   r0, #0
    bne   1f
    stmia r1, {r0-r12}
    ldr   r0, [sp]
    str   r0, [r1]
    ldr   r0, [sp, #4]
    str   r0, [r1, #4]
    add   r0, sp, #8
    str   r0, [r1, #RECORD_SP]
    str   lr, [r1, #RECORD_LR]
    str   lr, [r1, #RECORD_PC]
    mrs   r0, cpsr
    str   r0, [r1, #RECORD_CPSR]
1:  ldmfd sp!, {r0, r1}
    bx    lr
    .ltorg
END_FUNCTION rtos_arch_record_registers

    .section .rodata.rtos_arch_fault, "a", %progbits
kind_undefined:
    .asciz "undefined instruction"
kind_prefetch_abort:
    .asciz "prefetch abort"
kind_data_abort:
    .asciz "data abort"
kind_fiq:
    .asciz "unexpected fast interrupt"
