/* Calls a function as a test asks: its address and the first four arguments stand in memory. */
    .text
    .globl _start, call, back, wanted
_start:
call:
    lis 1, 8
    addi 1, 1, -64
    lis 12, wanted@ha
    addi 12, 12, wanted@l
    lwz 3, 4(12)
    lwz 4, 8(12)
    lwz 5, 12(12)
    lwz 6, 16(12)
    lwz 0, 0(12)
    mtctr 0
    bctrl
back:
    b call
    .data
    .balign 4
wanted:
    .space 20
