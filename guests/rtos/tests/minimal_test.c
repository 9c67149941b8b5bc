/* Uses tasks and time only, so that it also runs on a kernel whose other services are switched off. */
#include "test.h"

static int sleep_and_trace(void *argument)
{
    rtos_task_sleep(1000);
    test_trace((char)(uintptr_t)argument);
    return 3;
}

static void tasks_and_time(void)
{
    rtos_ticks start = test_now();
    rtos_id task = test_spawn(sleep_and_trace, (void *)'m', TEST_PRIORITY - 1);
    CHECK_EQUAL(test_join(task), 3);
    CHECK_TRACE("m");
    CHECK(test_now() - start >= test_ticks(1000));
}

static void absent_services_are_refused(void)
{
    rtos_status expected = RTOS_CONFIG_SEMAPHORES ? RTOS_ERROR_PARAMETER : RTOS_ERROR_NOT_SUPPORTED;
    CHECK_EQUAL(test_call((const uint32_t[4]){0, 0, 0, 0}, 32), expected);
}

static void no_peer_is_preempted_without_slices(void)
{
    if (RTOS_CONFIG_TIME_SLICE_US != 0)
        return;
    rtos_id peer = test_spawn(sleep_and_trace, (void *)'p', TEST_PRIORITY);
    rtos_ticks end = test_now() + test_ticks(30000);
    while (test_now() < end)
        ;
    CHECK_TRACE("");
    CHECK_EQUAL(test_join(peer), 3);
}

const struct test tests[] = {
    {"minimal tasks and time", tasks_and_time},
    {"minimal absent services are refused", absent_services_are_refused},
    {"minimal no peer is preempted without slices", no_peer_is_preempted_without_slices},
    {NULL, NULL},
};
