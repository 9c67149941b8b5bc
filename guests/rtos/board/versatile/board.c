/* Start of the board and the kernel's remaining hooks: idle, polled console, halt. */
#include <rtos/board.h>

#include "interrupt_controller.h"
#include "versatile.h"

/* Ends the emulation. */
void board_exit(int status) __attribute__((noreturn));

void rtos_board_init(void)
{
    board_interrupt_controller_init();
}

/* Wait for interrupt of the ARM926 (its technical reference manual, 12.1). */
__attribute__((target("arm"), noinline)) void rtos_board_idle(void)
{
    __asm__ volatile("mcr p15, 0, %0, c7, c0, 4" : : "r"(0));
}

void rtos_board_console_write(const char *text, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++) {
        while ((VERSATILE_UART0->fr & UART_FR_TXFF) != 0)
            ;
        VERSATILE_UART0->dr = (uint8_t)text[i];
    }
}

void rtos_board_halt(int status)
{
    rtos_interrupt_lock();
    board_exit(status);
}
