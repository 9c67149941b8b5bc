/* Advanced interrupt controller. */
#ifndef BOARD_AT91_AIC_H
#define BOARD_AT91_AIC_H

#include <board.h>

#ifndef AT91_AIC_BASE
#define AT91_AIC_BASE 0xFFFFF000
#endif

#define AIC_SMR 0x000
#define AIC_SVR 0x080
#define AIC_IVR 0x100
#define AIC_FVR 0x104
#define AIC_ISR 0x108
#define AIC_IPR 0x10C
#define AIC_IMR 0x110
#define AIC_CISR 0x114
#define AIC_IECR 0x120
#define AIC_IDCR 0x124
#define AIC_ICCR 0x128
#define AIC_ISCR 0x12C
#define AIC_EOICR 0x130
#define AIC_SPU 0x134

#define AIC_SMR_PRIOR_MASK 0x7
#define AIC_SMR_LEVEL (0 << 5)
#define AIC_SMR_EDGE (1 << 5)
#define AIC_SMR_HIGH_LEVEL (2 << 5)
#define AIC_SMR_RISING_EDGE (3 << 5)
#define AIC_PRIORITIES 8

#define AIC_SOURCE_FIQ 0
#define AIC_SOURCE_SWIRQ 1
#define AIC_SOURCE_US0 2
#define AIC_SOURCE_US1 3
#define AIC_SOURCE_TC0 4
#define AIC_SOURCE_TC1 5
#define AIC_SOURCE_TC2 6
#define AIC_SOURCE_WD 7
#define AIC_SOURCE_PIO 8
#define AIC_SOURCE_IRQ0 16
#define AIC_SOURCE_IRQ1 17
#define AIC_SOURCE_IRQ2 18
#define AIC_SOURCES 32

#ifndef __ASSEMBLER__
#include <stdint.h>

struct at91_aic {
    volatile uint32_t smr[32];
    volatile uint32_t svr[32];
    volatile uint32_t ivr;
    volatile uint32_t fvr;
    volatile uint32_t isr;
    volatile uint32_t ipr;
    volatile uint32_t imr;
    volatile uint32_t cisr;
    uint32_t reserved[2];
    volatile uint32_t iecr;
    volatile uint32_t idcr;
    volatile uint32_t iccr;
    volatile uint32_t iscr;
    volatile uint32_t eoicr;
    volatile uint32_t spu;
};
_Static_assert(sizeof(struct at91_aic) == 0x138, "AIC register map");

#define AT91_AIC ((struct at91_aic *)AT91_AIC_BASE)
#endif

#endif
