/* Start of the board and the kernel's remaining hooks: idle, polled console, halt. */
#include <board.h>
#include <rtos/board.h>

#include "../../system/marks.h"
#include "at91.h"
#include "registers.h"

#define CONSOLE AT91_USART0

void rtos_board_init(void)
{
    board_interrupt_controller_init();
    AT91_PS->pcdr = PS_TC1 | PS_TC2;
    AT91_PS->pcer = PS_US0 | PS_US1 | PS_PIO;
    AT91_PIO->pdr = PIO_TXD0 | PIO_RXD0 | PIO_TXD1 | PIO_RXD1;
    CONSOLE->cr = US_CR_RSTRX | US_CR_RSTTX | US_CR_RXDIS | US_CR_TXDIS;
    CONSOLE->idr = 0xffffffff;
    CONSOLE->mr = US_MR_CLOCK_MCK | US_MR_BITS(8u) | US_MR_PARITY_NONE | US_MR_STOP_1;
    CONSOLE->brgr = board_baud_divisor(BOARD_SERIAL_RATE);
    CONSOLE->ttgr = 0;
    CONSOLE->cr = US_CR_TXEN;
    AT91_AIC->iccr = 1u << AIC_SOURCE_US0;
}

void rtos_board_idle(void)
{
    AT91_PS->cr = PS_CR_CPU;
}

void rtos_board_console_write(const char *text, uint32_t size)
{
    /* Let the driver's DMA finish; its interrupt finds the end later. */
    while (CONSOLE->tcr != 0)
        ;
    for (uint32_t i = 0; i < size; i++) {
        while ((CONSOLE->csr & US_TXRDY) == 0)
            ;
        CONSOLE->thr = (uint8_t)text[i];
    }
}

void rtos_board_halt(int status)
{
    rtos_interrupt_lock();
    while ((CONSOLE->csr & US_TXEMPTY) == 0)
        ;
    AT91_AIC->idcr = 0xffffffff;
    if (status == 0)
        MARK(MARK_HALT_SUCCESS);
    else
        MARK(MARK_HALT_FAILURE);
    for (;;)
        AT91_PS->cr = PS_CR_CPU;
}
