/* No operating system: a stack, main, and two functions that mask interrupts. */
    .text
    .arm
    .global _start
_start:
    ldr   sp, =stack_top
    msr   cpsr_c, #0x13             /* Supervisor mode, interrupts on. */
    bl    main
stay:
    b     stay

/* Masks interrupts; gives the status register as it was. */
    .global interrupts_off
    .type interrupts_off, %function
interrupts_off:
    mrs   r0, cpsr
    orr   r1, r0, #0x80
    msr   cpsr_c, r1
    bx    lr
    .size interrupts_off, . - interrupts_off

/* Puts the status register back. */
    .global interrupts_restore
    .type interrupts_restore, %function
interrupts_restore:
    msr   cpsr_c, r0
    bx    lr
    .size interrupts_restore, . - interrupts_restore

    .section .stack, "aw", %nobits
    .align 3
    .space 1024
stack_top:
