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
    for (uint32_t index = 0; index < count; ++index) {
        rtos_id task = characterize_spawn(sleep, NULL, HIGH);
        rtos_task_set_priority(task, index == 0 ? first_priority : LOW);
    }
}

static void let_in(void)
{
    characterize_pass_time();
    BEGIN();
    characterize_timer_interrupt(1);
}

static void expect_no_sleepers(void)
{
    for (rtos_id task = rtos_task_next(0); task > 0; task = rtos_task_next(task)) {
        struct rtos_task_info info;
        rtos_task_get_info(task, &info);
        characterize_expect((int32_t)info.state, RTOS_STATE_READY);
    }
}

void case_timer_interrupt_wakes(const uint32_t *parameters)
{
    spawn_sleepers(parameters[0], LOW);
    let_in();
    END();
    expect_no_sleepers();
}

void case_timer_interrupt_switches(const uint32_t *parameters)
{
    characterize_peer();
    spawn_sleepers(parameters[0], HIGH);
    let_in();
}
