/* Functions with one path: the bound is what a run takes, to the cycle. */
    .syntax unified
    .arm
    .text
    .global straight, stores, multiplies, twice, table, nested, thumb_sum, returns_by_load
    .type straight, %function
straight:
    add r0, r0, #1
    ldr r1, =table_data
    ldr r2, [r1]
    add r0, r0, r2
    bx lr
    .type stores, %function
stores:
    stmfd sp!, {r4, r5, lr}
    ldr r4, =buffer
    str r0, [r4]
    strb r1, [r4, #4]
    ldrh r5, [r4, #2]
    swp r0, r5, [r4]
    cmp r0, r0
    moveq r0, #1
    ldrne r0, [r4]
    ldmfd sp!, {r4, r5, lr}
    bx lr
    .type multiplies, %function
multiplies:
    mov r1, #0x1000
    mul r0, r2, r1
    mov r1, #3
    umull r2, r3, r0, r1
    mlas r0, r2, r1, r3
    mov r0, r0, lsl r1
    bx lr
    .type twice, %function
twice:
    mov r12, lr
    bl straight
    bl straight
    bx r12
    .type nested, %function
nested:
    mov r0, #0
    mov r1, #5
1:  mov r2, r1
2:  add r0, r0, r2
    subs r2, r2, #1
    bne 2b
    subs r1, r1, #1
    bne 1b
    bx lr
    .type returns_by_load, %function
returns_by_load:
    str lr, [sp, #-4]!
    bl nested
    ldr pc, [sp], #4
    .ltorg
    .thumb
    .type thumb_sum, %function
thumb_sum:
    push {r4, lr}
    movs r4, #7
    movs r0, #0
1:  adds r0, r0, r4
    subs r4, #1
    bpl 1b
    ldr r3, =nested
    bl via_r3
    pop {r4}
    pop {r1}
    bx r1
via_r3:
    bx r3
    .ltorg
    .data
buffer: .space 16
    .section .rodata
table_data: .word 5
