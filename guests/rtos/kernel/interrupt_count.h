/* Counts of interrupts since the start. */
#ifndef KERNEL_INTERRUPT_COUNT_H
#define KERNEL_INTERRUPT_COUNT_H

#include <stdint.h>

extern uint32_t interrupt_count;
extern uint32_t interrupt_spurious_count;

#endif
