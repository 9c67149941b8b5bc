/* The serial port (PC16550D data sheet, 8). */
#ifndef BOARD_UART_H
#define BOARD_UART_H

#include <board.h>
#include <stdint.h>

struct uart {
    volatile uint8_t data; /* Low byte of the divisor while the latch is open. */
    volatile uint8_t interrupt_enable;
    volatile uint8_t fifo_control;
    volatile uint8_t line_control;
    volatile uint8_t modem_control;
    const volatile uint8_t line_status;
};
#define UART ((struct uart *)BOARD_UART_BASE)

#define UART_LCR_8_BITS 0x03
#define UART_LCR_LATCH 0x80
#define UART_LSR_HOLDING_EMPTY 0x20
#define UART_LSR_EMPTY 0x40

#endif
