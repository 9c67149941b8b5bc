@ Vectors and stacks of a core with one interrupt.
    .text
    .arm
    .global _start
_start:
    b reset
    b .
    b .
    b .
    b .
    b .
    b interrupt
    b .
reset:
    msr cpsr_c, #0xd2
    ldr sp, =0x00200000
    msr cpsr_c, #0x53
    ldr sp, =0x00300000
    bl application
    b .
interrupt:
    push {r0-r3, r12, lr}
    bl on_interrupt
    pop {r0-r3, r12, lr}
    subs pc, lr, #4
