/* USART with its two peripheral data controller channels. */
#ifndef BOARD_AT91_USART_H
#define BOARD_AT91_USART_H

#include <stdint.h>

struct at91_usart {
    volatile uint32_t cr;
    volatile uint32_t mr;
    volatile uint32_t ier;
    volatile uint32_t idr;
    volatile uint32_t imr;
    volatile uint32_t csr;
    volatile uint32_t rhr;
    volatile uint32_t thr;
    volatile uint32_t brgr;
    volatile uint32_t rtor;
    volatile uint32_t ttgr;
    uint32_t reserved;
    volatile uint32_t rpr;
    volatile uint32_t rcr;
    volatile uint32_t tpr;
    volatile uint32_t tcr;
};
_Static_assert(sizeof(struct at91_usart) == 0x40, "USART register map");

#define AT91_USART0 ((struct at91_usart *)0xFFFD0000)
#define AT91_USART1 ((struct at91_usart *)0xFFFCC000)

#define US_CR_RSTRX (1u << 2)
#define US_CR_RSTTX (1u << 3)
#define US_CR_RXEN (1u << 4)
#define US_CR_RXDIS (1u << 5)
#define US_CR_TXEN (1u << 6)
#define US_CR_TXDIS (1u << 7)
#define US_CR_RSTSTA (1u << 8)
#define US_CR_STTBRK (1u << 9)
#define US_CR_STPBRK (1u << 10)
#define US_CR_STTTO (1u << 11)

#define US_MR_CLOCK_MCK (0u << 4)
#define US_MR_BITS(n) (((n)-5u) << 6)
#define US_MR_PARITY_EVEN (0u << 9)
#define US_MR_PARITY_ODD (1u << 9)
#define US_MR_PARITY_SPACE (2u << 9)
#define US_MR_PARITY_MARK (3u << 9)
#define US_MR_PARITY_NONE (4u << 9)
#define US_MR_STOP_1 (0u << 12)
#define US_MR_STOP_2 (2u << 12)

/* Bits of CSR, IER, IDR and IMR. */
#define US_RXRDY (1u << 0)
#define US_TXRDY (1u << 1)
#define US_RXBRK (1u << 2)
#define US_ENDRX (1u << 3)
#define US_ENDTX (1u << 4)
#define US_OVRE (1u << 5)
#define US_FRAME (1u << 6)
#define US_PARE (1u << 7)
#define US_TIMEOUT (1u << 8)
#define US_TXEMPTY (1u << 9)

#endif
