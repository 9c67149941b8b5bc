/* External bus interface: eight chip selects and the remap command. */
#ifndef BOARD_AT91_EBI_H
#define BOARD_AT91_EBI_H

#define AT91_EBI_BASE 0xFFE00000

#define EBI_CSR(n) (4 * (n))
#define EBI_RCR 0x20
#define EBI_MCR 0x24

#define EBI_CSR_BUS_16_BIT 0x1
#define EBI_CSR_BUS_8_BIT 0x2
#define EBI_CSR_WAIT_ENABLE (1 << 5)
/* 1 to 8 wait states; without this there are none. */
#define EBI_CSR_WAIT_STATES(n) (EBI_CSR_WAIT_ENABLE | (((n)-1) << 2))
#define EBI_CSR_PAGE_1M (0 << 7)
#define EBI_CSR_PAGE_4M (1 << 7)
#define EBI_CSR_PAGE_16M (2 << 7)
#define EBI_CSR_PAGE_64M (3 << 7)
#define EBI_CSR_FLOAT_CYCLES(n) ((n) << 9)
#define EBI_CSR_BYTE_SELECT (1 << 12)
#define EBI_CSR_ENABLE (1 << 13)
#define EBI_CSR_BASE_MASK 0xFFF00000

#define EBI_RCR_RCB 0x1

#define EBI_MCR_ADDRESS_16M 0x0
#define EBI_MCR_DRP_EARLY (1 << 4)

#endif
