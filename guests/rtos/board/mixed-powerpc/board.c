/* Start of the board and the kernel's remaining hooks: idle, polled console, halt. */
#include <board.h>
#include <rtos/board.h>

#include "../../system/marks.h"
#include "../at91/aic.h"
#include "../at91/at91.h"
#include "uart.h"

void rtos_board_init(void)
{
    board_interrupt_controller_init();
    UART->line_control = UART_LCR_LATCH;
    UART->data = board_baud_divisor(BOARD_SERIAL_RATE);
    UART->interrupt_enable = 0;
    UART->line_control = UART_LCR_8_BITS;
    UART->fifo_control = 1;
}

/* The core dozes (HID0, which boot.S has set) until an interrupt. */
void rtos_board_idle(void)
{
    uint32_t msr = rtos_arch_msr();
    __asm__ volatile("sync");
    rtos_arch_set_msr(msr | ARCH_MSR_POWER);
    __asm__ volatile("isync");
}

void rtos_board_console_write(const char *text, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++) {
        while ((UART->line_status & UART_LSR_HOLDING_EMPTY) == 0)
            ;
        UART->data = (uint8_t)text[i];
    }
}

void rtos_board_halt(int status)
{
    rtos_interrupt_lock();
    while ((UART->line_status & UART_LSR_EMPTY) == 0)
        ;
    AT91_AIC->idcr = 0xffffffff;
    if (status == 0)
        MARK(MARK_HALT_SUCCESS);
    else
        MARK(MARK_HALT_FAILURE);
    for (;;)
        rtos_board_idle();
}
