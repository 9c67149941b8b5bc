/* Faults: the registers are recorded; see arch_fault.c. */
#include "entry.inc"

/* Record: r0-r31, then these. An MSR of 0 is none. */
#define RECORD_PC 128
#define RECORD_MSR 132
#define RECORD_LR 136
#define RECORD_CTR 140
#define RECORD_CR 144
#define RECORD_XER 148
#define RECORD_DAR 152
#define RECORD_DSISR 156

/* In: r0 and r5 to r31 in place, r3 the record. */
.macro RECORD_OTHERS
    stw   %r0, 0(%r3)
    stw   %r1, 4(%r3)
    stw   %r2, 8(%r3)
    stmw  %r5, 20(%r3)
    mflr  %r5
    mfctr %r6
    mfcr  %r7
    mfxer %r8
    mfdar %r9
    mfdsisr %r10
    stw   %r5, RECORD_LR(%r3)
    stw   %r6, RECORD_CTR(%r3)
    stw   %r7, RECORD_CR(%r3)
    stw   %r8, RECORD_XER(%r3)
    stw   %r9, RECORD_DAR(%r3)
    stw   %r10, RECORD_DSISR(%r3)
.endm

    .section .fast_text, "ax", @progbits
/* In: r4 the kind, r3 and r4 of the interrupted code in SPRG_A and SPRG_B. */
FUNCTION rtos_arch_fault
    ADDRESS %r3, rtos_arch_fault_record
    RECORD_OTHERS
    mfsprg %r5, SPRG_A
    mfsprg %r6, SPRG_B
    mfsrr0 %r7
    mfsrr1 %r8
    stw   %r5, 12(%r3)
    stw   %r6, 16(%r3)
    stw   %r7, RECORD_PC(%r3)
    stw   %r8, RECORD_MSR(%r3)
    mr    %r3, %r4
    li    %r9, ARCH_MSR_KERNEL
    mtmsr %r9
    rlwinm. %r4, %r8, 18, 31, 31    /* PR: in user code. */
    ADDRESS %r1, rtos_arch_interrupt_stack_top
    beq   1f
    mfsprg %r1, SPRG_KERNEL_TOP     /* The task's kernel stack, which is empty. */
1:  li    %r0, 0
    stwu  %r0, -16(%r1)
    bl    rtos_fatal_fault
END_FUNCTION rtos_arch_fault

    .section .text.rtos_arch_record_registers, "ax", @progbits
FUNCTION rtos_arch_record_registers
    stwu  %r1, -32(%r1)
    stw   %r3, 8(%r1)
    stw   %r4, 12(%r1)
    ADDRESS %r3, rtos_arch_fault_record
    lwz   %r4, RECORD_MSR(%r3)
    cmplwi %r4, 0
    bne   1f
    lwz   %r4, 8(%r1)
    stw   %r4, 12(%r3)
    lwz   %r4, 12(%r1)
    stw   %r4, 16(%r3)
    RECORD_OTHERS
    addi  %r4, %r1, 32
    stw   %r4, 4(%r3)
    mflr  %r4
    stw   %r4, RECORD_PC(%r3)
    mfmsr %r4
    stw   %r4, RECORD_MSR(%r3)
1:  lwz   %r3, 8(%r1)
    lwz   %r4, 12(%r1)
    addi  %r1, %r1, 32
    blr
END_FUNCTION rtos_arch_record_registers

.macro KIND name, text
    .global \name
\name:
    .asciz "\text"
.endm

    .section .rodata.rtos_arch_fault, "a", @progbits
    KIND rtos_arch_kind_reset, "system reset"
    KIND rtos_arch_kind_machine_check, "machine check"
    KIND rtos_arch_kind_data_storage, "data storage exception"
    KIND rtos_arch_kind_instruction_storage, "instruction storage exception"
    KIND rtos_arch_kind_alignment, "alignment exception"
    KIND rtos_arch_kind_program, "program exception"
    KIND rtos_arch_kind_float, "floating point in an interrupt handler"
    KIND rtos_arch_kind_trace, "trace exception"
    KIND rtos_arch_kind_performance, "performance monitor exception"
    KIND rtos_arch_kind_table_search, "table search exception"
    KIND rtos_arch_kind_breakpoint, "instruction address breakpoint"
    KIND rtos_arch_kind_management, "system management interrupt"
    KIND rtos_arch_kind_thermal, "thermal management interrupt"
