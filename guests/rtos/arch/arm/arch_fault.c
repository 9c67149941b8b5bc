/* The registers of the last fault. */
#include <rtos/arch.h>
#include <rtos/kernel.h>
#include <rtos/section.h>

struct fault_record {
    uint32_t registers[16];
    uint32_t cpsr;
};

/* Written by fault.S; a CPSR of 0 is none. */
RTOS_KERNEL_DATA struct fault_record rtos_arch_fault_record;

void rtos_arch_print_registers(void)
{
    struct fault_record *record = &rtos_arch_fault_record;
    if (record->cpsr == 0)
        return;
    for (uint32_t number = 0; number < 16; ++number)
        rtos_k_printf("r%02u %08x%c", (unsigned)number, (unsigned)record->registers[number],
                      number % 4 == 3 ? '\n' : ' ');
    rtos_k_printf("cpsr %08x\n", (unsigned)record->cpsr);
    record->cpsr = 0;
}
