/* The kernel's interrupt controller hooks on the AIC. Source vectors hold line numbers, so that one read of IVR gives
   the line, raises the priority threshold and ends an edge. */
#include <rtos/board.h>
#include <rtos/section.h>

#include "aic.h"

#define SPURIOUS 0xffffffffu

void board_interrupt_controller_init(void)
{
    AT91_AIC->idcr = 0xffffffff;
    AT91_AIC->iccr = 0xffffffff;
    AT91_AIC->spu = SPURIOUS;
    for (uint32_t line = 0; line < AIC_SOURCES; line++)
        AT91_AIC->svr[line] = line;
    /* A reset by software may leave interrupts on the controller's stack of eight. */
    for (uint32_t depth = 0; depth < AIC_PRIORITIES; depth++)
        AT91_AIC->eoicr = 0;
}

rtos_status rtos_board_intc_configure(uint32_t line, uint32_t priority, enum rtos_interrupt_trigger trigger)
{
    static const uint8_t source_type[] = {
        [RTOS_TRIGGER_LEVEL_LOW] = AIC_SMR_LEVEL,
        [RTOS_TRIGGER_EDGE_FALLING] = AIC_SMR_EDGE,
        [RTOS_TRIGGER_LEVEL_HIGH] = AIC_SMR_HIGH_LEVEL,
        [RTOS_TRIGGER_EDGE_RISING] = AIC_SMR_RISING_EDGE,
    };
    int internal = line < AIC_SOURCE_IRQ0;

    if (line >= AIC_SOURCES || priority >= AIC_PRIORITIES || (uint32_t)trigger >= sizeof source_type)
        return RTOS_ERROR_PARAMETER;
    /* Lines inside the chip know only the first two triggers. */
    if (internal && trigger > RTOS_TRIGGER_EDGE_FALLING)
        return RTOS_ERROR_PARAMETER;
    AT91_AIC->idcr = 1u << line;
    AT91_AIC->smr[line] = source_type[trigger] | priority;
    AT91_AIC->svr[line] = line;
    AT91_AIC->iccr = 1u << line;
    return RTOS_OK;
}

void rtos_board_intc_enable(uint32_t line)
{
    AT91_AIC->iecr = 1u << line;
}

void rtos_board_intc_disable(uint32_t line)
{
    AT91_AIC->idcr = 1u << line;
}

RTOS_FAST_TEXT int32_t rtos_board_intc_acknowledge(void)
{
    return (int32_t)AT91_AIC->ivr;
}

RTOS_FAST_TEXT void rtos_board_intc_end(void)
{
    AT91_AIC->eoicr = 0;
}

void rtos_board_intc_set(uint32_t line)
{
    AT91_AIC->iscr = 1u << line;
}

void rtos_board_intc_clear(uint32_t line)
{
    AT91_AIC->iccr = 1u << line;
}
