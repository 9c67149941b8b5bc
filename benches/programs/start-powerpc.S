# Reset vector, stack and a call of main; then the program ends. Addresses are translated to themselves first: with BLOCKS by block
# registers, with PAGES by a page table behind the stack, whose entries have their referenced and changed bits set already.
# QEMU's 40p shows the result's low byte on its serial port; Socscope stops at `finished`.
        .section .reset, "ax"
        .globl  _start
_start: lis     1, begin@ha
        addi    1, 1, begin@l
        mtctr   1
        bctr

        .section .start, "ax"
begin:
#if defined(BLOCKS) || defined(PAGES)
#ifdef PAGES
        # One group of the table for each page of the first MB: the number of a page is its hash, since the segment's is 0.
        lis     3, 0x8
        mtspr   25, 3
        lis     5, 0x8000
        li      4, 0x192
        li      6, 256
        mtctr   6
1:      stw     5, 0(3)
        stw     4, 4(3)
        addi    3, 3, 64
        addi    4, 4, 0x1000
        bdnz    1b
        li      8, 0
        mtsr    0, 8
        li      3, 0
        li      4, 0
#else
        # A block of 256 MB at 0, for the supervisor.
        li      3, 0x1ffe
        li      4, 0x0012
#endif
        mtspr   528, 3
        mtspr   529, 4
        mtspr   536, 3
        mtspr   537, 4
        # One at 80000000, where QEMU's serial port is.
        lis     5, 0x8000
        ori     6, 5, 0x1ffe
        ori     7, 5, 0x002a
        mtspr   538, 6
        mtspr   539, 7
        li      8, 0
        mtspr   530, 8
        mtspr   532, 8
        mtspr   534, 8
        mtspr   540, 8
        mtspr   542, 8
        isync
        lis     9, translated@ha
        addi    9, 9, translated@l
        li      10, 0x1030
        mtsrr0  9
        mtsrr1  10
        rfi
translated:
#endif
        lis     1, stack_top@ha
        addi    1, 1, stack_top@l
        li      0, 0
        stwu    0, -16(1)
        bl      main
        .globl  finished
finished:
        lis     4, 0x8000
        stb     3, 0x3f8(4)
        b       .
        .section .note.GNU-stack, "", @progbits
