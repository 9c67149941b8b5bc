/* Calls a function as a test asks: r0 to r3 are its arguments, r12 its address, with bit 0 for Thumb. */
    .syntax unified
    .arm
    .text
    .global _start, call, back
_start:
    ldr sp, =0x02010000
call:
    mov lr, pc
    bx r12
back:
    b back
    .ltorg
