/* From reset to rtos_arch_start. The core begins at 0xfff00100, in flash memory. */
#include "../../arch/powerpc/entry.inc"

#define HID0_DOZE 0x0080

    .section .boot, "ax", @progbits
FUNCTION board_reset
    lis   %r3, HID0_DOZE
    mtspr 1008, %r3
    ADDRESS %r4, board_copy_table
    ADDRESS %r5, board_copy_table_end
next_copy:
    cmplw %r4, %r5
    bge   copied
    lwz   %r6, 0(%r4)               /* From, to, end; multiples of 4. */
    lwz   %r7, 4(%r4)
    lwz   %r8, 8(%r4)
    addi  %r4, %r4, 12
copy:
    cmplw %r7, %r8
    bge   next_copy
    lwz   %r9, 0(%r6)
    stw   %r9, 0(%r7)
    dcbst 0, %r7
    icbi  0, %r7
    addi  %r6, %r6, 4
    addi  %r7, %r7, 4
    b     copy
copied:
    sync
    isync
    ADDRESS %r4, board_zero_table
    ADDRESS %r5, board_zero_table_end
    li    %r9, 0
next_zero:
    cmplw %r4, %r5
    bge   rtos_arch_start
    lwz   %r7, 0(%r4)
    lwz   %r8, 4(%r4)
    addi  %r4, %r4, 8
zero:
    cmplw %r7, %r8
    bge   next_zero
    stw   %r9, 0(%r7)
    addi  %r7, %r7, 4
    b     zero
END_FUNCTION board_reset
