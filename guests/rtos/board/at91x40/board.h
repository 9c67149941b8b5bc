/* The board of the serial study: AT91M40800, ROM and RAM of 4 MiB each on 16-bit buses. For C and assembler. */
#ifndef BOARD_H
#define BOARD_H

#ifndef BOARD_MCK_HZ
#define BOARD_MCK_HZ 40000000
#endif

#define BOARD_NAME "at91x40"
#define BOARD_SRAM_BASE 0x00000000
#define BOARD_SRAM_SIZE 0x2000
#define BOARD_ROM_BASE 0x01000000
#define BOARD_ROM_SIZE 0x400000
#define BOARD_ROM_CYCLE_NS 75
#define BOARD_RAM_BASE 0x02000000
#define BOARD_RAM_SIZE 0x400000
#define BOARD_RAM_CYCLE_NS 50

#include "../at91/wait_states.h"

#define BOARD_CHIP_SELECT_0 \
    (BOARD_ROM_BASE | EBI_CSR_ENABLE | EBI_CSR_PAGE_4M | BOARD_ROM_CSR_WAIT | EBI_CSR_BUS_16_BIT)
#define BOARD_CHIP_SELECT_1 \
    (BOARD_RAM_BASE | EBI_CSR_ENABLE | EBI_CSR_PAGE_4M | BOARD_RAM_CSR_WAIT | EBI_CSR_BUS_16_BIT)

/* Bits a second of the console and of other serial lines until a program sets them. */
#ifndef BOARD_SERIAL_RATE
#define BOARD_SERIAL_RATE 115200
#endif

/* The RAM disk. */
#define BOARD_DISK_BLOCKS 4096
#define BOARD_DISK_FILES 256

#endif
