/* Watchdog timer: off after reset, every register keyed. */
#ifndef BOARD_AT91_WD_H
#define BOARD_AT91_WD_H

#include <stdint.h>

struct at91_wd {
    volatile uint32_t omr;
    volatile uint32_t cmr;
    volatile uint32_t cr;
    volatile uint32_t sr;
};

#define AT91_WD ((struct at91_wd *)0xFFFF8000)

#define WD_OMR_WDEN 0x1
#define WD_OMR_RSTEN 0x2
#define WD_OMR_IRQEN 0x4
#define WD_OMR_EXTEN 0x8
#define WD_OMR_KEY (0x234u << 4)
#define WD_CMR_KEY (0x06Eu << 7)
#define WD_CR_RESTART 0xC071

#endif
