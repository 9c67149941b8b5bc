/* Whether registers that an interrupt must bring back are as they were after `r3` rounds of a loop; for processor_test.c. */
    .macro DIFFERS register, value
    xoris \register, \register, \value@h
    xori  \register, \register, \value@l
    or    %r3, %r3, \register
    .endm

#define CR_PATTERN 0x93c5a6e1
/* OV alone, and a count of bytes: what counts the depth of interrupts leaves CA. */
#define XER_PATTERN 0x40000035
#define PATTERN(number) (0x5a000000 + 0x010203 * number)

    .section .text.test_hold_registers, "ax", @progbits
    .balign 4
    .global test_hold_registers
    .type test_hold_registers, @function
test_hold_registers:
    mflr  %r0
    stwu  %r1, -16(%r1)
    stw   %r0, 20(%r1)
    mfcr  %r0
    stw   %r0, 8(%r1)
    mtctr %r3
    lis   %r3, CR_PATTERN@h
    ori   %r3, %r3, CR_PATTERN@l
    mtcrf 0xff, %r3
    lis   %r3, XER_PATTERN@h
    ori   %r3, %r3, XER_PATTERN@l
    mtxer %r3
    .irp  number, 0, 4, 5, 6, 7, 8, 9, 10, 11, 12
    lis   \number, PATTERN(\number)@h
    ori   \number, \number, PATTERN(\number)@l
    .endr
    mtlr  %r12
    mr    %r3, %r4
1:  bdnz  1b
    xor   %r3, %r3, %r4
    .irp  number, 0, 4, 5, 6, 7, 8, 9, 10, 11, 12
    DIFFERS \number, PATTERN(\number)
    .endr
    mfcr  %r4
    DIFFERS %r4, CR_PATTERN
    mfxer %r4
    DIFFERS %r4, XER_PATTERN
    mflr  %r4
    DIFFERS %r4, PATTERN(12)
    lwz   %r0, 8(%r1)
    lwz   %r4, 20(%r1)
    mtcrf 0xff, %r0
    mtlr  %r4
    addi  %r1, %r1, 16
    cntlzw %r3, %r3                 /* 32 if nothing differs, else less. */
    srwi  %r3, %r3, 5
    blr
    .size test_hold_registers, . - test_hold_registers
