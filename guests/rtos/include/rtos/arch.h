/* What the kernel asks of a processor architecture; arch/<name>/arch_<name>.h defines the types and inlines. */
#ifndef RTOS_ARCH_H
#define RTOS_ARCH_H

#include <rtos/types.h>

/* State of the interrupt mask, as rtos_arch_irq_disable returns it. */
typedef uint32_t rtos_irq_state;

struct rtos_arch_context; /* Where a task that does not run keeps its registers. */

#include <arch_types.h>

#endif
