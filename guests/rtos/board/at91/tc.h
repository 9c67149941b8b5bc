/* Timer counter block: three 16-bit channels. */
#ifndef BOARD_AT91_TC_H
#define BOARD_AT91_TC_H

#include <board.h>
#include <stdint.h>

struct at91_tc {
    volatile uint32_t ccr;
    volatile uint32_t cmr;
    uint32_t reserved[2];
    volatile uint32_t cv;
    volatile uint32_t ra;
    volatile uint32_t rb;
    volatile uint32_t rc;
    volatile uint32_t sr;
    volatile uint32_t ier;
    volatile uint32_t idr;
    volatile uint32_t imr;
};
_Static_assert(sizeof(struct at91_tc) == 0x30, "TC register map");

#ifndef AT91_TC_BASE
#define AT91_TC_BASE 0xFFFE0000
#endif
#define AT91_TC(n) ((struct at91_tc *)(AT91_TC_BASE + 0x40 * (n)))

#define TC_CCR_CLKEN 0x1
#define TC_CCR_CLKDIS 0x2
#define TC_CCR_SWTRG 0x4

#define TC_CMR_MCK_2 0
#define TC_CMR_MCK_8 1
#define TC_CMR_MCK_32 2
#define TC_CMR_MCK_128 3
#define TC_CMR_MCK_1024 4
#define TC_CMR_CPCTRG (1u << 14)
#define TC_CMR_WAVE (1u << 15)

#define TC_SR_COVFS (1u << 0)
#define TC_SR_CPAS (1u << 2)
#define TC_SR_CPBS (1u << 3)
#define TC_SR_CPCS (1u << 4)

#endif
