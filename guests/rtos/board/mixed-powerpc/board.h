/* The PowerPC's part of the mixed system on chip (platforms/mixed-soc.dts). For C and assembler. */
#ifndef BOARD_H
#define BOARD_H

#define BOARD_NAME "mixed-powerpc"
#define BOARD_MCK_HZ 100000000
#define BOARD_TIMER_HZ 25000000
#define BOARD_SERIAL_RATE 115200
/* Vectors and fast code. */
#define BOARD_SRAM_BASE 0x00000000
#define BOARD_SRAM_SIZE 0x10000
#define BOARD_ROM_BASE 0xFFF00000
#define BOARD_ROM_SIZE 0x80000
#define BOARD_RAM_BASE 0x00100000
#define BOARD_RAM_SIZE 0x300000

#define AT91_AIC_BASE 0xE0003000
#define AT91_TC_BASE 0xE0004000
/* Its clocks cannot be switched off. */
#define BOARD_HAS_NO_PS 1
#define BOARD_UART_BASE 0xE0002000
/* Lines of the interrupt controller. */
#define BOARD_LINE_DECREMENTER 4

#define BOARD_CORE 0
#include "../mixed/shared.h"

#endif
