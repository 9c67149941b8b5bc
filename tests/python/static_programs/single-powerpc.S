/* Functions with one path: the bound is what a run takes, to the cycle. */
    .text
    .globl straight, counted, saves, calls_twice, by_count, fields, asks, vector
    .type straight, @function
straight:
    addi 3, 3, 1
    rlwinm 4, 3, 3, 24, 28
    xor 3, 3, 4
    blr
    .size straight, . - straight

/* A loop by the count register, and one within it. */
    .type counted, @function
counted:
    li 5, 7
    mtctr 5
0:  mfctr 6
    li 7, 0
1:  addi 7, 7, 1
    cmpw 1, 7, 6
    blt 1, 1b
    add 3, 3, 7
    bdnz 0b
    blr
    .size counted, . - counted

/* Registers by a multiple store, the link register in the caller's frame. */
    .type saves, @function
saves:
    stwu 1, -48(1)
    mflr 0
    stw 0, 52(1)
    stmw 28, 32(1)
    mr 28, 3
    mr 29, 4
    bl straight
    mr 30, 3
    mr 3, 29
    bl straight
    add 3, 3, 30
    lmw 28, 32(1)
    lwz 0, 52(1)
    mtlr 0
    addi 1, 1, 48
    blr
    .size saves, . - saves

    .type calls_twice, @function
calls_twice:
    mflr 0
    stw 0, 4(1)
    stwu 1, -16(1)
    bl saves
    bl counted
    lwz 11, 0(1)
    lwz 0, 4(11)
    mtlr 0
    mr 1, 11
    blr
    .size calls_twice, . - calls_twice

/* A call through the count register. */
    .type by_count, @function
by_count:
    mflr 12
    lis 9, straight@ha
    addi 9, 9, straight@l
    mtctr 9
    bctrl
    mtlr 12
    blr
    .size by_count, . - by_count

/* Conditions that are copied and combined, and carries. */
    .type fields, @function
fields:
    li 3, 5
    cmplwi 6, 3, 9
    cmpwi 7, 3, 5
    mcrf 2, 6
    crand 10, 8, 30
    beq 2, 0f
    mulli 3, 3, 3
0:  addic 4, 3, -1
    subfe 4, 4, 3
    cmpwi 4, 0
    bne 1f
    divw 3, 3, 4
1:  blr
    .size fields, . - fields

/* A system call, whose handler returns at once. */
    .type asks, @function
asks:
    mflr 12
    sc
    mtlr 12
    blr
    .size asks, . - asks

    .section .vectors, "ax"
    .type vector, @function
vector:
    addi 3, 3, 2
    rfi
    .size vector, . - vector
