/* Power saving: stops the core's clock and the clocks of peripherals. */
#ifndef BOARD_AT91_PS_H
#define BOARD_AT91_PS_H

#include <stdint.h>

struct at91_ps {
    volatile uint32_t cr;
    volatile uint32_t pcer;
    volatile uint32_t pcdr;
    volatile uint32_t pcsr;
};

#define AT91_PS ((struct at91_ps *)0xFFFF4000)

#define PS_CR_CPU 0x1
#define PS_US0 (1u << 2)
#define PS_US1 (1u << 3)
#define PS_TC0 (1u << 4)
#define PS_TC1 (1u << 5)
#define PS_TC2 (1u << 6)
#define PS_PIO (1u << 8)

#endif
