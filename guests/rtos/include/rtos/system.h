/* The kernel as a whole. */
#ifndef RTOS_SYSTEM_H
#define RTOS_SYSTEM_H

#include <rtos/types.h>

struct rtos_system_info {
    uint32_t version;            /* Major in bits 16 and up, minor below. */
    uint32_t priorities;
    uint32_t tasks_max;
    uint32_t timer_frequency_hz;
    uint32_t context_switches;   /* Since the start. */
    uint32_t interrupts;         /* Handlers called since the start. */
    uint32_t spurious_interrupts;
};

rtos_status rtos_system_get_info(struct rtos_system_info *info);
/* Writes text to the console hook, polled; for tests and messages before a console driver exists. */
rtos_status rtos_system_print(const char *text);

#endif
