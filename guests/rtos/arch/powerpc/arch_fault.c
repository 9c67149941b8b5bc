/* The registers of the last fault. */
#include <rtos/arch.h>
#include <rtos/kernel.h>
#include <rtos/section.h>

struct fault_record {
    uint32_t registers[32];
    uint32_t pc, msr, lr, ctr, cr, xer, dar, dsisr;
};

/* Written by fault.S; an MSR of 0 is none. */
RTOS_KERNEL_DATA struct fault_record rtos_arch_fault_record;

void rtos_arch_print_registers(void)
{
    struct fault_record *record = &rtos_arch_fault_record;
    if (record->msr == 0)
        return;
    for (uint32_t number = 0; number < 32; ++number)
        rtos_k_printf("r%02u %08x%c", (unsigned)number, (unsigned)record->registers[number],
                      number % 4 == 3 ? '\n' : ' ');
    rtos_k_printf("pc %08x msr %08x lr %08x ctr %08x\n", (unsigned)record->pc, (unsigned)record->msr,
                  (unsigned)record->lr, (unsigned)record->ctr);
    rtos_k_printf("cr %08x xer %08x dar %08x dsisr %08x\n", (unsigned)record->cr, (unsigned)record->xer,
                  (unsigned)record->dar, (unsigned)record->dsisr);
    record->msr = 0;
}
