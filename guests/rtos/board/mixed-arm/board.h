/* The ARM's part of the mixed system on chip (platforms/mixed-soc.dts). For C and assembler. */
#ifndef BOARD_H
#define BOARD_H

#define BOARD_NAME "mixed-arm"
#define BOARD_MCK_HZ 50000000
#define BOARD_SRAM_BASE 0x00000000
#define BOARD_SRAM_SIZE 0x10000
#define BOARD_ROM_BASE 0x01000000
#define BOARD_ROM_SIZE 0x100000
#define BOARD_RAM_BASE 0x00400000
#define BOARD_RAM_SIZE 0x300000
#define BOARD_SERIAL_RATE 115200

#define BOARD_CORE 1
#include "../mixed/shared.h"

#endif
