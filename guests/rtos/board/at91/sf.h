/* Special function registers: chip identity, cause of reset, protection. */
#ifndef BOARD_AT91_SF_H
#define BOARD_AT91_SF_H

#include <stdint.h>

struct at91_sf {
    volatile uint32_t cidr;
    volatile uint32_t exid;
    volatile uint32_t rsr;
    volatile uint32_t mmr;
    uint32_t reserved[2];
    volatile uint32_t pmr;
};

#define AT91_SF ((struct at91_sf *)0xFFF00000)

#define SF_RSR_WATCHDOG 0x35
#define SF_RSR_EXTERNAL 0x6C
#define SF_PMR_KEY (0x27A8u << 16)
#define SF_PMR_AIC (1u << 5)

#endif
