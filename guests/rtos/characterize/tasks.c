/* Tasks and timers around a scenario. */
#include "characterize.h"

#define PASSED_TICKS 64

void characterize_expect_state(rtos_id task, uint32_t expected)
{
    struct rtos_task_info info;
    characterize_expect(rtos_task_get_info(task, &info), RTOS_OK);
    characterize_expect((int32_t)info.state, (int32_t)expected);
}

rtos_id characterize_spawn_as(rtos_task_entry entry, void *argument, uint32_t priority, uint32_t flags)
{
    const struct rtos_task_attributes attributes = {
        .name = "other",
        .entry = entry,
        .argument = argument,
        .priority = priority,
        .flags = flags,
        .stack_size = STACK_SIZE,
        .kernel_stack_size = STACK_SIZE,
    };
    rtos_id task = rtos_task_create(&attributes);
    if (task < 0) {
        characterize_expect(task, 0);
        characterize_done();
    }
    return task;
}

rtos_id characterize_spawn(rtos_task_entry entry, void *argument, uint32_t priority)
{
    return characterize_spawn_as(entry, argument, priority, 0);
}

rtos_id characterize_spawn_waiting(rtos_task_entry entry, void *argument, uint32_t priority)
{
    rtos_id task = characterize_spawn(entry, argument, HIGH);
    rtos_task_yield();
    if (priority != HIGH)
        rtos_task_set_priority(task, priority);
    return task;
}

rtos_id characterize_spawn_waiting_peer(rtos_task_entry entry, uint32_t timeouts)
{
    characterize_timeouts(timeouts);
    return characterize_spawn_waiting(entry, NULL, MAIN);
}

void characterize_waiters_ahead(rtos_task_entry entry, uint32_t count)
{
    for (uintptr_t index = 0; index < count; ++index)
        characterize_spawn_waiting(entry, (void *)index, HIGH);
}

void characterize_waiters(rtos_task_entry entry, uint32_t count)
{
    for (uintptr_t index = 0; index < count; ++index) {
        characterize_spawn_waiting(entry, (void *)index, index == 0 ? HIGH : MAIN);
    }
}

void characterize_timeouts(uint32_t count)
{
    static const struct rtos_timer_attributes attributes = {.action = RTOS_TIMER_POST};
    for (uint32_t index = 0; index < count; ++index)
        characterize_expect(rtos_timer_start(rtos_timer_create(&attributes), 0, 0), RTOS_OK);
}

void (*characterize_check)(void);
static uint32_t state_expected;
static rtos_id baton;

static void finish(void)
{
    characterize_expect_state(characterize_main, state_expected);
    if (characterize_check != NULL)
        characterize_check();
    characterize_done();
}

static int take_turn(void *argument)
{
    (void)argument;
    rtos_task_yield();
    END();
    finish();
    return 0;
}

void characterize_let_peers_run(void)
{
    rtos_task_yield();
}

void characterize_peers_go_on(uint32_t state)
{
    state_expected = state;
    characterize_spawn(take_turn, NULL, MAIN);
    characterize_spawn(take_turn, NULL, MAIN);
    characterize_let_peers_run();
}

static int give_baton(void *argument)
{
    (void)argument;
    rtos_semaphore_post(baton);
    END();
    finish();
    return 0;
}

void characterize_low_goes_on(uint32_t state)
{
    state_expected = state;
    baton = rtos_semaphore_create(0, 1);
    characterize_spawn(give_baton, NULL, LOW);
    rtos_semaphore_wait(baton, RTOS_WAIT_FOREVER);
}

static int stay(void *argument)
{
    (void)argument;
    for (;;)
        ;
    return 0;
}

void characterize_peer(void)
{
    characterize_spawn(stay, NULL, MAIN);
}

void characterize_pass_time(void)
{
    rtos_ticks begin, now;
    rtos_time_get(&begin);
    do
        rtos_time_get(&now);
    while (now - begin < PASSED_TICKS);
}
