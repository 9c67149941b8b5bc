/* From the entry of the image to rtos_arch_start: everything is in RAM already, but the copies are made all the same. */
    .section .boot, "ax", %progbits
    .arm
    .global board_reset
    .type board_reset, %function
board_reset:
    msr cpsr_c, #0xD3                       /* Supervisor mode, interrupts disabled. */
    ldr r4, =board_copy_table
    ldr r5, =board_copy_table_end
next_copy:
    cmp r4, r5
    bhs copied
    ldmia r4!, {r0, r1, r2}                 /* From, to, end; multiples of 4. */
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
    .ltorg
    .size board_reset, . - board_reset

    /* The end of the emulation: semihosting, SYS_EXIT. Its exit status tells success from failure. */
    .section .text.board_exit, "ax", %progbits
    .global board_exit
    .type board_exit, %function
board_exit:
    cmp r0, #0
    ldreq r1, =0x20026                      /* ADP_Stopped_ApplicationExit */
    ldrne r1, =0x20023                      /* ADP_Stopped_RunTimeErrorUnknown */
    mov r0, #0x18
    svc #0x123456
    b .
    .ltorg
    .size board_exit, . - board_exit
