/* From reset to rtos_arch_start. The core starts at address 0, where the ROM of chip select 0 shows until the remap
   command (data sheet 1354, "Boot on NCS0"): until then only addresses relative to pc may be used. */
#include "ebi.h"
#include <board.h>

#define SRAM_BEFORE_REMAP 0x00300000
#define MODE_SUPERVISOR_MASKED 0xD3

    .section .boot, "ax", %progbits
    .arm
    .global board_reset
    .type board_reset, %function
board_reset:
    b start
    /* Exceptions before the vectors are in place. */
    .rept 7
    b .
    .endr

start:
    msr cpsr_c, #MODE_SUPERVISOR_MASKED
    ldr r10, =AT91_EBI_BASE
    adr r0, chip_selects
    ldmia r0, {r1-r8}
    stmia r10, {r1-r8}
    mov r0, #EBI_MCR_ADDRESS_16M
    str r0, [r10, #EBI_MCR]

    /* The remap puts on-chip SRAM where this code runs. A copy of the two instructions around it waits there at the same
       address, so that the core finds them whether it has fetched them before the switch or not. */
    adr r0, remap
    ldmia r0, {r1, r2}
    add r3, r0, #SRAM_BEFORE_REMAP
    stmia r3, {r1, r2}
    ldr r11, =remapped
    mov r9, #EBI_RCR_RCB
remap:
    str r9, [r10, #EBI_RCR]
    mov pc, r11

remapped:
    ldr r4, =board_copy_table
    ldr r5, =board_copy_table_end
next_copy:
    cmp r4, r5
    bhs copied
    ldmia r4!, {r0, r1, r2} /* From, to, end; multiples of 4. */
copy:
    cmp r1, r2
    ldrlo r3, [r0], #4
    strlo r3, [r1], #4
    blo copy
    b next_copy
copied:
    ldr r4, =board_zero_table
    ldr r5, =board_zero_table_end
    mov r3, #0
next_zero:
    cmp r4, r5
    bhs zeroed
    ldmia r4!, {r0, r1}
zero:
    cmp r0, r1
    strlo r3, [r0], #4
    blo zero
    b next_zero
zeroed:
    ldr r0, =rtos_arch_start
    bx r0

    .balign 4
chip_selects:
    .word BOARD_CHIP_SELECT_0
    .word BOARD_CHIP_SELECT_1
    .word 0x20000000, 0x30000000, 0x40000000, 0x50000000, 0x60000000, 0x70000000 /* Off; their reset values. */
    .ltorg
    .size board_reset, . - board_reset
