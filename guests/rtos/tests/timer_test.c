#include "test.h"

#define EXPIRIES_MAX 32

/* Longest time from an expiry to its handler that the tests accept, with the kernel in slow ROM. */
#define LATENCY_MAX_US 100

static rtos_ticks expiries[EXPIRIES_MAX];
static volatile uint32_t expiry_count;

static void note_expiry(void *argument)
{
    (void)argument;
    if (expiry_count < EXPIRIES_MAX)
        expiries[expiry_count++] = rtos_k_time_now();
}

static int create_noting_timer(void *argument)
{
    struct rtos_timer_attributes attributes = {.action = RTOS_TIMER_CALL, .handler = note_expiry};
    (void)argument;
    return rtos_k_timer_create(&attributes);
}

static rtos_id noting_timer(void)
{
    rtos_id timer = test_run_privileged(create_noting_timer, NULL);
    CHECK(timer > 0);
    expiry_count = 0;
    return timer;
}

static void one_shot_expires_on_time(void)
{
    static const uint32_t delays_us[] = {0, 1, 5, 50, 1000, 20000, 60000, 130000};
    rtos_id timer = noting_timer();
    for (uint32_t index = 0; index < sizeof delays_us / sizeof delays_us[0]; ++index) {
        expiry_count = 0;
        rtos_ticks start = test_now();
        CHECK_EQUAL(rtos_timer_start(timer, test_ticks(delays_us[index]), 0), RTOS_OK);
        rtos_task_sleep(delays_us[index] + 500);
        CHECK_EQUAL(expiry_count, 1);
        CHECK(expiries[0] >= start + test_ticks(delays_us[index]));
        CHECK(expiries[0] <= start + test_ticks(delays_us[index]) + 2 * test_ticks(LATENCY_MAX_US));
        CHECK_EQUAL(rtos_timer_remaining(timer), RTOS_ERROR_STATE);
    }
    CHECK_EQUAL(rtos_timer_delete(timer), RTOS_OK);
}

static void periodic_does_not_drift(void)
{
    rtos_id timer = noting_timer();
    uint32_t period = test_ticks(777);
    CHECK_EQUAL(rtos_timer_start(timer, period, period), RTOS_OK);
    rtos_task_sleep(777 * 20 + 300);
    CHECK_EQUAL(rtos_timer_stop(timer), RTOS_OK);
    CHECK_EQUAL(expiry_count, 20);
    rtos_ticks first = expiries[0];
    for (uint32_t index = 1; index < 20; ++index) {
        rtos_ticks wanted = first + index * period;
        CHECK(expiries[index] + test_ticks(LATENCY_MAX_US) >= wanted && expiries[index] <= wanted + test_ticks(LATENCY_MAX_US));
    }
    rtos_task_sleep(2000);
    CHECK_EQUAL(expiry_count, 20);
    rtos_timer_delete(timer);
}

static void stop_and_remaining(void)
{
    rtos_id timer = noting_timer();
    CHECK_EQUAL(rtos_timer_stop(timer), RTOS_ERROR_STATE);
    rtos_timer_start(timer, test_ticks(2000), 0);
    rtos_task_sleep(500);
    rtos_status left = rtos_timer_remaining(timer);
    CHECK(left > 0 && left <= (rtos_status)test_ticks(1500));
    CHECK_EQUAL(rtos_timer_stop(timer), RTOS_OK);
    rtos_task_sleep(3000);
    CHECK_EQUAL(expiry_count, 0);
    rtos_timer_start(timer, 0xffffffffu, 0);
    CHECK_EQUAL(rtos_timer_remaining(timer), INT32_MAX);
    rtos_timer_start(timer, test_ticks(1000), 0);
    rtos_task_sleep(2000);
    CHECK_EQUAL(expiry_count, 1);
    rtos_timer_delete(timer);
}

static void posts_and_sets(void)
{
    rtos_id semaphore = rtos_semaphore_create(0, 5), event = rtos_event_create(0);
    struct rtos_timer_attributes post = {.action = RTOS_TIMER_POST, .target = semaphore};
    struct rtos_timer_attributes set = {.action = RTOS_TIMER_SET, .target = event, .flags = 6};
    rtos_id poster = rtos_timer_create(&post), setter = rtos_timer_create(&set);
    rtos_timer_start(poster, test_ticks(300), test_ticks(1000));
    rtos_timer_start(setter, test_ticks(1700), 0);
    CHECK_EQUAL(rtos_semaphore_wait(semaphore, 500), RTOS_OK);
    CHECK_EQUAL(rtos_semaphore_wait(semaphore, 500), RTOS_ERROR_TIMEOUT);
    CHECK_EQUAL(rtos_semaphore_wait(semaphore, 700), RTOS_OK);
    CHECK_EQUAL(rtos_event_wait(event, 7, RTOS_EVENT_ANY, 1000), 6);
    CHECK_EQUAL(rtos_semaphore_wait(semaphore, 1000), RTOS_OK);
    rtos_semaphore_delete(semaphore);
    rtos_task_sleep(1500);
    CHECK_EQUAL(rtos_timer_delete(poster), RTOS_OK);
    CHECK_EQUAL(rtos_timer_delete(setter), RTOS_OK);
    rtos_event_delete(event);
}

static void many_timers_expire_in_order(void)
{
    static const uint32_t delays_us[] = {900, 300, 1500, 600, 1200, 1500, 2100, 1800};
    rtos_id timers[8];
    rtos_id queue_of_wakes = rtos_semaphore_create(0, 8);
    struct rtos_timer_attributes attributes = {.action = RTOS_TIMER_POST, .target = queue_of_wakes};
    for (uint32_t index = 0; index < 8; ++index)
        timers[index] = rtos_timer_create(&attributes);
    rtos_scheduler_lock();
    for (uint32_t index = 0; index < 8; ++index)
        rtos_timer_start(timers[index], test_ticks(delays_us[index]), 0);
    rtos_scheduler_unlock();
    for (uint32_t expired = 1; expired <= 8; ++expired) {
        CHECK_EQUAL(rtos_semaphore_wait(queue_of_wakes, 1000), RTOS_OK);
        uint32_t stopped = 0;
        for (uint32_t index = 0; index < 8; ++index)
            stopped += rtos_timer_remaining(timers[index]) == RTOS_ERROR_STATE;
        CHECK(stopped == expired || (stopped == expired + 1 && delays_us[2] == delays_us[5]));
    }
    for (uint32_t index = 0; index < 8; ++index)
        CHECK_EQUAL(rtos_timer_delete(timers[index]), RTOS_OK);
    rtos_semaphore_delete(queue_of_wakes);
}

static void refuses_bad_arguments(void)
{
    struct rtos_timer_attributes attributes = {.action = RTOS_TIMER_CALL, .handler = note_expiry};
    CHECK_EQUAL(rtos_timer_create(&attributes), RTOS_ERROR_PERMISSION);
    attributes.handler = (void (*)(void *))0xfffffffd;
    CHECK_EQUAL(rtos_timer_create(&attributes), RTOS_ERROR_PARAMETER);
    attributes.action = 9;
    CHECK_EQUAL(rtos_timer_create(&attributes), RTOS_ERROR_PARAMETER);
    attributes = (struct rtos_timer_attributes){.action = RTOS_TIMER_SET, .flags = 0x80000000u};
    CHECK_EQUAL(rtos_timer_create(&attributes), RTOS_ERROR_PARAMETER);
    CHECK_EQUAL(rtos_timer_create((void *)0xfffffff0u), RTOS_ERROR_PARAMETER);
    attributes.action = RTOS_TIMER_POST;
    rtos_id timer = rtos_timer_create(&attributes);
    CHECK_EQUAL(rtos_timer_start(timer, 1, 1), RTOS_ERROR_PARAMETER);
    CHECK_EQUAL(rtos_timer_start(timer, 1, test_ticks(RTOS_CONFIG_TIMER_PERIOD_MIN_US) - 1), RTOS_ERROR_PARAMETER);
    rtos_timer_delete(timer);
    CHECK_EQUAL(rtos_timer_start(timer, 1, 0), RTOS_ERROR_ID);
    CHECK_EQUAL(rtos_timer_stop(timer), RTOS_ERROR_ID);
    CHECK_EQUAL(rtos_timer_remaining(timer), RTOS_ERROR_ID);
    CHECK_EQUAL(rtos_timer_delete(timer), RTOS_ERROR_ID);
    CHECK_EQUAL(rtos_time_get((void *)0xfffffff8u), RTOS_ERROR_PARAMETER);
}

static void clock_never_goes_back(void)
{
    rtos_ticks start = test_now(), before = start;
    uint32_t length = test_ticks(120000); /* More than two rounds of a 16-bit counter. */
    while (before < start + length) {
        rtos_ticks now = test_now();
        CHECK(now >= before && now - before < test_ticks(1000));
        before = now;
    }
    rtos_task_sleep(200000);
    CHECK(test_now() >= before + test_ticks(200000) && test_now() < before + test_ticks(201000));
}

static int convert(void *argument)
{
    (void)argument;
    uint32_t frequency = (uint32_t)rtos_k_time_frequency();
    if (rtos_k_ticks_from_us(0) != 0)
        return 1;
    for (uint32_t us = 1; us != 0; us *= 10, us = us > 1000000000u ? 0 : us) {
        uint64_t exact = ((uint64_t)us * frequency + 999999u) / 1000000u;
        rtos_ticks ticks = rtos_k_ticks_from_us(us);
        if (ticks < exact || ticks > exact + 1)
            return 2;
    }
    if (rtos_k_ns_from_ticks(frequency) != 1000000000u || rtos_k_ns_from_ticks(3ull * frequency / 2) != 1500000000u)
        return 3;
    return 0;
}

static void units_convert(void)
{
    CHECK_EQUAL(test_run_privileged(convert, NULL), 0);
}

const struct test tests[] = {
    {"timer one-shot expires on time", one_shot_expires_on_time},
    {"timer periodic does not drift", periodic_does_not_drift},
    {"timer stop and remaining", stop_and_remaining},
    {"timer posts and sets", posts_and_sets},
    {"timer many expire in order", many_timers_expire_in_order},
    {"timer refuses bad arguments", refuses_bad_arguments},
    {"timer clock never goes back", clock_never_goes_back},
    {"timer units convert", units_convert},
    {NULL, NULL},
};
