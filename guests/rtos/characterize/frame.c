/* The way into a scenario and out of it. */
#include "characterize.h"

#include "../board/at91/aic.h"

#include <rtos/board.h>
#include <rtos/kernel.h>

#define PARAMETERS_MAX 8
#define MAIN_STACK_SIZE 2048

void characterize_ready(void);

/* Set by the host in the ready state. */
characterize_scenario *volatile characterize_case;
uint32_t characterize_parameters[PARAMETERS_MAX];
volatile int32_t characterize_result;
rtos_id characterize_main;

void characterize_done(void)
{
    MARK(3);
    for (;;)
        ;
}

void characterize_expect(int32_t actual, int32_t expected)
{
    if (actual != expected && characterize_result == 0)
        characterize_result = actual != 0 ? actual : INT32_MIN;
}

void characterize_timer_interrupt(int enabled)
{
    if (enabled)
        AT91_AIC->iecr = 1u << AIC_SOURCE_TC0;
    else
        AT91_AIC->idcr = 1u << AIC_SOURCE_TC0;
}

static int run(void *argument)
{
    (void)argument;
    characterize_main = rtos_task_self();
    characterize_timer_interrupt(0);
    characterize_ready();
    uintptr_t chosen = (uintptr_t)characterize_case;
#ifdef __thumb__
    chosen |= 1; /* Whether or not the host says the state. */
#endif
    ((characterize_scenario *)chosen)(characterize_parameters);
    characterize_done();
}

void rtos_application_start(void)
{
    const struct rtos_task_attributes attributes = {
        .name = "main",
        .entry = run,
        .priority = MAIN,
        .stack_size = MAIN_STACK_SIZE,
    };
    rtos_k_task_create(&attributes);
}
