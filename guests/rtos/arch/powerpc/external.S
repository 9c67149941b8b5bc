/* Interrupts: the interrupted registers go to the kernel stack, so that a task can be switched away from and more urgent
   interrupts nest; handlers run on the interrupt stack. */
#include "entry.inc"

    .section .fast_text, "ax", @progbits

/* Frame, upwards: back chain, the callee's return address, r0, r3-r12, CR, XER, CTR, then what all frames end with. */
#define FRAME_R0 8
#define FRAME_R3 12
#define FRAME_CR 52
#define FRAME_XER 56
#define FRAME_CTR 60
#define FRAME_SIZE 80
#define FRAME_LR (FRAME_SIZE + END_LR)
#define FRAME_SP (FRAME_SIZE + END_SP)
#define FRAME_MSR (FRAME_SIZE + END_MSR)
#define FRAME_PC (FRAME_SIZE + END_PC)

FUNCTION rtos_arch_irq
    mtsprg SPRG_A, %r3
    mtsprg SPRG_B, %r1
    mfcr  %r3
    mtsprg SPRG_C, %r3
    mfsrr1 %r3
    andi. %r3, %r3, ARCH_MSR_PROBLEM
    beq   1f
    mfsprg %r1, SPRG_KERNEL_TOP
1:  mfsprg %r3, SPRG_B
    stwu  %r3, -FRAME_SIZE(%r1)
    stw   %r3, FRAME_SP(%r1)
    stw   %r0, FRAME_R0(%r1)
    mfsprg %r3, SPRG_A
    stw   %r3, FRAME_R3(%r1)
    stw   %r4, FRAME_R3 + 4(%r1)
    stw   %r5, FRAME_R3 + 8(%r1)
    stw   %r6, FRAME_R3 + 12(%r1)
    stw   %r7, FRAME_R3 + 16(%r1)
    stw   %r8, FRAME_R3 + 20(%r1)
    stw   %r9, FRAME_R3 + 24(%r1)
    stw   %r10, FRAME_R3 + 28(%r1)
    stw   %r11, FRAME_R3 + 32(%r1)
    stw   %r12, FRAME_R3 + 36(%r1)
    mfsprg %r3, SPRG_C
    mfxer %r4
    mfctr %r5
    mflr  %r6
    mfsrr1 %r7
    mfsrr0 %r8
    stw   %r3, FRAME_CR(%r1)
    stw   %r4, FRAME_XER(%r1)
    stw   %r5, FRAME_CTR(%r1)
    stw   %r6, FRAME_LR(%r1)
    stw   %r7, FRAME_MSR(%r1)
    stw   %r8, FRAME_PC(%r1)
    li    %r3, ARCH_MSR_KERNEL
    mtmsr %r3

    /* The back chain leads to the frame from whatever stack the handler has. */
    lis   %r9, rtos_interrupt_nesting@ha
    lwz   %r10, rtos_interrupt_nesting@l(%r9)
    addi  %r11, %r10, 1
    stw   %r11, rtos_interrupt_nesting@l(%r9)
    mr    %r12, %r1
    cmplwi %r10, 0
    bne   2f
    ADDRESS %r1, rtos_arch_interrupt_stack_top
2:  stwu  %r12, -16(%r1)
    bl    rtos_interrupt_dispatch
    lwz   %r1, 0(%r1)

    lis   %r9, rtos_interrupt_nesting@ha
    lwz   %r10, rtos_interrupt_nesting@l(%r9)
    addic. %r10, %r10, -1
    stw   %r10, rtos_interrupt_nesting@l(%r9)
    lwz   %r7, FRAME_MSR(%r1)
    bne   3f
    bl    scheduler_reschedule
    lwz   %r7, FRAME_MSR(%r1)
    FLOAT_BY_OWNER %r7, %r9, %r10
3:  lwz   %r8, FRAME_PC(%r1)
    mtsrr1 %r7
    mtsrr0 %r8
    /* A reservation of who was interrupted ends here: others may have had the word. */
    addi  %r3, %r1, 4
    stwcx. %r0, 0, %r3
    lwz   %r3, FRAME_CR(%r1)
    lwz   %r4, FRAME_XER(%r1)
    lwz   %r5, FRAME_CTR(%r1)
    lwz   %r6, FRAME_LR(%r1)
    mtcrf 0xff, %r3
    mtxer %r4
    mtctr %r5
    mtlr  %r6
    lwz   %r0, FRAME_R0(%r1)
    lwz   %r3, FRAME_R3(%r1)
    lwz   %r4, FRAME_R3 + 4(%r1)
    lwz   %r5, FRAME_R3 + 8(%r1)
    lwz   %r6, FRAME_R3 + 12(%r1)
    lwz   %r7, FRAME_R3 + 16(%r1)
    lwz   %r8, FRAME_R3 + 20(%r1)
    lwz   %r9, FRAME_R3 + 24(%r1)
    lwz   %r10, FRAME_R3 + 28(%r1)
    lwz   %r11, FRAME_R3 + 32(%r1)
    lwz   %r12, FRAME_R3 + 36(%r1)
    lwz   %r1, FRAME_SP(%r1)
    rfi
END_FUNCTION rtos_arch_irq
