/* Floating point is saved lazily: tasks begin without it, and the first one that computes takes it from who had it last.
   Handlers of interrupts have none, and the kernel is built without it. */
#include "entry.inc"

    .section .bss.kernel_data, "aw", @nobits
    .balign 4
    .global rtos_arch_float_owner
rtos_arch_float_owner:              /* The context whose numbers the unit holds, 0 for none. */
    .space 4

.macro ALL_FLOATS operation, base
    .irp  number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    \operation \number, CONTEXT_FLOAT + 8 * \number(\base)
    .endr
.endm

    .section .fast_text, "ax", @progbits
FUNCTION rtos_arch_float_unavailable
    mtsprg SPRG_A, %r3
    mtsprg SPRG_B, %r4
    mfcr  %r3
    mtsprg SPRG_C, %r3
    LOAD  %r3, rtos_interrupt_nesting
    cmplwi %r3, 0
    bne   2f
    mfmsr %r3
    ori   %r3, %r3, ARCH_MSR_FLOAT
    mtmsr %r3
    isync
    LOAD  %r3, rtos_arch_float_owner
    cmplwi %r3, 0
    beq   1f
    ALL_FLOATS stfd, %r3
    mffs  0
    stfd  0, CONTEXT_FLOAT_STATUS(%r3)
1:  LOAD  %r4, rtos_arch_current
    lis   %r3, rtos_arch_float_owner@ha
    stw   %r4, rtos_arch_float_owner@l(%r3)
    lfd   0, CONTEXT_FLOAT_STATUS(%r4)
    mtfsf 0xff, 0
    ALL_FLOATS lfd, %r4
    mfsrr1 %r3
    ori   %r3, %r3, ARCH_MSR_FLOAT
    mtsrr1 %r3
    mfsprg %r3, SPRG_C
    mtcrf 0xff, %r3
    mfsprg %r4, SPRG_B
    mfsprg %r3, SPRG_A
    rfi

2:  mfsprg %r3, SPRG_C
    mtcrf 0xff, %r3
    ADDRESS %r4, rtos_arch_kind_float
    b     rtos_arch_fault
END_FUNCTION rtos_arch_float_unavailable
