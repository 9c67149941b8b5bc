/* System calls by number; see tests/test.h. */
    .syntax unified
    .arm
    .section .text.test_call, "ax", %progbits
    .balign 4
    .global test_call
    .type test_call, %function
test_call:
    push  {r4, lr}
    mov   r12, r1
    ldmia r0, {r0-r3}
    swi   0
    pop   {r4, lr}
    bx    lr
    .size test_call, . - test_call
