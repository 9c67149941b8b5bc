/* Interrupts for drivers. A handler runs with interrupts enabled at its priority: more urgent lines nest. */
#ifndef RTOS_INTERRUPT_H
#define RTOS_INTERRUPT_H

#include <rtos/arch.h>
#include <rtos/types.h>

/* Handler of a line; runs in supervisor mode on the interrupt stack. */
typedef void (*rtos_interrupt_handler)(void *argument);

enum rtos_interrupt_trigger {
    RTOS_TRIGGER_LEVEL_LOW,    /* For lines inside the chip: the active level. */
    RTOS_TRIGGER_EDGE_FALLING, /* For lines inside the chip: the active edge. */
    RTOS_TRIGGER_LEVEL_HIGH,
    RTOS_TRIGGER_EDGE_RISING,
};

/* Connects a handler to a line at a priority (0 .. RTOS_CONFIG_INTERRUPT_PRIORITIES - 1; greater is more urgent)
   and enables the line. RTOS_ERROR_STATE when the line is taken. */
rtos_status rtos_interrupt_attach(uint32_t line, uint32_t priority, enum rtos_interrupt_trigger trigger,
                                  rtos_interrupt_handler handler, void *argument);
/* Disables the line and forgets its handler. */
rtos_status rtos_interrupt_detach(uint32_t line);
rtos_status rtos_interrupt_enable(uint32_t line);
rtos_status rtos_interrupt_disable(uint32_t line);

/* Critical section, for a few instructions: disables all interrupts and returns the former state. Nests. */
#define rtos_interrupt_lock() rtos_arch_irq_disable()
#define rtos_interrupt_unlock(state) rtos_arch_irq_restore(state)

#endif
