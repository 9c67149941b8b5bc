#include "test.h"

static rtos_id mutex, outer, inner;

static void locks_and_unlocks(void)
{
    mutex = rtos_mutex_create(0);
    CHECK_EQUAL(rtos_mutex_owner(mutex), 0);
    CHECK_EQUAL(rtos_mutex_lock(mutex, RTOS_WAIT_FOREVER), RTOS_OK);
    CHECK_EQUAL(rtos_mutex_owner(mutex), rtos_task_self());
    CHECK_EQUAL(rtos_mutex_lock(mutex, RTOS_WAIT_FOREVER), RTOS_ERROR_DEADLOCK);
    CHECK_EQUAL(rtos_mutex_unlock(mutex), RTOS_OK);
    CHECK_EQUAL(rtos_mutex_unlock(mutex), RTOS_ERROR_OWNER);
    CHECK_EQUAL(rtos_mutex_delete(mutex), RTOS_OK);
}

static void recursive_counts_its_locks(void)
{
    mutex = rtos_mutex_create(RTOS_MUTEX_RECURSIVE);
    CHECK_EQUAL(rtos_mutex_lock(mutex, RTOS_NO_WAIT), RTOS_OK);
    CHECK_EQUAL(rtos_mutex_lock(mutex, RTOS_NO_WAIT), RTOS_OK);
    CHECK_EQUAL(rtos_mutex_unlock(mutex), RTOS_OK);
    CHECK_EQUAL(rtos_mutex_owner(mutex), rtos_task_self());
    CHECK_EQUAL(rtos_mutex_unlock(mutex), RTOS_OK);
    CHECK_EQUAL(rtos_mutex_owner(mutex), 0);
    rtos_mutex_delete(mutex);
}

static int unlock_only(void *argument)
{
    (void)argument;
    return rtos_mutex_unlock(mutex);
}

static void refuses_bad_arguments(void)
{
    CHECK_EQUAL(rtos_mutex_create(2), RTOS_ERROR_PARAMETER);
    CHECK_EQUAL(rtos_mutex_lock(0, RTOS_NO_WAIT), RTOS_ERROR_ID);
    CHECK_EQUAL(rtos_mutex_unlock(rtos_task_self()), RTOS_ERROR_ID);
    CHECK_EQUAL(rtos_mutex_owner(-3), RTOS_ERROR_ID);
    CHECK_EQUAL(rtos_mutex_delete(0), RTOS_ERROR_ID);
    mutex = rtos_mutex_create(0);
    rtos_mutex_lock(mutex, RTOS_NO_WAIT);
    CHECK_EQUAL(test_join(test_spawn(unlock_only, NULL, TEST_PRIORITY + 1)), RTOS_ERROR_OWNER);
    rtos_mutex_delete(mutex);
}

static int lock_trace_unlock(void *argument)
{
    rtos_status result = rtos_mutex_lock(mutex, RTOS_WAIT_FOREVER);
    test_trace((char)(uintptr_t)argument);
    if (result >= 0)
        rtos_mutex_unlock(mutex);
    return result;
}

static int lock_with_timeout(void *argument)
{
    rtos_status result = rtos_mutex_lock(mutex, (uint32_t)(uintptr_t)argument);
    if (result >= 0)
        rtos_mutex_unlock(mutex);
    return result;
}

static void owner_inherits_priority(void)
{
    mutex = rtos_mutex_create(0);
    rtos_mutex_lock(mutex, RTOS_NO_WAIT);
    rtos_id low = test_spawn(lock_trace_unlock, (void *)'l', TEST_PRIORITY + 1);
    CHECK_EQUAL(rtos_task_get_priority(RTOS_SELF), TEST_PRIORITY + 1);
    rtos_id high = test_spawn(lock_trace_unlock, (void *)'h', TEST_PRIORITY + 5);
    CHECK_EQUAL(rtos_task_get_priority(RTOS_SELF), TEST_PRIORITY + 5);
    rtos_mutex_unlock(mutex);
    CHECK_TRACE("hl");
    CHECK_EQUAL(rtos_task_get_priority(RTOS_SELF), TEST_PRIORITY);
    CHECK_EQUAL(test_join(low), RTOS_OK);
    CHECK_EQUAL(test_join(high), RTOS_OK);
    rtos_mutex_delete(mutex);
}

/* Without inheritance the middle task would keep the low owner from unlocking. */
static int low_owner(void *argument)
{
    (void)argument;
    rtos_mutex_lock(mutex, RTOS_WAIT_FOREVER);
    rtos_task_sleep(5000);
    test_trace('u');
    rtos_mutex_unlock(mutex);
    test_trace('L');
    return 0;
}

static int middle_worker(void *argument)
{
    (void)argument;
    rtos_ticks end = test_now() + test_ticks(20000);
    while (test_now() < end)
        ;
    test_trace('M');
    return 0;
}

static void no_inversion_of_priority(void)
{
    mutex = rtos_mutex_create(0);
    rtos_id low = test_spawn(low_owner, NULL, TEST_PRIORITY + 1);
    rtos_id high = test_spawn(lock_trace_unlock, (void *)'H', TEST_PRIORITY + 3);
    rtos_id middle = test_spawn(middle_worker, NULL, TEST_PRIORITY + 2);
    test_join(low);
    CHECK_TRACE("uHML");
    test_join(middle);
    test_join(high);
    rtos_mutex_delete(mutex);
}

static int middle_of_chain(void *argument)
{
    (void)argument;
    rtos_mutex_lock(outer, RTOS_WAIT_FOREVER);
    rtos_status result = rtos_mutex_lock(inner, RTOS_WAIT_FOREVER);
    if (result >= 0)
        rtos_mutex_unlock(inner);
    rtos_mutex_unlock(outer);
    return result;
}

static int end_of_chain(void *timeout_us)
{
    rtos_status result = rtos_mutex_lock(outer, (uint32_t)(uintptr_t)timeout_us);
    if (result >= 0)
        rtos_mutex_unlock(outer);
    return result;
}

static void inheritance_goes_along_the_chain(void)
{
    outer = rtos_mutex_create(0);
    inner = rtos_mutex_create(0);
    rtos_mutex_lock(inner, RTOS_NO_WAIT);
    rtos_id middle = test_spawn(middle_of_chain, NULL, TEST_PRIORITY + 1);
    CHECK_EQUAL(rtos_task_get_priority(RTOS_SELF), TEST_PRIORITY + 1);
    rtos_id high = test_spawn(end_of_chain, (void *)RTOS_WAIT_FOREVER, TEST_PRIORITY + 4);
    CHECK_EQUAL(rtos_task_get_priority(middle), TEST_PRIORITY + 4);
    CHECK_EQUAL(rtos_task_get_priority(RTOS_SELF), TEST_PRIORITY + 4);
    rtos_mutex_unlock(inner);
    CHECK_EQUAL(rtos_task_get_priority(RTOS_SELF), TEST_PRIORITY);
    CHECK_EQUAL(test_join(middle), RTOS_OK);
    CHECK_EQUAL(test_join(high), RTOS_OK);
    rtos_mutex_delete(outer);
    rtos_mutex_delete(inner);
}

static void inheritance_ends_with_a_time_out(void)
{
    outer = rtos_mutex_create(0);
    inner = rtos_mutex_create(0);
    rtos_mutex_lock(inner, RTOS_NO_WAIT);
    rtos_id middle = test_spawn(middle_of_chain, NULL, TEST_PRIORITY + 1);
    rtos_id high = test_spawn(end_of_chain, (void *)1000, TEST_PRIORITY + 4);
    CHECK_EQUAL(rtos_task_get_priority(RTOS_SELF), TEST_PRIORITY + 4);
    CHECK_EQUAL(test_join(high), RTOS_ERROR_TIMEOUT);
    CHECK_EQUAL(rtos_task_get_priority(middle), TEST_PRIORITY + 1);
    CHECK_EQUAL(rtos_task_get_priority(RTOS_SELF), TEST_PRIORITY + 1);
    rtos_mutex_unlock(inner);
    CHECK_EQUAL(test_join(middle), RTOS_OK);
    rtos_mutex_delete(outer);
    rtos_mutex_delete(inner);
}

static void change_of_waiter_priority_reaches_the_owner(void)
{
    mutex = rtos_mutex_create(0);
    rtos_mutex_lock(mutex, RTOS_NO_WAIT);
    rtos_id waiter = test_spawn(lock_trace_unlock, (void *)'w', TEST_PRIORITY + 1);
    CHECK_EQUAL(rtos_task_set_priority(waiter, TEST_PRIORITY + 6), TEST_PRIORITY + 1);
    CHECK_EQUAL(rtos_task_get_priority(RTOS_SELF), TEST_PRIORITY + 6);
    CHECK_EQUAL(rtos_task_set_priority(waiter, TEST_PRIORITY + 2), TEST_PRIORITY + 6);
    CHECK_EQUAL(rtos_task_get_priority(RTOS_SELF), TEST_PRIORITY + 2);
    CHECK_EQUAL(rtos_task_set_priority(RTOS_SELF, TEST_PRIORITY - 1), TEST_PRIORITY);
    CHECK_EQUAL(rtos_task_get_priority(RTOS_SELF), TEST_PRIORITY + 2);
    rtos_task_set_priority(RTOS_SELF, TEST_PRIORITY);
    rtos_mutex_unlock(mutex);
    CHECK_EQUAL(rtos_task_get_priority(RTOS_SELF), TEST_PRIORITY);
    CHECK_EQUAL(test_join(waiter), RTOS_OK);
    CHECK_TRACE("w");
    rtos_mutex_delete(mutex);
}

static void several_held_mutexes_keep_the_highest(void)
{
    outer = rtos_mutex_create(0);
    mutex = rtos_mutex_create(0);
    rtos_mutex_lock(outer, RTOS_NO_WAIT);
    rtos_mutex_lock(mutex, RTOS_NO_WAIT);
    rtos_id low = test_spawn(lock_with_timeout, (void *)RTOS_WAIT_FOREVER, TEST_PRIORITY + 1);
    rtos_id high = test_spawn(end_of_chain, (void *)RTOS_WAIT_FOREVER, TEST_PRIORITY + 3);
    CHECK_EQUAL(rtos_task_get_priority(RTOS_SELF), TEST_PRIORITY + 3);
    rtos_mutex_unlock(outer);
    CHECK_EQUAL(rtos_task_get_priority(RTOS_SELF), TEST_PRIORITY + 1);
    rtos_mutex_unlock(mutex);
    CHECK_EQUAL(rtos_task_get_priority(RTOS_SELF), TEST_PRIORITY);
    test_join(low);
    test_join(high);
    rtos_mutex_delete(outer);
    rtos_mutex_delete(mutex);
}

static int lock_both(void *argument)
{
    (void)argument;
    rtos_mutex_lock(outer, RTOS_WAIT_FOREVER);
    rtos_status result = rtos_mutex_lock(inner, RTOS_WAIT_FOREVER);
    if (result >= 0)
        rtos_mutex_unlock(inner);
    rtos_mutex_unlock(outer);
    return result;
}

static void circle_of_owners_is_refused(void)
{
    outer = rtos_mutex_create(0);
    inner = rtos_mutex_create(0);
    rtos_mutex_lock(inner, RTOS_NO_WAIT);
    rtos_id other = test_spawn(lock_both, NULL, TEST_PRIORITY + 1);
    CHECK_EQUAL(rtos_mutex_lock(outer, RTOS_WAIT_FOREVER), RTOS_ERROR_DEADLOCK);
    rtos_mutex_unlock(inner);
    CHECK_EQUAL(test_join(other), RTOS_OK);
    rtos_mutex_delete(outer);
    rtos_mutex_delete(inner);
}

static int die_with_the_mutex(void *argument)
{
    (void)argument;
    rtos_mutex_lock(mutex, RTOS_WAIT_FOREVER);
    rtos_task_sleep(RTOS_WAIT_FOREVER);
    return 7;
}

static void death_of_the_owner_shows(void)
{
    mutex = rtos_mutex_create(0);
    rtos_id owner = test_spawn(die_with_the_mutex, NULL, TEST_PRIORITY + 1);
    rtos_id waiter = test_spawn(lock_trace_unlock, (void *)'w', TEST_PRIORITY + 2);
    CHECK_EQUAL(rtos_task_delete(owner), RTOS_OK);
    CHECK_EQUAL(test_join(owner), RTOS_EXIT_KILLED);
    CHECK_EQUAL(test_join(waiter), RTOS_OWNER_DIED);
    CHECK_TRACE("w");
    CHECK_EQUAL(rtos_mutex_lock(mutex, RTOS_NO_WAIT), RTOS_OK);
    rtos_mutex_unlock(mutex);
    rtos_mutex_delete(mutex);
}

static void unlocked_by_death_is_told_once(void)
{
    mutex = rtos_mutex_create(0);
    rtos_id owner = test_spawn(die_with_the_mutex, NULL, TEST_PRIORITY + 1);
    CHECK_EQUAL(rtos_mutex_owner(mutex), owner);
    rtos_task_delete(owner);
    CHECK_EQUAL(test_join(owner), RTOS_EXIT_KILLED);
    CHECK_EQUAL(rtos_mutex_lock(mutex, RTOS_NO_WAIT), RTOS_OWNER_DIED);
    CHECK_EQUAL(rtos_mutex_unlock(mutex), RTOS_OK);
    CHECK_EQUAL(rtos_mutex_lock(mutex, RTOS_NO_WAIT), RTOS_OK);
    CHECK_EQUAL(rtos_mutex_unlock(mutex), RTOS_OK);
    rtos_mutex_delete(mutex);
}

static void delete_wakes_waiters(void)
{
    mutex = rtos_mutex_create(0);
    rtos_mutex_lock(mutex, RTOS_NO_WAIT);
    rtos_id waiter = test_spawn(lock_trace_unlock, (void *)'w', TEST_PRIORITY + 2);
    CHECK_EQUAL(rtos_task_get_priority(RTOS_SELF), TEST_PRIORITY + 2);
    CHECK_EQUAL(rtos_mutex_delete(mutex), RTOS_OK);
    CHECK_EQUAL(rtos_task_get_priority(RTOS_SELF), TEST_PRIORITY);
    CHECK_EQUAL(test_join(waiter), RTOS_ERROR_DELETED);
    CHECK_TRACE("w");
}

static void times_out(void)
{
    mutex = rtos_mutex_create(0);
    rtos_mutex_lock(mutex, RTOS_NO_WAIT);
    CHECK_EQUAL(test_join(test_spawn(lock_with_timeout, (void *)RTOS_NO_WAIT, TEST_PRIORITY + 1)), RTOS_ERROR_TIMEOUT);
    CHECK_EQUAL(test_join(test_spawn(lock_with_timeout, (void *)500, TEST_PRIORITY + 1)), RTOS_ERROR_TIMEOUT);
    CHECK_EQUAL(rtos_task_get_priority(RTOS_SELF), TEST_PRIORITY);
    rtos_mutex_unlock(mutex);
    rtos_mutex_delete(mutex);
}

const struct test tests[] = {
    {"mutex locks and unlocks", locks_and_unlocks},
    {"mutex recursive counts its locks", recursive_counts_its_locks},
    {"mutex refuses bad arguments", refuses_bad_arguments},
    {"mutex owner inherits priority", owner_inherits_priority},
    {"mutex no inversion of priority", no_inversion_of_priority},
    {"mutex inheritance goes along the chain", inheritance_goes_along_the_chain},
    {"mutex inheritance ends with a time-out", inheritance_ends_with_a_time_out},
    {"mutex change of waiter priority reaches the owner", change_of_waiter_priority_reaches_the_owner},
    {"mutex several held keep the highest priority", several_held_mutexes_keep_the_highest},
    {"mutex circle of owners is refused", circle_of_owners_is_refused},
    {"mutex death of the owner shows", death_of_the_owner_shows},
    {"mutex unlocked by death is told once", unlocked_by_death_is_told_once},
    {"mutex delete wakes waiters", delete_wakes_waiters},
    {"mutex times out", times_out},
    {NULL, NULL},
};
