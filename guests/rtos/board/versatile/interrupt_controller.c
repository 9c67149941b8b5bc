/* The kernel's interrupt controller hooks on the PL190. Each priority has two of its sixteen vectored slots; vectors hold
   line numbers. */
#include "interrupt_controller.h"

#include <rtos/board.h>
#include <rtos/config.h>
#include <rtos/section.h>

#include "versatile.h"

#define SPURIOUS 0xffffffffu
#define SLOTS_PER_PRIORITY (VIC_SLOTS / RTOS_CONFIG_INTERRUPT_PRIORITIES)

void board_interrupt_controller_init(void)
{
    VERSATILE_VIC->enable_clear = 0xffffffff;
    VERSATILE_VIC->soft_clear = 0xffffffff;
    VERSATILE_VIC->select = 0;
    VERSATILE_VIC->vector_default = SPURIOUS;
    for (uint32_t slot = 0; slot < VIC_SLOTS; slot++)
        VERSATILE_VIC->controls[slot] = 0;
    for (uint32_t depth = 0; depth < VIC_SLOTS; depth++)
        VERSATILE_VIC->vector = 0;
}

rtos_status rtos_board_intc_configure(uint32_t line, uint32_t priority, enum rtos_interrupt_trigger trigger)
{
    if (line >= 32 || priority >= RTOS_CONFIG_INTERRUPT_PRIORITIES || trigger != RTOS_TRIGGER_LEVEL_LOW)
        return RTOS_ERROR_PARAMETER;
    VERSATILE_VIC->enable_clear = 1u << line;
    for (uint32_t slot = 0; slot < VIC_SLOTS; slot++)
        if (VERSATILE_VIC->controls[slot] == (VIC_CONTROL_ENABLE | line))
            VERSATILE_VIC->controls[slot] = 0;
    uint32_t first = (RTOS_CONFIG_INTERRUPT_PRIORITIES - 1 - priority) * SLOTS_PER_PRIORITY;
    for (uint32_t slot = first; slot < first + SLOTS_PER_PRIORITY; slot++) {
        if (VERSATILE_VIC->controls[slot] != 0)
            continue;
        VERSATILE_VIC->vectors[slot] = line;
        VERSATILE_VIC->controls[slot] = VIC_CONTROL_ENABLE | line;
        return RTOS_OK;
    }
    return RTOS_ERROR_LIMIT;
}

void rtos_board_intc_enable(uint32_t line)
{
    VERSATILE_VIC->enable = 1u << line;
}

void rtos_board_intc_disable(uint32_t line)
{
    VERSATILE_VIC->enable_clear = 1u << line;
}

RTOS_FAST_TEXT int32_t rtos_board_intc_acknowledge(void)
{
    return (int32_t)VERSATILE_VIC->vector;
}

RTOS_FAST_TEXT void rtos_board_intc_end(void)
{
    VERSATILE_VIC->vector = 0;
}

void rtos_board_intc_set(uint32_t line)
{
    VERSATILE_VIC->soft = 1u << line;
}

void rtos_board_intc_clear(uint32_t line)
{
    VERSATILE_VIC->soft_clear = 1u << line;
}
