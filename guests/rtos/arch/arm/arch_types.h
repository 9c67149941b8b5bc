/* ARM v4T: the saved context and the interrupt mask. */
#ifndef ARCH_TYPES_H
#define ARCH_TYPES_H

/* Bits of the CPSR. */
#define ARCH_MODE_USER 0x10u
#define ARCH_MODE_FIQ 0x11u
#define ARCH_MODE_IRQ 0x12u
#define ARCH_MODE_SUPERVISOR 0x13u
#define ARCH_MODE_ABORT 0x17u
#define ARCH_MODE_UNDEFINED 0x1bu
#define ARCH_MODE_SYSTEM 0x1fu
#define ARCH_MODE_MASK 0x1fu
#define ARCH_THUMB 0x20u
#define ARCH_FIQ_OFF 0x40u
#define ARCH_IRQ_OFF 0x80u

#ifndef __ASSEMBLER__

/* The kernel stack holds the rest; see context.S. */
struct rtos_arch_context {
    uint32_t *kernel_sp;
};

#ifdef __thumb__
/* For functions with products of 64 bits: only ARM state has the instruction for them. */
#define RTOS_ARCH_LONG_MULTIPLY __attribute__((target("arm"), noinline))
/* Thumb has no access to the CPSR (ARM7TDMI data sheet, 5.1): these are ARM functions. */
rtos_irq_state rtos_arch_irq_disable(void);
void rtos_arch_irq_restore(rtos_irq_state state);
#else
#define RTOS_ARCH_LONG_MULTIPLY
/* Sets the I bit and returns the former one. */
static inline rtos_irq_state rtos_arch_irq_disable(void)
{
    uint32_t state;
    uint32_t scratch;
    __asm__ volatile("mrs %0, cpsr\n\torr %1, %0, %2\n\tmsr cpsr_c, %1"
                     : "=&r"(state), "=&r"(scratch)
                     : "I"(ARCH_IRQ_OFF)
                     : "memory");
    return state & ARCH_IRQ_OFF;
}

/* Puts the I bit back to what rtos_arch_irq_disable returned. */
static inline void rtos_arch_irq_restore(rtos_irq_state state)
{
    uint32_t scratch;
    __asm__ volatile("mrs %0, cpsr\n\tbic %0, %0, %2\n\torr %0, %0, %1\n\tmsr cpsr_c, %0"
                     : "=&r"(scratch)
                     : "r"(state), "I"(ARCH_IRQ_OFF)
                     : "memory");
}
#endif

#endif
#endif
