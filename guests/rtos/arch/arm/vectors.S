/* The exception vectors; the board puts this section at address 0 (ARM7TDMI data sheet, 3.9). */
    .syntax unified
    .section .vectors, "ax", %progbits
    .arm
    .balign 4
    .global rtos_arch_vectors
rtos_arch_vectors:
    .word 0xe7f000f0                /* A jump to 0 is an undefined instruction; a reset goes to the ROM. */
    ldr   pc, vector_undefined
    ldr   pc, vector_swi
    ldr   pc, vector_prefetch_abort
    ldr   pc, vector_data_abort
    .word 0xe7f000f0                /* Reserved. */
    ldr   pc, vector_irq
    ldr   pc, vector_fiq
vector_undefined:
    .word rtos_arch_undefined
vector_swi:
    .word rtos_arch_swi
vector_prefetch_abort:
    .word rtos_arch_prefetch_abort
vector_data_abort:
    .word rtos_arch_data_abort
vector_irq:
    .word rtos_arch_irq
vector_fiq:
    .word rtos_arch_fiq
