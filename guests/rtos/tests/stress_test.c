/* Everything at once: interrupts at unrelated periods, tasks that block, preempt and share, and sums that must agree. */
#include "test.h"

#include <rtos/interrupt.h>

#define WORKERS 3
#define DURATION_US 500000

static rtos_id queue, mailbox, mutex, semaphore, event, pool;
static volatile int stop;
static volatile uint32_t sent, lost, next_expected, out_of_order, posted, taken, rounds[WORKERS], exclusion_broken, users;
static rtos_id timers[4];

/* In the timer interrupt: a numbered message, dropped when the queue is full. */
static void send_number(void *argument)
{
    uint32_t number = sent;
    (void)argument;
    if (rtos_k_queue_send(queue, &number, RTOS_NO_WAIT) == RTOS_OK)
        ++sent;
    else
        ++lost;
}

static void post(void *argument)
{
    (void)argument;
    if (rtos_k_semaphore_post(semaphore) == RTOS_OK)
        ++posted;
}

static void signal(void *argument)
{
    (void)argument;
    rtos_k_event_set(event, 1u << (rounds[0] % 3));
}

static void create_timer(uint32_t index, void (*handler)(void *), uint32_t period_us)
{
    struct rtos_timer_attributes attributes = {.action = RTOS_TIMER_CALL, .handler = handler};
    timers[index] = rtos_k_timer_create(&attributes);
    rtos_ticks period = rtos_k_ticks_from_us(period_us);
    rtos_k_timer_start(timers[index], (uint32_t)period, (uint32_t)period);
}

static int start_timers(void *argument)
{
    (void)argument;
    create_timer(0, send_number, 1397);
    create_timer(1, post, 1083);
    create_timer(2, signal, 1541);
    return 0;
}

static int receive_numbers(void *argument)
{
    uint32_t number;
    (void)argument;
    while (!stop) {
        if (rtos_queue_receive(queue, &number, 3000) == RTOS_OK && number != next_expected++)
            ++out_of_order;
    }
    while (rtos_queue_receive(queue, &number, RTOS_NO_WAIT) == RTOS_OK)
        ++next_expected;
    return 0;
}

static int take_units(void *argument)
{
    (void)argument;
    while (!stop) {
        if (rtos_semaphore_wait(semaphore, 700) == RTOS_OK)
            ++taken;
    }
    while (rtos_semaphore_wait(semaphore, RTOS_NO_WAIT) == RTOS_OK)
        ++taken;
    return 0;
}

/* Passes shared messages round, under a mutex, with blocks of a pool. */
static int work(void *argument)
{
    uint32_t self = (uint32_t)(uintptr_t)argument;
    while (!stop) {
        void *message = NULL, *block = NULL;
        if (rtos_message_alloc(&message, 1000) == RTOS_OK) {
            *(uint32_t *)message = self;
            rtos_mailbox_send(mailbox, message);
        }
        if (rtos_mutex_lock(mutex, 2000 * self) >= 0) {
            if (users++ != 0)
                ++exclusion_broken;
            rtos_pool_alloc(pool, &block, 500);
            if (self == 1)
                rtos_task_sleep(150);
            if (--users != 0)
                ++exclusion_broken;
            rtos_mutex_unlock(mutex);
        }
        rtos_event_wait(event, 7, RTOS_EVENT_ANY | RTOS_EVENT_CLEAR, 900);
        if (block != NULL)
            rtos_pool_free(pool, block);
        if (rtos_mailbox_receive(mailbox, &message, RTOS_NO_WAIT) == RTOS_OK)
            rtos_message_free(message);
        ++rounds[self];
    }
    return 0;
}

static void sums_agree(void)
{
    queue = rtos_queue_create(4, 6);
    mailbox = rtos_mailbox_create();
    mutex = rtos_mutex_create(0);
    semaphore = rtos_semaphore_create(0, 4);
    event = rtos_event_create(0);
    pool = rtos_pool_create(12, 2);
    rtos_id receiver = test_spawn(receive_numbers, NULL, TEST_PRIORITY - 1);
    rtos_id taker = test_spawn(take_units, NULL, TEST_PRIORITY - 3);
    rtos_id workers[WORKERS];
    for (uint32_t index = 0; index < WORKERS; ++index)
        workers[index] = test_spawn(work, (void *)(uintptr_t)index, TEST_PRIORITY - 2 - index % 2);
    test_run_privileged(start_timers, NULL);
    rtos_task_sleep(DURATION_US);
    for (uint32_t index = 0; index < 3; ++index)
        CHECK_EQUAL(rtos_timer_delete(timers[index]), RTOS_OK);
    stop = 1;
    test_join(receiver);
    test_join(taker);
    for (uint32_t index = 0; index < WORKERS; ++index) {
        test_join(workers[index]);
        CHECK(rounds[index] > 20);
    }
    CHECK_EQUAL(next_expected, sent);
    CHECK_EQUAL(out_of_order, 0);
    CHECK_EQUAL(taken, posted);
    CHECK_EQUAL(exclusion_broken, 0);
    CHECK(sent > 200 && posted > 200);
    CHECK_EQUAL(rtos_mutex_owner(mutex), 0);
    CHECK_EQUAL(rtos_pool_available(pool), 2);
    rtos_mailbox_delete(mailbox);
    rtos_queue_delete(queue);
    rtos_mutex_delete(mutex);
    rtos_semaphore_delete(semaphore);
    rtos_event_delete(event);
    rtos_pool_delete(pool);
}

/* Tasks that are created, run for a moment and are deleted, over and over. */
static int spin(void *argument)
{
    static const volatile int go_on = 1;
    (void)argument;
    while (go_on)
        rtos_task_sleep(600);
    return 0;
}

static void tasks_come_and_go(void)
{
    for (int round = 0; round < 60; ++round) {
        rtos_id one = test_spawn(spin, NULL, TEST_PRIORITY - 1 + round % 3);
        rtos_id two = test_spawn_as(spin, NULL, TEST_PRIORITY + 1, round % 2 ? RTOS_TASK_PRIVILEGED : 0);
        rtos_task_sleep(50 + 37 * (uint32_t)round % 400);
        CHECK_EQUAL(rtos_task_delete(one), RTOS_OK);
        CHECK_EQUAL(rtos_task_delete(two), RTOS_OK);
        CHECK_EQUAL(test_join(one), RTOS_EXIT_KILLED);
        CHECK_EQUAL(test_join(two), RTOS_EXIT_KILLED);
    }
}

const struct test tests[] = {
    {"stress sums agree", sums_agree},
    {"stress tasks come and go", tasks_come_and_go},
    {NULL, NULL},
};
