/* The mark of the ready state: Thumb's form of a mark ends at 7. */
#ifdef __powerpc__
    .section .text.characterize_ready, "ax", @progbits
    .balign 4
    .global characterize_ready
    .type characterize_ready, @function
characterize_ready:
    .long 0x5000003e + 0x00210000 * 10
    blr
#else
    .syntax unified
    .arm
    .section .text.characterize_ready, "ax", %progbits
    .balign 4
    .global characterize_ready
    .type characterize_ready, %function
characterize_ready:
    .inst 0xe1800000 + 0x11001 * 10
    bx    lr
#endif
    .size characterize_ready, . - characterize_ready
