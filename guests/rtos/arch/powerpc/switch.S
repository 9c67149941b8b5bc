/* The switch between two tasks, both with privilege, and the first steps of a new one. */
#include "entry.inc"

    .section .bss.kernel_data, "aw", @nobits
    .balign 4
    .global rtos_arch_current
rtos_arch_current:                  /* The running task's context. */
    .space 4

    .section .fast_text, "ax", @progbits

/* Frame, upwards: back chain, unused, CR, MSR, r14-r31, unused. arch_context.c builds the first one. */
#define FRAME_CR 8
#define FRAME_R14 16
#define FRAME_SIZE 96

FUNCTION rtos_arch_switch
    mflr  %r0
    stw   %r0, 4(%r1)
    stwu  %r1, -FRAME_SIZE(%r1)
    mfcr  %r12
    stw   %r12, FRAME_CR(%r1)
    stmw  %r14, FRAME_R14(%r1)
    stw   %r1, CONTEXT_KERNEL_SP(%r3)
    lwz   %r1, CONTEXT_KERNEL_SP(%r4)
    lwz   %r0, CONTEXT_KERNEL_TOP(%r4)
    mtsprg SPRG_KERNEL_TOP, %r0
    lis   %r9, rtos_arch_current@ha
    stw   %r4, rtos_arch_current@l(%r9)
    mfmsr %r12                      /* A privileged task may have come here with floating point on. */
    FLOAT_BY_OWNER %r12, %r9, %r10
    mtmsr %r12
    lmw   %r14, FRAME_R14(%r1)
    lwz   %r12, FRAME_CR(%r1)
    addi  %r1, %r1, FRAME_SIZE
    lwz   %r0, 4(%r1)
    mtcrf 0xff, %r12
    mtlr  %r0
    blr
END_FUNCTION rtos_arch_switch

/* A new user task: r14 argument; a system call's frame lies on the stack. */
FUNCTION rtos_arch_begin_user
    mr    %r3, %r14
    b     rtos_arch_return_to_user
END_FUNCTION rtos_arch_begin_user

/* A new privileged task: r14 argument, r15 entry, r16 where it returns to. */
FUNCTION rtos_arch_begin_privileged
    mr    %r3, %r14
    mtctr %r15
    mtlr  %r16
    li    %r9, ARCH_MSR_KERNEL
    ori   %r9, %r9, ARCH_MSR_EXTERNAL
    mtmsr %r9
    bctr
END_FUNCTION rtos_arch_begin_privileged
