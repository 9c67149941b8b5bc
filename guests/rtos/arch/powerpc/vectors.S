/* The exception vectors; the board puts this section at address 0 (PEM, "Exceptions"). */
#include "entry.inc"

    .section .vectors, "ax", @progbits
    .global rtos_arch_vectors
rtos_arch_vectors:
    /* A jump to 0 finds words that are no instructions. */

/* A fault: fault.S takes it from here, with its kind in r4. */
.macro FAULT offset, kind
    .org  rtos_arch_vectors + \offset
    mtsprg SPRG_A, %r3
    mtsprg SPRG_B, %r4
    lis   %r4, \kind@ha
    addi  %r4, %r4, \kind@l
    b     rtos_arch_fault
.endm

.macro VECTOR offset, entry
    .org  rtos_arch_vectors + \offset
    b     \entry
.endm

    FAULT 0x100, rtos_arch_kind_reset
    FAULT 0x200, rtos_arch_kind_machine_check
    FAULT 0x300, rtos_arch_kind_data_storage
    FAULT 0x400, rtos_arch_kind_instruction_storage
    VECTOR 0x500, rtos_arch_irq
    FAULT 0x600, rtos_arch_kind_alignment
    FAULT 0x700, rtos_arch_kind_program
    VECTOR 0x800, rtos_arch_float_unavailable

    /* The decrementer is a line of the interrupt controller, with a priority as all have: a write makes it pending. */
    .org  rtos_arch_vectors + 0x900
    mtsprg SPRG_A, %r3
    mtsprg SPRG_B, %r4
    lis   %r3, rtos_board_decrementer@ha
    lwz   %r4, rtos_board_decrementer@l + 4(%r3)
    lwz   %r3, rtos_board_decrementer@l(%r3)
    stw   %r4, 0(%r3)
    mfsprg %r4, SPRG_B
    mfsprg %r3, SPRG_A
    rfi

    VECTOR 0xc00, rtos_arch_system_call
    FAULT 0xd00, rtos_arch_kind_trace
    FAULT 0xf00, rtos_arch_kind_performance
    FAULT 0x1000, rtos_arch_kind_table_search
    FAULT 0x1100, rtos_arch_kind_table_search
    FAULT 0x1200, rtos_arch_kind_table_search
    FAULT 0x1300, rtos_arch_kind_breakpoint
    FAULT 0x1400, rtos_arch_kind_management
    FAULT 0x1700, rtos_arch_kind_thermal
