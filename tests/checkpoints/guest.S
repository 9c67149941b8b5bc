/* A timer interrupts; two serial ports' DMA sends and receives; a device at 0x40000000 is asked now and then. */
    .file "guest.S"
    .arm
    .global _start
_start:
    b boot
    .rept 5
    b .
    .endr
    ldr pc, [pc, #-0xf20]           /* AIC_IVR */
    b .

boot:
    msr cpsr_c, #0xd2               /* IRQ mode, for its stack. */
    ldr sp, =0x1000
    msr cpsr_c, #0xd3
    ldr sp, =0x0f00
    bl main

    .type interrupt, %function
interrupt:
    stmfd sp!, {r0, r1}
    ldr r0, =0xfffe0000             /* TC0 */
    ldr r1, [r0, #0x20]
    ldr r0, =0x800
    ldr r1, [r0]
    add r1, r1, #1
    str r1, [r0]
    ldr r0, =0xfffff000
    str r0, [r0, #0x130]            /* AIC_EOICR */
    ldmfd sp!, {r0, r1}
    subs pc, lr, #4
    .size interrupt, . - interrupt

    .type main, %function
main:
    ldr r0, =0xfffff000             /* AIC */
    adr r1, interrupt
    str r1, [r0, #0x90]             /* AIC_SVR4: TC0 */
    mov r1, #0x25
    str r1, [r0, #0x10]
    mov r1, #0x10
    str r1, [r0, #0x120]
    ldr r0, =0xfffe0000             /* TC0: at 0x4d3, and again. */
    mov r1, #0x4000
    str r1, [r0, #0x04]
    ldr r1, =0x4d3
    str r1, [r0, #0x1c]
    mov r1, #0x10
    str r1, [r0, #0x24]
    mov r1, #5
    str r1, [r0]
    ldr r4, =0xfffcc000             /* USART1: another machine. */
    ldr r5, =0xfffd0000             /* USART0: the console. */
    mov r0, r4
    bl open
    mov r0, r5
    bl open
    msr cpsr_c, #0x53
    ldr r6, =0x40000000             /* The device. */
    mov r7, #0
round:
    mov r1, #0x840                  /* 16 bytes to the other machine, 16 from it. */
    str r1, [r4, #0x38]
    mov r1, #0x880
    str r1, [r4, #0x30]
    mov r1, #16
    str r1, [r4, #0x34]
    str r1, [r4, #0x3c]
wait:
    ldr r0, [r4, #0x14]
    and r0, r0, #0x18               /* ENDRX, ENDTX */
    bl ask
    cmp r0, #0x18
    bne wait
    ldr r1, =0x840
    ldr r2, [r1, #0x40]
    add r2, r2, r7
    str r2, [r1]
    and r2, r2, #0x0f
    add r2, r2, #0x41
    str r2, [r5, #0x1c]             /* US_THR */
    b round
    .size main, . - main

    .type open, %function
open:
    mov r1, #0xac
    str r1, [r0]
    ldr r1, =0x8c0
    str r1, [r0, #4]
    mov r1, #26                     /* About 96000 baud. */
    str r1, [r0, #0x20]
    mov r1, #0x50
    str r1, [r0]
    bx lr
    .size open, . - open

    .type ask, %function
ask:
    ldr r1, [r6]
    add r7, r7, r1
    str r7, [r6]
    bx lr
    .size ask, . - ask
    .ltorg
