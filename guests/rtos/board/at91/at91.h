/* What the files of this board family share. */
#ifndef BOARD_AT91_AT91_H
#define BOARD_AT91_AT91_H

#include <board.h>
#include <stdint.h>

void board_interrupt_controller_init(void);

/* Nearest divisor of the baud rate generator: MCK / (16 x divisor). */
#define board_baud_divisor(baud) ((BOARD_MCK_HZ + 8u * (baud)) / (16u * (baud)))
/* A rate is near enough when ten bits are off by less than half a bit: 4 of 100, to leave some to the other end. */
#define board_baud_real(baud) (BOARD_MCK_HZ / 16u / board_baud_divisor(baud))
#define board_baud_fits(baud)                                                                              \
    (board_baud_real(baud) * 100u <= (baud) * 104u && board_baud_real(baud) * 100u >= (baud) * 96u)

_Static_assert(board_baud_fits(BOARD_SERIAL_RATE),
               "no divisor of BOARD_MCK_HZ comes near BOARD_SERIAL_RATE: set another");

#endif
