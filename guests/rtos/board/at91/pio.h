/* Parallel I/O controller; only what hands pins to the peripherals and drives them. */
#ifndef BOARD_AT91_PIO_H
#define BOARD_AT91_PIO_H

#include <stdint.h>

struct at91_pio {
    volatile uint32_t per;
    volatile uint32_t pdr;
    volatile uint32_t psr;
    uint32_t reserved0;
    volatile uint32_t oer;
    volatile uint32_t odr;
    volatile uint32_t osr;
    uint32_t reserved1;
    volatile uint32_t ifer;
    volatile uint32_t ifdr;
    volatile uint32_t ifsr;
    uint32_t reserved2;
    volatile uint32_t sodr;
    volatile uint32_t codr;
    volatile uint32_t odsr;
    volatile uint32_t pdsr;
    volatile uint32_t ier;
    volatile uint32_t idr;
    volatile uint32_t imr;
    volatile uint32_t isr;
    volatile uint32_t mder;
    volatile uint32_t mddr;
    volatile uint32_t mdsr;
};
_Static_assert(sizeof(struct at91_pio) == 0x5C, "PIO register map");

#define AT91_PIO ((struct at91_pio *)0xFFFF0000)

#define PIO_TXD0 (1u << 14)
#define PIO_RXD0 (1u << 15)
#define PIO_TXD1 (1u << 21)
#define PIO_RXD1 (1u << 22)

#endif
