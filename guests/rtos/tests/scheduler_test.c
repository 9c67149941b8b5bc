#include "test.h"

#define PEERS 3

static volatile int stop;
static volatile uint32_t last; /* The peer that ran last. */

static int trace_turns(void *argument)
{
    uint32_t self = (uint32_t)(uintptr_t)argument;
    while (!stop) {
        if (last != self) {
            last = self;
            test_trace((char)('0' + self));
        }
    }
    return 0;
}

static void peers_take_turns(void)
{
    rtos_id tasks[PEERS];
    stop = 0;
    last = PEERS;
    for (uint32_t index = 0; index < PEERS; ++index)
        tasks[index] = test_spawn(trace_turns, (void *)(uintptr_t)index, TEST_PRIORITY - 1);
    rtos_task_sleep(PEERS * 3 * RTOS_CONFIG_TIME_SLICE_US - RTOS_CONFIG_TIME_SLICE_US / 2);
    CHECK_TRACE("012012012");
    stop = 1;
    for (uint32_t index = 0; index < PEERS; ++index)
        test_join(tasks[index]);
}

/* A task that is preempted keeps the rest of its slice; otherwise a frequent interrupter would make slices endless. */
static void preemption_does_not_renew_a_slice(void)
{
    rtos_id tasks[2];
    stop = 0;
    last = PEERS;
    for (uint32_t index = 0; index < 2; ++index)
        tasks[index] = test_spawn(trace_turns, (void *)(uintptr_t)index, TEST_PRIORITY - 1);
    for (int step = 0; step < 35; ++step)
        rtos_task_sleep(RTOS_CONFIG_TIME_SLICE_US / 10);
    CHECK_TRACE("0101");
    stop = 1;
    test_join(tasks[0]);
    test_join(tasks[1]);
}

/* A running task that comes down to the priority of others shares with them from then on. */
static void lowered_task_takes_turns_too(void)
{
    stop = 0;
    last = PEERS;
    rtos_id peer = test_spawn(trace_turns, (void *)1, TEST_PRIORITY - 1);
    rtos_task_set_priority(RTOS_SELF, TEST_PRIORITY - 1);
    rtos_ticks end = test_now() + test_ticks(4 * RTOS_CONFIG_TIME_SLICE_US);
    test_trace('t');
    while (test_now() < end && last == PEERS)
        ;
    CHECK_TRACE("t1");
    CHECK(test_now() < end);
    stop = 1;
    rtos_task_set_priority(RTOS_SELF, TEST_PRIORITY);
    test_join(peer);
}

static int trace_argument(void *argument)
{
    test_trace((char)(uintptr_t)argument);
    return 0;
}

static int yield_twice(void *argument)
{
    for (int round = 0; round < 3; ++round) {
        test_trace((char)(uintptr_t)argument);
        rtos_task_yield();
    }
    return 0;
}

static void yield_gives_way_to_peers_only(void)
{
    rtos_id low = test_spawn(trace_argument, (void *)'l', TEST_PRIORITY - 2);
    rtos_id one = test_spawn(yield_twice, (void *)'1', TEST_PRIORITY - 1);
    rtos_id two = test_spawn(yield_twice, (void *)'2', TEST_PRIORITY - 1);
    test_join(low);
    CHECK_TRACE("121212l");
    test_join(one);
    test_join(two);
}

static void lock_keeps_other_tasks_from_running(void)
{
    CHECK_EQUAL(rtos_scheduler_unlock(), RTOS_ERROR_STATE);
    CHECK_EQUAL(rtos_scheduler_lock(), RTOS_OK);
    CHECK_EQUAL(rtos_scheduler_lock(), RTOS_OK);
    rtos_id task = test_spawn(trace_argument, (void *)'x', TEST_PRIORITY + 1);
    test_trace('a');
    CHECK_EQUAL(rtos_task_yield(), RTOS_OK);
    CHECK_EQUAL(rtos_task_sleep(100), RTOS_ERROR_CONTEXT);
    CHECK_EQUAL(rtos_task_suspend(RTOS_SELF), RTOS_ERROR_CONTEXT);
    CHECK_EQUAL(rtos_task_join(task, NULL, RTOS_WAIT_FOREVER), RTOS_ERROR_CONTEXT);
    CHECK_EQUAL(rtos_scheduler_unlock(), RTOS_OK);
    test_trace('b');
    CHECK_EQUAL(rtos_scheduler_unlock(), RTOS_OK);
    CHECK_TRACE("abx");
    test_join(task);
}

static int wake_late(void *argument)
{
    (void)argument;
    rtos_task_sleep(500);
    test_trace('w');
    return 0;
}

static void time_goes_on_under_the_lock(void)
{
    rtos_id task = test_spawn(wake_late, NULL, TEST_PRIORITY + 1);
    rtos_scheduler_lock();
    rtos_ticks end = test_now() + test_ticks(2000);
    while (test_now() < end)
        ;
    test_trace('l');
    rtos_scheduler_unlock();
    CHECK_TRACE("lw");
    test_join(task);
}

static int exit_locked(void *argument)
{
    (void)argument;
    return rtos_scheduler_lock() == RTOS_OK ? 5 : 6;
}

static void exit_undoes_the_lock(void)
{
    CHECK_EQUAL(test_join(test_spawn(exit_locked, NULL, TEST_PRIORITY + 1)), 5);
    CHECK_EQUAL(rtos_scheduler_unlock(), RTOS_ERROR_STATE);
    CHECK_EQUAL(rtos_task_sleep(100), RTOS_OK);
}

static void every_priority_preempts_the_lower_ones(void)
{
    rtos_id tasks[RTOS_CONFIG_TASKS - 3];
    rtos_scheduler_lock();
    for (uint32_t index = 0; index < RTOS_CONFIG_TASKS - 3; ++index) {
        uint32_t priority = TEST_PRIORITY + 1 + index * 7 % (RTOS_CONFIG_TASKS - 3);
        tasks[index] = test_spawn(trace_argument, (void *)(uintptr_t)('a' + TEST_PRIORITY + 20 - priority), priority);
    }
    rtos_scheduler_unlock();
    char expected[RTOS_CONFIG_TASKS];
    for (uint32_t index = 0; index < RTOS_CONFIG_TASKS - 3; ++index)
        expected[index] = (char)('a' + 20 - (RTOS_CONFIG_TASKS - 3) + index);
    expected[RTOS_CONFIG_TASKS - 3] = '\0';
    CHECK_TRACE(expected);
    for (uint32_t index = 0; index < RTOS_CONFIG_TASKS - 3; ++index)
        test_join(tasks[index]);
}

const struct test tests[] = {
    {"scheduler peers take turns", peers_take_turns},
    {"scheduler preemption does not renew a slice", preemption_does_not_renew_a_slice},
    {"scheduler lowered task takes turns too", lowered_task_takes_turns_too},
    {"scheduler yield gives way to peers only", yield_gives_way_to_peers_only},
    {"scheduler lock keeps other tasks from running", lock_keeps_other_tasks_from_running},
    {"scheduler time goes on under the lock", time_goes_on_under_the_lock},
    {"scheduler exit undoes the lock", exit_undoes_the_lock},
    {"scheduler every priority preempts the lower ones", every_priority_preempts_the_lower_ones},
    {NULL, NULL},
};
