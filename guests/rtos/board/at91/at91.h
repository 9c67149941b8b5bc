/* What the files of this board family share. */
#ifndef BOARD_AT91_AT91_H
#define BOARD_AT91_AT91_H

#include <board.h>
#include <stdint.h>

void board_interrupt_controller_init(void);

/* Nearest divisor of the baud rate generator: MCK / (16 x divisor). */
static inline uint32_t board_baud_divisor(uint32_t baud)
{
    return (BOARD_MCK_HZ + 8 * baud) / (16 * baud);
}

#endif
