/* Interrupts: the way in, the way out, and what the kernel does by itself when it changes tasks. Handlers are code of the
   scenarios: their first instruction ends the way in, their last begins the way out. */
#include "characterize.h"

#include "../board/at91/aic.h"
#include "../board/at91/ps.h"
#include "../board/at91/tc.h"

#include <rtos/interrupt.h>
#include <rtos/kernel.h>

#define LINE_OUTER AIC_SOURCE_IRQ0
#define LINE_INNER AIC_SOURCE_IRQ1
#define PRIORITY_OUTER 2
#define PRIORITY_INNER 5

/* Long enough for all tasks to wait. */
#define IDLE_TICKS 2000

static rtos_id semaphore;
static volatile int handled;

static void raise(uint32_t line)
{
    AT91_AIC->iscr = 1u << line;
}

struct handlers {
    rtos_interrupt_handler outer;
    rtos_interrupt_handler inner;
};

static int attach(void *argument)
{
    const struct handlers *handlers = argument;
    characterize_expect(rtos_interrupt_attach(LINE_OUTER, PRIORITY_OUTER, RTOS_TRIGGER_EDGE_RISING, handlers->outer, NULL),
                        RTOS_OK);
    if (handlers->inner != NULL)
        characterize_expect(
            rtos_interrupt_attach(LINE_INNER, PRIORITY_INNER, RTOS_TRIGGER_EDGE_RISING, handlers->inner, NULL), RTOS_OK);
    return 0;
}

/* Only privileged code attaches handlers. */
static void attach_handlers(rtos_interrupt_handler outer, rtos_interrupt_handler inner)
{
    struct handlers handlers = {outer, inner};
    characterize_spawn_as(attach, &handlers, HIGH, RTOS_TASK_PRIVILEGED);
}

static int wait(void *argument)
{
    (void)argument;
    rtos_status status = rtos_semaphore_wait(semaphore, RTOS_WAIT_FOREVER);
    END();
    characterize_expect(status, RTOS_OK);
    characterize_done();
}

static void enter(void *argument)
{
    END();
    (void)argument;
    handled = 1;
}

static void leave(void *argument)
{
    (void)argument;
    handled = 1;
    BEGIN();
}

static void enter_nested(void *argument)
{
    (void)argument;
    BEGIN();
    raise(LINE_INNER);
    characterize_expect(handled, 1);
}

static void leave_nested(void *argument)
{
    (void)argument;
    raise(LINE_INNER);
    END();
    characterize_expect(handled, 1);
}

static void post_and_leave(void *argument)
{
    (void)argument;
    characterize_expect(rtos_k_semaphore_post(semaphore), RTOS_OK);
    BEGIN();
}

void case_interrupt_entry(const uint32_t *parameters)
{
    (void)parameters;
    attach_handlers(enter, NULL);
    BEGIN();
    raise(LINE_OUTER);
    characterize_expect(handled, 1);
}

void case_interrupt_entry_nested(const uint32_t *parameters)
{
    (void)parameters;
    attach_handlers(enter_nested, enter);
    raise(LINE_OUTER);
    characterize_expect(handled, 1);
}

void case_interrupt_exit(const uint32_t *parameters)
{
    (void)parameters;
    attach_handlers(leave, NULL);
    raise(LINE_OUTER);
    END();
    characterize_expect(handled, 1);
}

void case_interrupt_exit_nested(const uint32_t *parameters)
{
    (void)parameters;
    attach_handlers(leave_nested, leave);
    raise(LINE_OUTER);
    characterize_expect(handled, 1);
}

/* A task that the handler woke goes on; the interrupted one had a peer. */
void case_interrupt_exit_switches(const uint32_t *parameters)
{
    (void)parameters;
    semaphore = rtos_semaphore_create(0, 1);
    characterize_spawn(wait, NULL, HIGH);
    attach_handlers(post_and_leave, NULL);
    characterize_peer();
    raise(LINE_OUTER);
}

/* Two tasks were woken: the one that goes on shares its priority with the other, and its time slice begins. */
static void post_twice_and_leave(void *argument)
{
    (void)argument;
    rtos_k_semaphore_post(semaphore);
    rtos_k_semaphore_post(semaphore);
    BEGIN();
}

void case_interrupt_exit_slice(const uint32_t *parameters)
{
    semaphore = rtos_semaphore_create(0, 2);
    characterize_spawn(wait, NULL, HIGH);
    characterize_spawn(wait, NULL, HIGH);
    attach_handlers(post_twice_and_leave, NULL);
    characterize_timeouts(parameters[0]);
    characterize_peer();
    raise(LINE_OUTER);
}

static void post_from_idle(void *argument)
{
    (void)argument;
    (void)AT91_TC(1)->sr;
    characterize_expect(rtos_k_semaphore_post(semaphore), RTOS_OK);
    BEGIN();
}

static int start_second_timer(void *argument)
{
    (void)argument;
#ifndef BOARD_HAS_NO_PS
    AT91_PS->pcer = PS_TC1;
#endif
    AT91_TC(1)->cmr = TC_CMR_WAVE | TC_CMR_MCK_32;
    AT91_TC(1)->rc = IDLE_TICKS;
    AT91_TC(1)->ier = TC_SR_CPCS;
    characterize_expect(
        rtos_interrupt_attach(AIC_SOURCE_TC1, PRIORITY_OUTER, RTOS_TRIGGER_LEVEL_LOW, post_from_idle, NULL), RTOS_OK);
    AT91_TC(1)->ccr = TC_CCR_CLKEN | TC_CCR_SWTRG;
    return 0;
}

/* The idle task was interrupted. */
void case_interrupt_exit_idle(const uint32_t *parameters)
{
    (void)parameters;
    semaphore = rtos_semaphore_create(0, 1);
    characterize_spawn_as(start_second_timer, NULL, HIGH, RTOS_TASK_PRIVILEGED);
    rtos_status status = rtos_semaphore_wait(semaphore, RTOS_WAIT_FOREVER);
    END();
    characterize_expect(status, RTOS_OK);
}

static uint32_t spurious_interrupts(void)
{
    struct rtos_system_info info;
    rtos_system_get_info(&info);
    return info.spurious_interrupts;
}

/* A line without a handler. */
void case_interrupt_spurious(const uint32_t *parameters)
{
    (void)parameters;
    uint32_t before = spurious_interrupts();
    AT91_AIC->smr[AIC_SOURCE_SWIRQ] = AIC_SMR_EDGE | PRIORITY_OUTER;
    AT91_AIC->iecr = 1u << AIC_SOURCE_SWIRQ;
    BEGIN();
    raise(AIC_SOURCE_SWIRQ);
    END();
    characterize_expect((int32_t)(spurious_interrupts() - before), 1);
}
