#include "test.h"

static rtos_id event;

struct wish {
    uint32_t flags;
    uint32_t options;
    char step;
};

static int wait_for(void *argument)
{
    const struct wish *wish = argument;
    rtos_status result = rtos_event_wait(event, wish->flags, wish->options, RTOS_WAIT_FOREVER);
    test_trace(wish->step);
    return result;
}

static void flags_are_set_and_cleared(void)
{
    event = rtos_event_create(5);
    CHECK_EQUAL(rtos_event_get(event), 5);
    CHECK_EQUAL(rtos_event_set(event, 2), RTOS_OK);
    CHECK_EQUAL(rtos_event_clear(event, 1), 7);
    CHECK_EQUAL(rtos_event_get(event), 6);
    CHECK_EQUAL(rtos_event_delete(event), RTOS_OK);
}

static void waits_for_any_and_all(void)
{
    event = rtos_event_create(6);
    CHECK_EQUAL(rtos_event_wait(event, 3, RTOS_EVENT_ANY, RTOS_NO_WAIT), 2);
    CHECK_EQUAL(rtos_event_wait(event, 3, RTOS_EVENT_ALL, RTOS_NO_WAIT), RTOS_ERROR_TIMEOUT);
    CHECK_EQUAL(rtos_event_wait(event, 6, RTOS_EVENT_ALL, RTOS_NO_WAIT), 6);
    CHECK_EQUAL(rtos_event_wait(event, 2, RTOS_EVENT_ANY | RTOS_EVENT_CLEAR, RTOS_NO_WAIT), 2);
    CHECK_EQUAL(rtos_event_get(event), 4);
    CHECK_EQUAL(rtos_event_wait(event, 2, RTOS_EVENT_ANY, 300), RTOS_ERROR_TIMEOUT);
    rtos_event_delete(event);
}

static void refuses_bad_arguments(void)
{
    CHECK_EQUAL(rtos_event_create(0x80000000u), RTOS_ERROR_PARAMETER);
    event = rtos_event_create(0);
    CHECK_EQUAL(rtos_event_set(event, 0x80000000u), RTOS_ERROR_PARAMETER);
    CHECK_EQUAL(rtos_event_wait(event, 0, RTOS_EVENT_ANY, RTOS_NO_WAIT), RTOS_ERROR_PARAMETER);
    CHECK_EQUAL(rtos_event_wait(event, 0xffffffffu, RTOS_EVENT_ANY, RTOS_NO_WAIT), RTOS_ERROR_PARAMETER);
    CHECK_EQUAL(rtos_event_wait(event, 1, 4, RTOS_NO_WAIT), RTOS_ERROR_PARAMETER);
    rtos_event_delete(event);
    CHECK_EQUAL(rtos_event_set(event, 1), RTOS_ERROR_ID);
    CHECK_EQUAL(rtos_event_wait(event, 1, RTOS_EVENT_ANY, RTOS_NO_WAIT), RTOS_ERROR_ID);
    CHECK_EQUAL(rtos_event_get(event), RTOS_ERROR_ID);
    CHECK_EQUAL(rtos_event_delete(event), RTOS_ERROR_ID);
}

static void set_wakes_all_that_are_satisfied(void)
{
    static const struct wish any = {3, RTOS_EVENT_ANY, 'y'}, all = {3, RTOS_EVENT_ALL, 'l'}, other = {8, RTOS_EVENT_ANY, 'o'};
    event = rtos_event_create(0);
    rtos_id any_task = test_spawn(wait_for, (void *)&any, TEST_PRIORITY + 1);
    rtos_id all_task = test_spawn(wait_for, (void *)&all, TEST_PRIORITY + 2);
    rtos_id other_task = test_spawn(wait_for, (void *)&other, TEST_PRIORITY + 3);
    rtos_event_set(event, 1);
    CHECK_TRACE("y");
    rtos_event_set(event, 2);
    CHECK_TRACE("l");
    rtos_event_set(event, 12);
    CHECK_TRACE("o");
    CHECK_EQUAL(test_join(any_task), 1);
    CHECK_EQUAL(test_join(all_task), 3);
    CHECK_EQUAL(test_join(other_task), 8);
    rtos_event_delete(event);
}

static void clearing_waiter_takes_the_flags_from_later_ones(void)
{
    static const struct wish first = {1, RTOS_EVENT_ANY | RTOS_EVENT_CLEAR, '1'}, second = {1, RTOS_EVENT_ANY, '2'};
    event = rtos_event_create(0);
    rtos_id low = test_spawn(wait_for, (void *)&second, TEST_PRIORITY + 1);
    rtos_id high = test_spawn(wait_for, (void *)&first, TEST_PRIORITY + 2);
    rtos_event_set(event, 1);
    CHECK_TRACE("1");
    CHECK_EQUAL(rtos_event_get(event), 0);
    rtos_event_set(event, 1);
    CHECK_TRACE("2");
    CHECK_EQUAL(rtos_event_get(event), 1);
    test_join(low);
    test_join(high);
    rtos_event_delete(event);
}

static void delete_wakes_waiters(void)
{
    static const struct wish wish = {1, RTOS_EVENT_ANY, 'w'};
    event = rtos_event_create(0);
    rtos_id task = test_spawn(wait_for, (void *)&wish, TEST_PRIORITY + 1);
    CHECK_EQUAL(rtos_event_delete(event), RTOS_OK);
    CHECK_EQUAL(test_join(task), RTOS_ERROR_DELETED);
    CHECK_TRACE("w");
}

const struct test tests[] = {
    {"event flags are set and cleared", flags_are_set_and_cleared},
    {"event waits for any and all", waits_for_any_and_all},
    {"event refuses bad arguments", refuses_bad_arguments},
    {"event set wakes all that are satisfied", set_wakes_all_that_are_satisfied},
    {"event clearing waiter takes the flags from later ones", clearing_waiter_takes_the_flags_from_later_ones},
    {"event delete wakes waiters", delete_wakes_waiters},
    {NULL, NULL},
};
