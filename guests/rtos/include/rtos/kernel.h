/* The kernel seen from privileged tasks, drivers and interrupt handlers: the same services as rtos_name, without
   SWI, as rtos_k_name. In interrupt handlers only what its header allows, and nothing that waits. */
#ifndef RTOS_KERNEL_H
#define RTOS_KERNEL_H

#include <rtos/rtos.h>

#define RTOS_SYSCALL(number, name) extern __typeof__(rtos_##name) rtos_k_##name;
#include <rtos/syscalls.def>
#undef RTOS_SYSCALL

/* Present instant. Allowed anywhere. */
rtos_ticks rtos_k_time_now(void);
/* Ticks in a number of microseconds, rounded up. */
rtos_ticks rtos_k_ticks_from_us(uint32_t duration_us);
/* Nanoseconds in a number of ticks, rounded down. */
uint64_t rtos_k_ns_from_ticks(rtos_ticks ticks);

/* True in an interrupt handler. */
int rtos_k_in_interrupt(void);

/* True when `size` bytes at `pointer` are memory that may be read, or written. Size 0 is always allowed. */
int rtos_k_readable(const void *pointer, uint32_t size);
int rtos_k_writable(const void *pointer, uint32_t size);
/* True when a terminated string of at most `size_max` bytes, terminator included, lies in memory. */
int rtos_k_string_readable(const char *text, uint32_t size_max);

/* Words that the system keeps for each task (RTOS_CONFIG_TASK_SLOTS of them), zero in a new task. */
void *rtos_k_task_get_slot(rtos_id task, uint32_t slot);
rtos_status rtos_k_task_set_slot(rtos_id task, uint32_t slot, void *value);

/* Called for each task that ends, by itself (by the killer of a privileged task); may wait. The task's slots are
   still valid. RTOS_CONFIG_EXIT_HOOKS at most. */
typedef void (*rtos_exit_hook)(rtos_id task, int status);
rtos_status rtos_k_task_add_exit_hook(rtos_exit_hook hook);

/* Prints a formatted text (%s %d %u %x %c %p, widths and zero fill) to the console hook, polled. */
void rtos_k_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints the reason and stops the system for good. */
void rtos_k_panic(const char *reason) __attribute__((noreturn));

#endif
