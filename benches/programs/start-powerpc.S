# Reset vector, stack and a call of main; then the program ends. With PAGED, blocks of addresses are translated to themselves first.
# QEMU's 40p shows the result's low byte on its serial port; Socscope stops at `finished`.
        .section .reset, "ax"
        .globl  _start
_start: lis     1, begin@ha
        addi    1, 1, begin@l
        mtctr   1
        bctr

        .section .start, "ax"
begin:
#ifdef PAGED
        # Blocks of 256 MB at 0 and at 80000000, for the supervisor: kept as they are.
        li      3, 0x1ffe
        li      4, 0x0012
        mtspr   528, 3
        mtspr   529, 4
        mtspr   536, 3
        mtspr   537, 4
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
