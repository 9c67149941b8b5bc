/* What the kernel asks of a board. The board's reset code prepares memory (vectors, data, zeroed sections) and jumps to
   rtos_arch_start, which sets up the modes and calls rtos_kernel_start. That calls, in this order and with
   interrupts disabled: rtos_board_init, rtos_board_timer_init, rtos_application_start; then it schedules. */
#ifndef RTOS_BOARD_H
#define RTOS_BOARD_H

#include <rtos/interrupt.h>
#include <rtos/types.h>

enum rtos_memory_access { RTOS_MEMORY_READ = 1, RTOS_MEMORY_WRITE = 2 };

/* A range of memory that system calls accept pointers to. */
struct rtos_memory_range {
    uintptr_t first;
    uintptr_t last; /* Inclusive. */
    uint32_t access;
};

/* Ranges of the board, ended by one whose access is 0. */
extern const struct rtos_memory_range rtos_board_memory[];

/* Prepares the interrupt controller (all lines disabled) and whatever else must come first. */
void rtos_board_init(void);
/* Creates the first tasks; the system or the test provides it. Runs in supervisor mode, scheduler locked. */
void rtos_application_start(void);

/* Programs a line; it stays disabled. RTOS_ERROR_PARAMETER when line, priority or trigger do not exist. */
rtos_status rtos_board_intc_configure(uint32_t line, uint32_t priority, enum rtos_interrupt_trigger trigger);
void rtos_board_intc_enable(uint32_t line);
void rtos_board_intc_disable(uint32_t line);
/* Takes the most urgent pending interrupt and raises the priority threshold: its line, or -1 if spurious. */
int32_t rtos_board_intc_acknowledge(void);
/* Ends the interrupt acknowledged last (also a spurious one) and lowers the threshold. */
void rtos_board_intc_end(void);
/* Makes an edge line pending by software, and undoes it. */
void rtos_board_intc_set(uint32_t line);
void rtos_board_intc_clear(uint32_t line);

/* The timer: a free-running counter of `bits` bits with a compare interrupt. */
struct rtos_board_timer {
    uint32_t frequency_hz;
    uint32_t bits; /* 8 .. 32. */
};
/* Starts the counter, attaches the compare interrupt (rtos_interrupt_attach) and describes the timer. The board's
   handler clears the cause and calls rtos_timer_interrupt. */
void rtos_board_timer_init(struct rtos_board_timer *timer);
/* The counter's present value. */
uint32_t rtos_board_timer_count(void);
/* Asks for an interrupt when the counter next reaches this value. Forgets the former value, and a pending match of
   it. */
void rtos_board_timer_set_compare(uint32_t count);
/* The kernel's part of the timer interrupt. */
void rtos_timer_interrupt(void);

/* Stops the core's clock until an interrupt; called by rtos_idle, interrupts enabled. */
void rtos_board_idle(void);
/* Writes text to the console, polled, with interrupts in any state. */
void rtos_board_console_write(const char *text, uint32_t size);
/* Stops for good; `status` 0 is success. */
void rtos_board_halt(int status) __attribute__((noreturn));

#endif
