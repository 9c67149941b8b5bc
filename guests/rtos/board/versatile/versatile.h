/* Registers of the blocks in use: PL011 (serial), PL190 (interrupts), SP804 (timers). */
#ifndef VERSATILE_H
#define VERSATILE_H

#include <stdint.h>

/* PL011 technical reference manual, 3.2. */
struct versatile_uart {
    volatile uint32_t dr;
    volatile uint32_t rsr;
    const volatile uint32_t reserved[4];
    const volatile uint32_t fr;
};
#define UART_FR_TXFF 0x20u
#define VERSATILE_UART0 ((struct versatile_uart *)0x101f1000)

/* PL190 technical reference manual, 3.2. */
struct versatile_vic {
    const volatile uint32_t irq_status;
    const volatile uint32_t fiq_status;
    const volatile uint32_t raw_interrupt;
    volatile uint32_t select;
    volatile uint32_t enable;
    volatile uint32_t enable_clear;
    volatile uint32_t soft;
    volatile uint32_t soft_clear;
    volatile uint32_t protection;
    const volatile uint32_t reserved0[3];
    volatile uint32_t vector;
    volatile uint32_t vector_default;
    const volatile uint32_t reserved1[50];
    volatile uint32_t vectors[16];
    const volatile uint32_t reserved2[48];
    volatile uint32_t controls[16];
};
#define VIC_CONTROL_ENABLE 0x20u
#define VIC_SLOTS 16u
#define VERSATILE_VIC ((struct versatile_vic *)0x10140000)
#define VERSATILE_LINE_TIMER 4u

/* SP804 technical reference manual, 3.2. The board's counts microseconds. */
struct versatile_timer {
    volatile uint32_t load;
    const volatile uint32_t value;
    volatile uint32_t control;
    volatile uint32_t interrupt_clear;
    const volatile uint32_t raw_interrupt;
    const volatile uint32_t interrupt;
    volatile uint32_t background_load;
};
#define TIMER_ENABLE 0x80u
#define TIMER_INTERRUPT 0x20u
#define TIMER_32_BITS 0x02u
#define TIMER_ONE_SHOT 0x01u
#define TIMER_HZ 1000000u
#define VERSATILE_TIMER(index) ((struct versatile_timer *)(0x101e2000 + 0x20 * (index)))

#endif
