/* PowerPC (classic, 32 bits): the saved context and the interrupt mask. */
#ifndef ARCH_TYPES_H
#define ARCH_TYPES_H

/* Bits of the MSR. */
#define ARCH_MSR_POWER 0x00040000
#define ARCH_MSR_EXTERNAL 0x8000
#define ARCH_MSR_PROBLEM 0x4000
#define ARCH_MSR_FLOAT 0x2000
#define ARCH_MSR_MACHINE_CHECK 0x1000
#define ARCH_MSR_RECOVERABLE 0x0002
/* Of the kernel with interrupts disabled. */
#define ARCH_MSR_KERNEL (ARCH_MSR_MACHINE_CHECK | ARCH_MSR_RECOVERABLE)

/* Offsets into struct rtos_arch_context. */
#define CONTEXT_KERNEL_SP 0
#define CONTEXT_KERNEL_TOP 4
#define CONTEXT_FLOAT 8
#define CONTEXT_FLOAT_STATUS (CONTEXT_FLOAT + 32 * 8)

#ifndef __ASSEMBLER__

struct rtos_arch_context {
    uint32_t *kernel_sp;  /* The kernel stack holds the rest; see switch.S. */
    uint32_t *kernel_top; /* Where exceptions of user code begin. */
    uint64_t float_registers[32]; /* While another task has the floating-point unit. */
    uint64_t float_status;
};
_Static_assert(offsetof(struct rtos_arch_context, float_status) == CONTEXT_FLOAT_STATUS, "as float.S has it");

#define RTOS_ARCH_LONG_MULTIPLY

static inline uint32_t rtos_arch_msr(void)
{
    uint32_t msr;
    __asm__ volatile("mfmsr %0" : "=r"(msr) : : "memory");
    return msr;
}

static inline void rtos_arch_set_msr(uint32_t msr)
{
    __asm__ volatile("mtmsr %0" : : "r"(msr) : "memory");
}

/* Clears EE and returns whether it was clear. */
static inline rtos_irq_state rtos_arch_irq_disable(void)
{
    uint32_t msr = rtos_arch_msr();
    rtos_arch_set_msr(msr & ~(uint32_t)ARCH_MSR_EXTERNAL);
    return ~msr & ARCH_MSR_EXTERNAL;
}

/* Puts EE back to what rtos_arch_irq_disable returned. */
static inline void rtos_arch_irq_restore(rtos_irq_state state)
{
    uint32_t msr = rtos_arch_msr() & ~(uint32_t)ARCH_MSR_EXTERNAL;
    rtos_arch_set_msr(msr | (state ^ ARCH_MSR_EXTERNAL));
}

#endif
#endif
