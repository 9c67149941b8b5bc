/* Processor layer of host tests: nothing interrupts. */
#ifndef ARCH_TYPES_H
#define ARCH_TYPES_H

struct rtos_arch_context {
    int unused;
};

static inline rtos_irq_state rtos_arch_irq_disable(void)
{
    return 0;
}

static inline void rtos_arch_irq_restore(rtos_irq_state state)
{
    (void)state;
}

#endif
