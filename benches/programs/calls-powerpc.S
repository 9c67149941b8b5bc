# Exceptions of the program `calls`, as a system takes them: all registers of the task go into its control block while addresses are not
# translated, and the handler runs with translation on. SPRG0 holds the address of the task's block, SPRG2 the top of its handler's stack.
#define BLOCK_PC 128
#define BLOCK_MSR 132
#define BLOCK_CR 136
#define BLOCK_LR 140
#define BLOCK_CTR 144
#define BLOCK_XER 148

        .macro  entry number
        mtsprg  1, 1
        mfsprg  1, 0
        stw     0, 0(1)
        li      0, \number
        b       enter
        .endm

        .section .vector300, "ax"
        entry   0x300
        .section .vectorc00, "ax"
        entry   0xc00

        .text
enter:  stmw    2, 8(1)
        mfsprg  2, 1
        stw     2, 4(1)
        mfsrr0  2
        mfsrr1  3
        mfcr    4
        mflr    5
        mfctr   6
        mfxer   7
        stw     2, BLOCK_PC(1)
        stw     3, BLOCK_MSR(1)
        stw     4, BLOCK_CR(1)
        stw     5, BLOCK_LR(1)
        stw     6, BLOCK_CTR(1)
        stw     7, BLOCK_XER(1)
        mr      3, 0
        mr      4, 1
        mfdar   5
        mfsprg  1, 2
        lis     6, handled@ha
        addi    6, 6, handled@l
        li      7, 0x1030
        mtsrr0  6
        mtsrr1  7
        rfi
handled:
        bl      handle
# The task whose block is in r3 goes on; it is the present one from now on.
        .globl  go_on
go_on:  li      4, 0x1000
        mtmsr   4
        isync
        mtsprg  0, 3
        mr      1, 3
        lwz     2, BLOCK_PC(1)
        lwz     3, BLOCK_MSR(1)
        lwz     4, BLOCK_CR(1)
        lwz     5, BLOCK_LR(1)
        lwz     6, BLOCK_CTR(1)
        lwz     7, BLOCK_XER(1)
        mtsrr0  2
        mtsrr1  3
        mtcr    4
        mtlr    5
        mtctr   6
        mtxer   7
        lwz     0, 0(1)
        lmw     2, 8(1)
        lwz     1, 4(1)
        rfi
        .section .note.GNU-stack, "", @progbits
