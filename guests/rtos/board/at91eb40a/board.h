/* Atmel's evaluation board AT91EB40A: AT91R40008 with 256 KiB of on-chip SRAM, 2 MiB of flash. For C and assembler. */
#ifndef BOARD_H
#define BOARD_H

#ifndef BOARD_MCK_HZ
#define BOARD_MCK_HZ 66000000
#endif

#define BOARD_NAME "at91eb40a"
#define BOARD_SRAM_BASE 0x00000000
#define BOARD_SRAM_SIZE 0x40000
#define BOARD_ROM_BASE 0x01000000
#define BOARD_ROM_SIZE 0x200000
#define BOARD_ROM_CYCLE_NS 106

#include "../at91/wait_states.h"

#define BOARD_CHIP_SELECT_0                                                                         \
    (BOARD_ROM_BASE | EBI_CSR_ENABLE | EBI_CSR_PAGE_16M | EBI_CSR_FLOAT_CYCLES(2) | BOARD_ROM_CSR_WAIT | \
     EBI_CSR_BUS_16_BIT)
#define BOARD_CHIP_SELECT_1 0x10000000 /* Off; its reset value. */

/* Bits a second of the console and of other serial lines until a program sets them. */
#ifndef BOARD_SERIAL_RATE
#define BOARD_SERIAL_RATE 115200
#endif

/* The RAM disk shares the on-chip SRAM with everything else. */
#define BOARD_DISK_BLOCKS 128
#define BOARD_DISK_FILES 24

#endif
