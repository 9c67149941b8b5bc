@ Every trap from every mode, in ARM and Thumb. The handler logs what it sees: CPSR, SPSR, r13, r14 and r8, five words a trap.
    .cpu arm7tdmi
    .syntax unified
    .section .text, "ax"
    .globl _start
_start:
    b   reset
    b   handler
    b   handler
    b   .
    b   .
    b   .
    b   .
    b   .

    .set log, 0x8000

@ r4: log, r5: where to go on, r6: vector
handler:
    mrs r0, cpsr
    mrs r1, spsr
    stmia r4!, {r0, r1, r13, r14}
    stmia r4!, {r8}
    msr cpsr_c, #0xd3
    mov pc, r5

    .macro try mode, flags, code
    ldr r0, =\flags | \mode
    ldr r5, =1f
    msr cpsr_c, #0xd3
    msr cpsr_fc, r0
    \code
1:
    .endm

    .macro all_traps mode, flags
    try \mode, \flags, "swi 0x1234"
    try \mode, \flags, ".inst 0xe7f000f0"
    try \mode, \flags, "mcr p1, 0, r0, c0, c0"
    try \mode, \flags, "swine 1"
    try \mode, \flags, "swieq 1"
    ldr r7, =thumb_swi + 1
    try \mode, \flags, "bx r7"
    ldr r7, =thumb_undefined + 1
    try \mode, \flags, "bx r7"
    b 2f
    .ltorg
2:
    .endm

    .macro stack mode, value
    msr cpsr_c, #0xc0 | \mode
    mov r13, #\value
    mov r8, #\value
    .endm

reset:
    ldr r4, =log
    stack 0x11, 0x1100
    stack 0x12, 0x1200
    stack 0x17, 0x1700
    stack 0x1b, 0x1b00
    stack 0x1f, 0x1f00
    stack 0x13, 0x1300
    all_traps 0x10, 0xa0000000
    all_traps 0x11, 0x50000080
    all_traps 0x12, 0x00000040
    all_traps 0x13, 0xf00000c0
    all_traps 0x17, 0x900000c0
    all_traps 0x1b, 0x00000000
    all_traps 0x1f, 0x60000000
    .globl done
done:
    str r4, [r4]
    b   done
    .ltorg

    .thumb
    .balign 4
thumb_swi:
    nop
    swi 0x12
    .balign 4
thumb_undefined:
    .inst.n 0xde00
