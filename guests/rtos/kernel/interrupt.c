/* Interrupt lines: their handlers, and the dispatch that the architecture's entry code calls. */
#include "interrupt_count.h"
#include "scheduler_control.h"

#include <rtos/board.h>
#include <rtos/config.h>
#include <rtos/interrupt.h>
#include <rtos/kernel.h>
#include <rtos/section.h>

struct line {
    rtos_interrupt_handler handler;
    void *argument;
};

static RTOS_KERNEL_DATA struct line lines[RTOS_CONFIG_INTERRUPT_LINES];
RTOS_KERNEL_DATA uint32_t interrupt_count;
RTOS_KERNEL_DATA uint32_t interrupt_spurious_count;

rtos_status rtos_interrupt_attach(uint32_t line, uint32_t priority, enum rtos_interrupt_trigger trigger,
                                  rtos_interrupt_handler handler, void *argument)
{
    if (line >= RTOS_CONFIG_INTERRUPT_LINES || handler == NULL)
        return RTOS_ERROR_PARAMETER;
    rtos_irq_state state = rtos_arch_irq_disable();
    rtos_status result = RTOS_ERROR_STATE;
    if (lines[line].handler == NULL) {
        result = rtos_board_intc_configure(line, priority, trigger);
        if (result == RTOS_OK) {
            lines[line] = (struct line){handler, argument};
            rtos_board_intc_enable(line);
        }
    }
    rtos_arch_irq_restore(state);
    return result;
}

rtos_status rtos_interrupt_detach(uint32_t line)
{
    rtos_status result = rtos_interrupt_disable(line);
    if (result == RTOS_OK)
        lines[line] = (struct line){NULL, NULL};
    return result;
}

static int is_attached(uint32_t line)
{
    return line < RTOS_CONFIG_INTERRUPT_LINES && lines[line].handler != NULL;
}

rtos_status rtos_interrupt_enable(uint32_t line)
{
    if (!is_attached(line))
        return RTOS_ERROR_PARAMETER;
    rtos_board_intc_enable(line);
    return RTOS_OK;
}

rtos_status rtos_interrupt_disable(uint32_t line)
{
    if (!is_attached(line))
        return RTOS_ERROR_PARAMETER;
    rtos_board_intc_disable(line);
    return RTOS_OK;
}

int rtos_k_in_interrupt(void)
{
    return rtos_interrupt_nesting != 0;
}

/* Called with interrupts disabled, on the interrupt stack; more urgent lines interrupt the handler. */
RTOS_FAST_TEXT void rtos_interrupt_dispatch(void)
{
    int32_t number = rtos_board_intc_acknowledge();
    if ((uint32_t)number >= RTOS_CONFIG_INTERRUPT_LINES || lines[number].handler == NULL) {
        ++interrupt_spurious_count;
    } else {
        const struct line *line = &lines[number];
        ++interrupt_count;
        rtos_arch_irq_restore(0);
        line->handler(line->argument);
        (void)rtos_arch_irq_disable();
    }
    rtos_board_intc_end();
}
