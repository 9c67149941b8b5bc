/* The timer's interrupt. It is let in when everything is due that shall be. */
#include "characterize.h"

#define SOON_TICKS 0x08000000u
#define LATE_TICKS 0x10000000u

static rtos_status woken;

static rtos_id create_timer(enum rtos_timer_action action, rtos_id target)
{
    const struct rtos_timer_attributes attributes = {.action = action, .target = target, .flags = 1};
    return rtos_timer_create(&attributes);
}

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

/* The time-out that the compare was set for has been cancelled. */
void case_timer_interrupt_nothing(const uint32_t *parameters)
{
    (void)parameters;
    rtos_id timer = create_timer(RTOS_TIMER_POST, 0);
    rtos_timer_start(timer, 1, 0);
    rtos_timer_stop(timer);
    let_in();
    END();
    characterize_expect(rtos_timer_stop(timer), RTOS_ERROR_STATE);
}

/* Each timer posts a semaphore that nobody waits for. */
void case_timer_interrupt_posts(const uint32_t *parameters)
{
    rtos_id semaphore = rtos_semaphore_create(0, RTOS_CONFIG_TIMERS);
    for (uint32_t index = 0; index < parameters[0]; ++index)
        rtos_timer_start(create_timer(RTOS_TIMER_POST, semaphore), 1, 0);
    let_in();
    END();
    characterize_expect(rtos_semaphore_value(semaphore), (int32_t)parameters[0]);
}

/* Each timer sets event flags that nobody waits for. */
void case_timer_interrupt_sets(const uint32_t *parameters)
{
    rtos_id event = rtos_event_create(0);
    for (uint32_t index = 0; index < parameters[0]; ++index)
        rtos_timer_start(create_timer(RTOS_TIMER_SET, event), 1, 0);
    let_in();
    END();
    characterize_expect(rtos_event_get(event), 1);
}

/* A periodic timer is started again behind time-outs that end later than it, but before its next expiry. */
void case_timer_interrupt_periodic(const uint32_t *parameters)
{
    rtos_id semaphore = rtos_semaphore_create(0, RTOS_CONFIG_TIMERS);
    for (uint32_t index = 0; index < parameters[0]; ++index)
        rtos_timer_start(create_timer(RTOS_TIMER_POST, 0), SOON_TICKS, 0);
    rtos_timer_start(create_timer(RTOS_TIMER_POST, semaphore), 1, LATE_TICKS);
    let_in();
    END();
    characterize_expect(rtos_semaphore_value(semaphore), 1);
}

static rtos_id events[RTOS_CONFIG_EVENTS];

static int wait_for_event(void *argument)
{
    rtos_status found = rtos_event_wait(events[(uintptr_t)argument], 1, RTOS_EVENT_ALL | RTOS_EVENT_CLEAR, LONG_US);
    END();
    characterize_expect(found, 1);
    characterize_done();
}

/* Each timer sets event flags that a task waits for. */
void case_timer_interrupt_sets_and_switches(const uint32_t *parameters)
{
    for (uint32_t index = 0; index < parameters[0]; ++index)
        events[index] = rtos_event_create(0);
    characterize_waiters(wait_for_event, parameters[0]);
    for (uint32_t index = 0; index < parameters[0]; ++index)
        rtos_timer_start(create_timer(RTOS_TIMER_SET, events[index]), 1, 0);
    characterize_peer();
    let_in();
}
