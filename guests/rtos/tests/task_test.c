#include "test.h"

static rtos_id semaphore;

static int return_argument(void *argument)
{
    return (int)(intptr_t)argument;
}

static int exit_with_argument(void *argument)
{
    rtos_task_exit((int)(intptr_t)argument);
}

static int sleep_long(void *argument)
{
    (void)argument;
    rtos_status result = rtos_task_sleep(RTOS_WAIT_FOREVER);
    test_trace('s');
    return result;
}

static int run_forever(void *argument)
{
    static const volatile int go_on = 1;
    (void)argument;
    while (go_on)
        ;
    return 0;
}

static int trace_argument(void *argument)
{
    test_trace((char)(uintptr_t)argument);
    return 0;
}

static void exit_status_is_joined(void)
{
    CHECK_EQUAL(test_join(test_spawn(return_argument, (void *)42, TEST_PRIORITY + 1)), 42);
    CHECK_EQUAL(test_join(test_spawn(exit_with_argument, (void *)-7, TEST_PRIORITY - 1)), -7);
    CHECK_EQUAL(test_join(test_spawn_as(return_argument, (void *)43, TEST_PRIORITY + 1, RTOS_TASK_PRIVILEGED)), 43);
    CHECK_EQUAL(test_join(test_spawn_as(exit_with_argument, (void *)44, TEST_PRIORITY, RTOS_TASK_PRIVILEGED)), 44);
}

static void urgent_task_runs_at_once(void)
{
    rtos_id high = test_spawn(trace_argument, (void *)'h', TEST_PRIORITY + 1);
    test_trace('t');
    rtos_id equal = test_spawn(trace_argument, (void *)'e', TEST_PRIORITY);
    test_trace('t');
    rtos_id low = test_spawn(trace_argument, (void *)'l', TEST_PRIORITY - 1);
    test_trace('t');
    rtos_task_yield();
    test_trace('t');
    rtos_task_sleep(500);
    CHECK_TRACE("htttetl");
    test_join(high);
    test_join(equal);
    test_join(low);
}

static void refuses_bad_attributes(void)
{
    struct rtos_task_attributes good = {"x", return_argument, NULL, 5, 0, 512, 0}, bad;
    CHECK_EQUAL(rtos_task_create((void *)0xfffffff0u), RTOS_ERROR_PARAMETER);
    CHECK_EQUAL(rtos_task_create((void *)((char *)&good + 2)), RTOS_ERROR_PARAMETER);
    bad = good, bad.priority = 0;
    CHECK_EQUAL(rtos_task_create(&bad), RTOS_ERROR_PARAMETER);
    bad = good, bad.priority = RTOS_CONFIG_PRIORITIES;
    CHECK_EQUAL(rtos_task_create(&bad), RTOS_ERROR_PARAMETER);
    bad = good, bad.flags = 8;
    CHECK_EQUAL(rtos_task_create(&bad), RTOS_ERROR_PARAMETER);
    bad = good, bad.stack_size = 64;
    CHECK_EQUAL(rtos_task_create(&bad), RTOS_ERROR_PARAMETER);
    bad = good, bad.stack_size = 0xffffffff;
    CHECK_EQUAL(rtos_task_create(&bad), RTOS_ERROR_PARAMETER);
    bad = good, bad.kernel_stack_size = 100;
    CHECK_EQUAL(rtos_task_create(&bad), RTOS_ERROR_PARAMETER);
    bad = good, bad.entry = (rtos_task_entry)0xffffffff;
    CHECK_EQUAL(rtos_task_create(&bad), RTOS_ERROR_PARAMETER);
    bad = good, bad.name = (const char *)0xf0000000u;
    CHECK_EQUAL(rtos_task_create(&bad), RTOS_ERROR_PARAMETER);
    bad = good, bad.stack_size = 0x0f000000;
    CHECK_EQUAL(rtos_task_create(&bad), RTOS_ERROR_MEMORY);
}

static void refuses_bad_handles(void)
{
    int status;
    rtos_id ended = test_spawn(return_argument, NULL, TEST_PRIORITY + 1);
    CHECK_EQUAL(rtos_task_join(ended, (int *)0xfffffffc, RTOS_NO_WAIT), RTOS_ERROR_PARAMETER);
    CHECK_EQUAL(rtos_task_join(ended, &status, RTOS_NO_WAIT), RTOS_OK);
    CHECK_EQUAL(rtos_task_join(ended, &status, RTOS_NO_WAIT), RTOS_ERROR_ID);
    CHECK_EQUAL(rtos_task_delete(ended), RTOS_ERROR_ID);
    CHECK_EQUAL(rtos_task_suspend(ended), RTOS_ERROR_ID);
    CHECK_EQUAL(rtos_task_resume(ended), RTOS_ERROR_ID);
    CHECK_EQUAL(rtos_task_interrupt(ended), RTOS_ERROR_ID);
    CHECK_EQUAL(rtos_task_set_priority(ended, 3), RTOS_ERROR_ID);
    CHECK_EQUAL(rtos_task_get_priority(ended), RTOS_ERROR_ID);
    CHECK_EQUAL(rtos_task_set_priority(RTOS_SELF, 0), RTOS_ERROR_PARAMETER);
    CHECK_EQUAL(rtos_task_set_priority(RTOS_SELF, RTOS_CONFIG_PRIORITIES), RTOS_ERROR_PARAMETER);
    CHECK_EQUAL(rtos_task_join(RTOS_SELF, NULL, RTOS_WAIT_FOREVER), RTOS_ERROR_DEADLOCK);
    CHECK_EQUAL(rtos_task_delete(rtos_task_next(0)), RTOS_ERROR_PERMISSION);
    CHECK_EQUAL(rtos_task_suspend(rtos_task_next(0)), RTOS_ERROR_PERMISSION);
    CHECK_EQUAL(rtos_task_sleep_until((void *)3), RTOS_ERROR_PARAMETER);
}

static void table_is_finite(void)
{
    rtos_id tasks[RTOS_CONFIG_TASKS], result;
    struct rtos_task_attributes attributes = {NULL, return_argument, NULL, TEST_PRIORITY - 1, RTOS_TASK_SUSPENDED, 128, 384};
    int count = 0;
    while ((result = rtos_task_create(&attributes)) > 0)
        tasks[count++] = result;
    CHECK_EQUAL(result, RTOS_ERROR_LIMIT);
    CHECK_EQUAL(count, RTOS_CONFIG_TASKS - 3);
    while (count-- > 0) {
        CHECK_EQUAL(rtos_task_delete(tasks[count]), RTOS_OK);
        CHECK_EQUAL(test_join(tasks[count]), RTOS_EXIT_KILLED);
    }
}

static void join_times_out(void)
{
    rtos_id task = test_spawn(sleep_long, NULL, TEST_PRIORITY + 1);
    CHECK_EQUAL(rtos_task_join(task, NULL, RTOS_NO_WAIT), RTOS_ERROR_TIMEOUT);
    CHECK_EQUAL(rtos_task_join(task, NULL, 400), RTOS_ERROR_TIMEOUT);
    rtos_task_interrupt(task);
    CHECK_EQUAL(rtos_task_join(task, NULL, RTOS_NO_WAIT), RTOS_OK);
    CHECK_TRACE("s");
}

static int join_argument(void *argument)
{
    int status = 0;
    rtos_status result = rtos_task_join((rtos_id)(intptr_t)argument, &status, RTOS_WAIT_FOREVER);
    return result == RTOS_OK ? status : result;
}

static void all_joiners_get_the_status(void)
{
    rtos_id task = test_spawn(sleep_long, NULL, TEST_PRIORITY + 1);
    rtos_id one = test_spawn(join_argument, (void *)(intptr_t)task, TEST_PRIORITY + 1);
    rtos_id two = test_spawn(join_argument, (void *)(intptr_t)task, TEST_PRIORITY + 2);
    rtos_task_interrupt(task);
    CHECK_EQUAL(test_join(one), RTOS_ERROR_INTERRUPTED);
    CHECK_EQUAL(test_join(two), RTOS_ERROR_INTERRUPTED);
    CHECK_EQUAL(rtos_task_join(task, NULL, RTOS_NO_WAIT), RTOS_ERROR_ID);
}

static void detached_task_leaves_nothing(void)
{
    rtos_id task = test_spawn_as(trace_argument, (void *)'d', TEST_PRIORITY + 1, RTOS_TASK_DETACHED);
    CHECK_TRACE("d");
    CHECK_EQUAL(rtos_task_join(task, NULL, RTOS_NO_WAIT), RTOS_ERROR_ID);
}

static void suspended_task_waits_for_resume(void)
{
    rtos_id task = test_spawn_as(trace_argument, (void *)'r', TEST_PRIORITY + 1, RTOS_TASK_SUSPENDED);
    CHECK_TRACE("");
    CHECK_EQUAL(rtos_task_suspend(task), RTOS_ERROR_STATE);
    CHECK_EQUAL(rtos_task_resume(task), RTOS_OK);
    CHECK_TRACE("r");
    test_join(task);
    task = test_spawn(run_forever, NULL, TEST_PRIORITY - 1);
    CHECK_EQUAL(rtos_task_resume(task), RTOS_ERROR_STATE);
    CHECK_EQUAL(rtos_task_suspend(task), RTOS_OK);
    CHECK_EQUAL(rtos_task_delete(task), RTOS_OK);
    CHECK_EQUAL(test_join(task), RTOS_EXIT_KILLED);
}

static int suspend_self(void *argument)
{
    (void)argument;
    rtos_status result = rtos_task_suspend(RTOS_SELF);
    test_trace('S');
    return result;
}

static int wait_for_semaphore(void *timeout_us)
{
    rtos_status result = rtos_semaphore_wait(semaphore, (uint32_t)(uintptr_t)timeout_us);
    test_trace('w');
    return result;
}

static void wait_goes_on_while_suspended(void)
{
    rtos_id task = test_spawn(suspend_self, NULL, TEST_PRIORITY + 1);
    CHECK_TRACE("");
    CHECK_EQUAL(rtos_task_resume(task), RTOS_OK);
    CHECK_TRACE("S");
    CHECK_EQUAL(test_join(task), RTOS_OK);
    semaphore = rtos_semaphore_create(0, 1);
    task = test_spawn(wait_for_semaphore, (void *)RTOS_WAIT_FOREVER, TEST_PRIORITY + 1);
    CHECK_EQUAL(rtos_task_suspend(task), RTOS_OK);
    CHECK_EQUAL(rtos_semaphore_post(semaphore), RTOS_OK);
    CHECK_EQUAL(rtos_semaphore_value(semaphore), 0);
    CHECK_TRACE("");
    CHECK_EQUAL(rtos_task_resume(task), RTOS_OK);
    CHECK_TRACE("w");
    CHECK_EQUAL(test_join(task), RTOS_OK);
    task = test_spawn(wait_for_semaphore, (void *)300, TEST_PRIORITY + 1);
    CHECK_EQUAL(rtos_task_suspend(task), RTOS_OK);
    CHECK_EQUAL(rtos_task_resume(task), RTOS_OK);
    CHECK_TRACE("");
    CHECK_EQUAL(test_join(task), RTOS_ERROR_TIMEOUT);
    rtos_semaphore_delete(semaphore);
}

static int interrupt_self_then_wait(void *argument)
{
    (void)argument;
    rtos_task_interrupt(RTOS_SELF);
    if (rtos_semaphore_wait(semaphore, RTOS_WAIT_FOREVER) != RTOS_ERROR_INTERRUPTED)
        return 1;
    return rtos_semaphore_wait(semaphore, 200);
}

static void interrupt_ends_a_wait(void)
{
    semaphore = rtos_semaphore_create(0, 1);
    rtos_id task = test_spawn(wait_for_semaphore, (void *)RTOS_WAIT_FOREVER, TEST_PRIORITY + 1);
    CHECK_EQUAL(rtos_task_interrupt(task), RTOS_OK);
    CHECK_EQUAL(test_join(task), RTOS_ERROR_INTERRUPTED);
    CHECK_EQUAL(test_join(test_spawn(interrupt_self_then_wait, NULL, TEST_PRIORITY + 1)), RTOS_ERROR_TIMEOUT);
    rtos_semaphore_delete(semaphore);
}

static void sleeps_long_enough(void)
{
    static const uint32_t durations_us[] = {1, 10, 100, 1000, 12345, 60000, 150000};
    for (uint32_t index = 0; index < sizeof durations_us / sizeof durations_us[0]; ++index) {
        rtos_ticks start = test_now();
        CHECK_EQUAL(rtos_task_sleep(durations_us[index]), RTOS_OK);
        rtos_ticks length = test_now() - start;
        CHECK(length >= test_ticks(durations_us[index]));
        CHECK(length <= test_ticks(durations_us[index] + 300));
    }
    rtos_ticks instant = test_now() + test_ticks(3000);
    CHECK_EQUAL(rtos_task_sleep_until(&instant), RTOS_OK);
    CHECK(test_now() >= instant && test_now() <= instant + test_ticks(300));
    CHECK_EQUAL(rtos_task_sleep_until(&instant), RTOS_OK);
    CHECK_EQUAL(rtos_task_sleep(0), RTOS_OK);
}

static void priority_can_be_changed(void)
{
    rtos_id task = test_spawn(trace_argument, (void *)'p', TEST_PRIORITY - 2);
    CHECK_EQUAL(rtos_task_set_priority(task, TEST_PRIORITY - 1), TEST_PRIORITY - 2);
    CHECK_TRACE("");
    CHECK_EQUAL(rtos_task_set_priority(task, TEST_PRIORITY + 1), TEST_PRIORITY - 1);
    CHECK_TRACE("p");
    test_join(task);
    task = test_spawn(trace_argument, (void *)'q', TEST_PRIORITY - 1);
    CHECK_EQUAL(rtos_task_set_priority(RTOS_SELF, TEST_PRIORITY - 2), TEST_PRIORITY);
    CHECK_TRACE("q");
    CHECK_EQUAL(rtos_task_get_priority(RTOS_SELF), TEST_PRIORITY - 2);
    CHECK_EQUAL(rtos_task_set_priority(RTOS_SELF, TEST_PRIORITY), TEST_PRIORITY - 2);
    test_join(task);
}

static void task_of_any_state_can_be_deleted(void)
{
    rtos_id ready = test_spawn(run_forever, NULL, TEST_PRIORITY - 1);
    rtos_id asleep = test_spawn(sleep_long, NULL, TEST_PRIORITY + 1);
    rtos_id suspended = test_spawn_as(run_forever, NULL, TEST_PRIORITY + 1, RTOS_TASK_SUSPENDED);
    rtos_id ended = test_spawn(return_argument, NULL, TEST_PRIORITY + 1);
    rtos_id privileged = test_spawn_as(run_forever, NULL, TEST_PRIORITY - 1, RTOS_TASK_PRIVILEGED);
    rtos_task_sleep(300);
    CHECK_EQUAL(rtos_task_delete(ready), RTOS_OK);
    CHECK_EQUAL(rtos_task_delete(asleep), RTOS_OK);
    CHECK_EQUAL(rtos_task_delete(suspended), RTOS_OK);
    CHECK_EQUAL(rtos_task_delete(ended), RTOS_OK);
    CHECK_EQUAL(rtos_task_delete(privileged), RTOS_OK);
    CHECK_TRACE("");
    CHECK_EQUAL(test_join(ready), RTOS_EXIT_KILLED);
    CHECK_EQUAL(test_join(asleep), RTOS_EXIT_KILLED);
    CHECK_EQUAL(test_join(suspended), RTOS_EXIT_KILLED);
    CHECK_EQUAL(test_join(privileged), RTOS_EXIT_KILLED);
    CHECK_EQUAL(rtos_task_delete(ended), RTOS_ERROR_ID);
}

static int delete_self(void *argument)
{
    (void)argument;
    return rtos_task_delete(RTOS_SELF);
}

static void task_can_delete_itself(void)
{
    CHECK_EQUAL(test_join(test_spawn(delete_self, NULL, TEST_PRIORITY + 1)), RTOS_EXIT_KILLED);
    CHECK_EQUAL(test_join(test_spawn_as(delete_self, NULL, TEST_PRIORITY + 1, RTOS_TASK_PRIVILEGED)), RTOS_EXIT_KILLED);
}

static void tasks_can_be_listed_and_described(void)
{
    struct rtos_task_info info;
    rtos_id task = test_spawn(sleep_long, NULL, TEST_PRIORITY + 2);
    int found = 0;
    for (rtos_id id = rtos_task_next(0); id > 0; id = rtos_task_next(id))
        found += id == task;
    CHECK_EQUAL(found, 1);
    CHECK_EQUAL(rtos_task_get_info(task, &info), RTOS_OK);
    CHECK_EQUAL(info.id, task);
    CHECK_EQUAL(__builtin_memcmp(info.name, "child", 6), 0);
    CHECK_EQUAL(info.state, RTOS_STATE_WAITING);
    CHECK_EQUAL(info.priority, TEST_PRIORITY + 2);
    CHECK_EQUAL(info.base_priority, TEST_PRIORITY + 2);
    CHECK_EQUAL(info.stack_size, 1024);
    CHECK(info.stack_used > 0 && info.stack_used < 256);
    CHECK_EQUAL(info.kernel_stack_size, RTOS_CONFIG_KERNEL_STACK_SIZE);
    CHECK(info.kernel_stack_used > 60 && info.kernel_stack_used < RTOS_CONFIG_KERNEL_STACK_SIZE);
    CHECK_EQUAL(info.switches, 1);
    rtos_task_suspend(task);
    rtos_task_get_info(task, &info);
    CHECK_EQUAL(info.state, RTOS_STATE_SUSPENDED);
    rtos_task_resume(task);
    rtos_task_interrupt(task);
    rtos_task_get_info(task, &info);
    CHECK_EQUAL(info.state, RTOS_STATE_EXITED);
    test_join(task);
    CHECK_EQUAL(rtos_task_get_info(task, &info), RTOS_ERROR_ID);
    CHECK_EQUAL(rtos_task_get_info(RTOS_SELF, (void *)0xffffff00u), RTOS_ERROR_PARAMETER);
}

static rtos_id hook_task;
static int hook_status;

static void exit_hook(rtos_id task, int status)
{
    hook_task = task;
    hook_status = (int)(intptr_t)rtos_k_task_get_slot(task, 1) + status;
    rtos_k_task_sleep(200);
}

static int use_slots(void *argument)
{
    (void)argument;
    if (rtos_k_task_get_slot(RTOS_SELF, 1) != NULL || rtos_k_task_get_slot(RTOS_SELF, RTOS_CONFIG_TASK_SLOTS) != NULL)
        return -1;
    if (rtos_k_task_set_slot(RTOS_SELF, RTOS_CONFIG_TASK_SLOTS, NULL) != RTOS_ERROR_PARAMETER)
        return -2;
    rtos_k_task_set_slot(RTOS_SELF, 1, (void *)100);
    return rtos_k_task_add_exit_hook(exit_hook);
}

static void exit_hooks_see_the_slots(void)
{
    rtos_id task = test_spawn_as(use_slots, NULL, TEST_PRIORITY + 1, RTOS_TASK_PRIVILEGED);
    CHECK_EQUAL(test_join(task), RTOS_OK);
    CHECK_EQUAL(hook_task, task);
    CHECK_EQUAL(hook_status, 100);
    task = test_spawn(sleep_long, NULL, TEST_PRIORITY + 1);
    rtos_task_delete(task);
    CHECK_EQUAL(test_join(task), RTOS_EXIT_KILLED);
    CHECK_EQUAL(hook_task, task);
    CHECK_EQUAL(hook_status, RTOS_EXIT_KILLED);
}

const struct test tests[] = {
    {"task exit status is joined", exit_status_is_joined},
    {"task urgent one runs at once", urgent_task_runs_at_once},
    {"task refuses bad attributes", refuses_bad_attributes},
    {"task refuses bad handles", refuses_bad_handles},
    {"task table is finite", table_is_finite},
    {"task join times out", join_times_out},
    {"task all joiners get the status", all_joiners_get_the_status},
    {"task detached leaves nothing", detached_task_leaves_nothing},
    {"task suspended waits for resume", suspended_task_waits_for_resume},
    {"task wait goes on while suspended", wait_goes_on_while_suspended},
    {"task interrupt ends a wait", interrupt_ends_a_wait},
    {"task sleeps long enough", sleeps_long_enough},
    {"task priority can be changed", priority_can_be_changed},
    {"task of any state can be deleted", task_of_any_state_can_be_deleted},
    {"task can delete itself", task_can_delete_itself},
    {"task list and description", tasks_can_be_listed_and_described},
    {"task exit hooks see the slots", exit_hooks_see_the_slots},
    {NULL, NULL},
};
