#include "test.h"

static rtos_id semaphore;

static void counts(void)
{
    semaphore = rtos_semaphore_create(1, 2);
    CHECK(semaphore > 0);
    CHECK_EQUAL(rtos_semaphore_value(semaphore), 1);
    CHECK_EQUAL(rtos_semaphore_post(semaphore), RTOS_OK);
    CHECK_EQUAL(rtos_semaphore_post(semaphore), RTOS_ERROR_LIMIT);
    CHECK_EQUAL(rtos_semaphore_wait(semaphore, RTOS_NO_WAIT), RTOS_OK);
    CHECK_EQUAL(rtos_semaphore_wait(semaphore, RTOS_WAIT_FOREVER), RTOS_OK);
    CHECK_EQUAL(rtos_semaphore_wait(semaphore, RTOS_NO_WAIT), RTOS_ERROR_TIMEOUT);
    CHECK_EQUAL(rtos_semaphore_delete(semaphore), RTOS_OK);
}

static void refuses_bad_arguments(void)
{
    CHECK_EQUAL(rtos_semaphore_create(0, 0), RTOS_ERROR_PARAMETER);
    CHECK_EQUAL(rtos_semaphore_create(3, 2), RTOS_ERROR_PARAMETER);
    CHECK_EQUAL(rtos_semaphore_create(0, 0x80000000u), RTOS_ERROR_PARAMETER);
    CHECK_EQUAL(rtos_semaphore_wait(0, RTOS_NO_WAIT), RTOS_ERROR_ID);
    CHECK_EQUAL(rtos_semaphore_post(-1), RTOS_ERROR_ID);
    CHECK_EQUAL(rtos_semaphore_value(rtos_task_self()), RTOS_ERROR_ID);
    CHECK_EQUAL(rtos_semaphore_delete(0x7fffffff), RTOS_ERROR_ID);
    semaphore = rtos_semaphore_create(1, 1);
    CHECK_EQUAL(rtos_semaphore_delete(semaphore), RTOS_OK);
    CHECK_EQUAL(rtos_semaphore_post(semaphore), RTOS_ERROR_ID);
    rtos_id next = rtos_semaphore_create(1, 1);
    CHECK(next != semaphore);
    CHECK_EQUAL(rtos_semaphore_wait(semaphore, RTOS_NO_WAIT), RTOS_ERROR_ID);
    CHECK_EQUAL(rtos_semaphore_delete(next), RTOS_OK);
}

static void table_is_finite(void)
{
    rtos_id all[RTOS_CONFIG_SEMAPHORES];
    for (uint32_t index = 0; index < RTOS_CONFIG_SEMAPHORES; ++index)
        CHECK((all[index] = rtos_semaphore_create(0, 1)) > 0);
    CHECK_EQUAL(rtos_semaphore_create(0, 1), RTOS_ERROR_LIMIT);
    for (uint32_t index = 0; index < RTOS_CONFIG_SEMAPHORES; ++index)
        CHECK_EQUAL(rtos_semaphore_delete(all[index]), RTOS_OK);
}

static int wait_and_trace(void *argument)
{
    rtos_status result = rtos_semaphore_wait(semaphore, RTOS_WAIT_FOREVER);
    test_trace((char)(uintptr_t)argument);
    return result;
}

static void wakes_by_priority_then_age(void)
{
    semaphore = rtos_semaphore_create(0, 8);
    rtos_id low = test_spawn(wait_and_trace, (void *)'l', TEST_PRIORITY + 1);
    rtos_id old = test_spawn(wait_and_trace, (void *)'o', TEST_PRIORITY + 2);
    rtos_id new = test_spawn(wait_and_trace, (void *)'n', TEST_PRIORITY + 2);
    rtos_id high = test_spawn(wait_and_trace, (void *)'h', TEST_PRIORITY + 3);
    for (int count = 0; count < 4; ++count)
        CHECK_EQUAL(rtos_semaphore_post(semaphore), RTOS_OK);
    CHECK_TRACE("honl");
    CHECK_EQUAL(rtos_semaphore_value(semaphore), 0);
    CHECK_EQUAL(test_join(low), RTOS_OK);
    CHECK_EQUAL(test_join(old), RTOS_OK);
    CHECK_EQUAL(test_join(new), RTOS_OK);
    CHECK_EQUAL(test_join(high), RTOS_OK);
    CHECK_EQUAL(rtos_semaphore_delete(semaphore), RTOS_OK);
}

static void change_of_priority_reorders_waiters(void)
{
    semaphore = rtos_semaphore_create(0, 8);
    rtos_id first = test_spawn(wait_and_trace, (void *)'1', TEST_PRIORITY + 2);
    rtos_id second = test_spawn(wait_and_trace, (void *)'2', TEST_PRIORITY + 1);
    CHECK_EQUAL(rtos_task_set_priority(second, TEST_PRIORITY + 3), TEST_PRIORITY + 1);
    rtos_semaphore_post(semaphore);
    rtos_semaphore_post(semaphore);
    CHECK_TRACE("21");
    test_join(first);
    test_join(second);
    rtos_semaphore_delete(semaphore);
}

static void times_out(void)
{
    semaphore = rtos_semaphore_create(0, 1);
    rtos_ticks start = test_now();
    CHECK_EQUAL(rtos_semaphore_wait(semaphore, 2000), RTOS_ERROR_TIMEOUT);
    rtos_ticks length = test_now() - start;
    CHECK(length >= test_ticks(2000) && length < test_ticks(2500));
    CHECK_EQUAL(rtos_semaphore_post(semaphore), RTOS_OK);
    CHECK_EQUAL(rtos_semaphore_wait(semaphore, 2000), RTOS_OK);
    rtos_semaphore_delete(semaphore);
}

static void delete_wakes_waiters(void)
{
    semaphore = rtos_semaphore_create(0, 1);
    rtos_id one = test_spawn(wait_and_trace, (void *)'1', TEST_PRIORITY + 1);
    rtos_id two = test_spawn(wait_and_trace, (void *)'2', TEST_PRIORITY + 2);
    CHECK_EQUAL(rtos_semaphore_delete(semaphore), RTOS_OK);
    CHECK_TRACE("21");
    CHECK_EQUAL(test_join(one), RTOS_ERROR_DELETED);
    CHECK_EQUAL(test_join(two), RTOS_ERROR_DELETED);
}

static void no_wait_under_the_scheduler_lock(void)
{
    semaphore = rtos_semaphore_create(1, 1);
    CHECK_EQUAL(rtos_scheduler_lock(), RTOS_OK);
    CHECK_EQUAL(rtos_semaphore_wait(semaphore, 1000), RTOS_OK);
    CHECK_EQUAL(rtos_semaphore_wait(semaphore, 1000), RTOS_ERROR_CONTEXT);
    CHECK_EQUAL(rtos_semaphore_wait(semaphore, RTOS_NO_WAIT), RTOS_ERROR_TIMEOUT);
    CHECK_EQUAL(rtos_scheduler_unlock(), RTOS_OK);
    rtos_semaphore_delete(semaphore);
}

const struct test tests[] = {
    {"semaphore counts", counts},
    {"semaphore refuses bad arguments", refuses_bad_arguments},
    {"semaphore table is finite", table_is_finite},
    {"semaphore wakes by priority, then age", wakes_by_priority_then_age},
    {"semaphore waiters reordered by change of priority", change_of_priority_reorders_waiters},
    {"semaphore times out", times_out},
    {"semaphore delete wakes waiters", delete_wakes_waiters},
    {"semaphore does not wait under the scheduler lock", no_wait_under_the_scheduler_lock},
    {NULL, NULL},
};
