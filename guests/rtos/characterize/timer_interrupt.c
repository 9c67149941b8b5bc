/* The timer's interrupt. It is let in when everything is due that shall be. */
#include "characterize.h"

static rtos_status woken;

static int sleep(void *argument)
{
    (void)argument;
    woken = rtos_task_sleep(1);
    END();
    characterize_expect(woken, RTOS_OK);
    characterize_done();
}

/* The first is as urgent as is asked for; the others are less urgent than the interrupted task. */
static void spawn_sleepers(uint32_t count, uint32_t first_priority)
{
    for (uint32_t index = 0; index < count; ++index)
        characterize_spawn_waiting(sleep, NULL, index == 0 ? first_priority : LOW);
}

static void let_in(void)
{
    characterize_pass_time();
    BEGIN();
    characterize_timer_interrupt(1);
}

void case_timer_interrupt_wakes(const uint32_t *parameters)
{
    spawn_sleepers(parameters[0], LOW);
    let_in();
    END();
    for (rtos_id task = rtos_task_next(0); task > 0; task = rtos_task_next(task))
        characterize_expect_state(task, RTOS_STATE_READY);
}

void case_timer_interrupt_switches(const uint32_t *parameters)
{
    spawn_sleepers(parameters[0], HIGH);
    characterize_peer();
    let_in();
}
