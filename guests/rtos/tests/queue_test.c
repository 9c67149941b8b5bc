#include "test.h"

static rtos_id queue;

struct message {
    uint32_t number;
    char text[8];
};

static void keeps_order_and_contents(void)
{
    struct message message = {0, "message"};
    queue = rtos_queue_create(sizeof message, 3);
    for (uint32_t round = 0; round < 4; ++round) {
        for (message.number = 0; message.number < 3; ++message.number)
            CHECK_EQUAL(rtos_queue_send(queue, &message, RTOS_NO_WAIT), RTOS_OK);
        CHECK_EQUAL(rtos_queue_send(queue, &message, RTOS_NO_WAIT), RTOS_ERROR_TIMEOUT);
        CHECK_EQUAL(rtos_queue_count(queue), 3);
        for (uint32_t number = 0; number < 3; ++number) {
            struct message received = {99, ""};
            CHECK_EQUAL(rtos_queue_receive(queue, &received, RTOS_NO_WAIT), RTOS_OK);
            CHECK_EQUAL(received.number, number);
            CHECK_EQUAL(__builtin_memcmp(received.text, "message", 8), 0);
        }
        CHECK_EQUAL(rtos_queue_receive(queue, &message, RTOS_NO_WAIT), RTOS_ERROR_TIMEOUT);
        rtos_queue_send(queue, &message, RTOS_NO_WAIT);
        rtos_queue_receive(queue, &message, RTOS_NO_WAIT);
    }
    CHECK_EQUAL(rtos_queue_delete(queue), RTOS_OK);
}

static void urgent_goes_first(void)
{
    char received;
    queue = rtos_queue_create(1, 3);
    rtos_queue_send(queue, "a", RTOS_NO_WAIT);
    rtos_queue_send(queue, "b", RTOS_NO_WAIT);
    CHECK_EQUAL(rtos_queue_send_urgent(queue, "u", RTOS_NO_WAIT), RTOS_OK);
    CHECK_EQUAL(rtos_queue_send_urgent(queue, "v", RTOS_NO_WAIT), RTOS_ERROR_TIMEOUT);
    for (const char *expected = "uab"; *expected != '\0'; ++expected) {
        CHECK_EQUAL(rtos_queue_receive(queue, &received, RTOS_NO_WAIT), RTOS_OK);
        CHECK_EQUAL(received, *expected);
    }
    rtos_queue_delete(queue);
}

static void refuses_bad_arguments(void)
{
    char message[4];
    CHECK_EQUAL(rtos_queue_create(0, 1), RTOS_ERROR_PARAMETER);
    CHECK_EQUAL(rtos_queue_create(RTOS_CONFIG_QUEUE_MESSAGE_MAX + 1, 1), RTOS_ERROR_PARAMETER);
    CHECK_EQUAL(rtos_queue_create(4, 0), RTOS_ERROR_PARAMETER);
    CHECK_EQUAL(rtos_queue_create(4, 0xffffffffu), RTOS_ERROR_PARAMETER);
    CHECK_EQUAL(rtos_queue_create(256, 100000), RTOS_ERROR_MEMORY);
    queue = rtos_queue_create(4, 1);
    CHECK_EQUAL(rtos_queue_send(queue, (void *)0xfffffffe, RTOS_NO_WAIT), RTOS_ERROR_PARAMETER);
    CHECK_EQUAL(rtos_queue_receive(queue, (void *)0xffffffff, RTOS_NO_WAIT), RTOS_ERROR_PARAMETER);
    CHECK_EQUAL(rtos_queue_receive(queue, (void *)(uintptr_t)tests, RTOS_NO_WAIT), RTOS_ERROR_PARAMETER);
    CHECK_EQUAL(rtos_queue_send(0, message, RTOS_NO_WAIT), RTOS_ERROR_ID);
    rtos_queue_delete(queue);
    CHECK_EQUAL(rtos_queue_receive(queue, message, RTOS_NO_WAIT), RTOS_ERROR_ID);
    CHECK_EQUAL(rtos_queue_count(queue), RTOS_ERROR_ID);
    CHECK_EQUAL(rtos_queue_delete(queue), RTOS_ERROR_ID);
}

static int receive_and_trace(void *argument)
{
    char received = '?';
    rtos_status result = rtos_queue_receive(queue, &received, (uint32_t)(uintptr_t)argument);
    test_trace(received);
    return result;
}

static int send_step(void *step)
{
    char message = (char)(uintptr_t)step;
    return rtos_queue_send(queue, &message, 2000);
}

static int send_step_urgent(void *step)
{
    char message = (char)(uintptr_t)step;
    return rtos_queue_send_urgent(queue, &message, RTOS_WAIT_FOREVER);
}

static void waiting_receivers_are_served_by_priority(void)
{
    queue = rtos_queue_create(1, 1);
    rtos_id low = test_spawn(receive_and_trace, (void *)RTOS_WAIT_FOREVER, TEST_PRIORITY + 1);
    rtos_id high = test_spawn(receive_and_trace, (void *)RTOS_WAIT_FOREVER, TEST_PRIORITY + 2);
    rtos_queue_send(queue, "h", RTOS_NO_WAIT);
    CHECK_TRACE("h");
    rtos_queue_send(queue, "l", RTOS_NO_WAIT);
    CHECK_TRACE("l");
    CHECK_EQUAL(rtos_queue_count(queue), 0);
    test_join(low);
    test_join(high);
    rtos_queue_delete(queue);
}

static void waiting_senders_are_served_by_priority(void)
{
    char received;
    queue = rtos_queue_create(1, 2);
    rtos_queue_send(queue, "1", RTOS_NO_WAIT);
    rtos_queue_send(queue, "2", RTOS_NO_WAIT);
    rtos_id low = test_spawn(send_step, (void *)'l', TEST_PRIORITY + 1);
    rtos_id high = test_spawn(send_step, (void *)'h', TEST_PRIORITY + 2);
    rtos_id urgent = test_spawn(send_step_urgent, (void *)'u', TEST_PRIORITY + 3);
    for (const char *expected = "1u2hl"; *expected != '\0'; ++expected) {
        CHECK_EQUAL(rtos_queue_receive(queue, &received, RTOS_NO_WAIT), RTOS_OK);
        CHECK_EQUAL(received, *expected);
    }
    CHECK_EQUAL(test_join(low), RTOS_OK);
    CHECK_EQUAL(test_join(high), RTOS_OK);
    CHECK_EQUAL(test_join(urgent), RTOS_OK);
    rtos_queue_delete(queue);
}

static void times_out(void)
{
    queue = rtos_queue_create(1, 1);
    CHECK_EQUAL(test_join(test_spawn(receive_and_trace, (void *)1000, TEST_PRIORITY + 1)), RTOS_ERROR_TIMEOUT);
    CHECK_TRACE("?");
    rtos_queue_send(queue, "x", RTOS_NO_WAIT);
    CHECK_EQUAL(test_join(test_spawn(send_step, (void *)'y', TEST_PRIORITY + 1)), RTOS_ERROR_TIMEOUT);
    CHECK_EQUAL(rtos_queue_count(queue), 1);
    rtos_queue_delete(queue);
}

static void delete_wakes_waiters(void)
{
    queue = rtos_queue_create(1, 1);
    rtos_id task = test_spawn(receive_and_trace, (void *)RTOS_WAIT_FOREVER, TEST_PRIORITY + 1);
    CHECK_EQUAL(rtos_queue_delete(queue), RTOS_OK);
    CHECK_EQUAL(test_join(task), RTOS_ERROR_DELETED);
}

const struct test tests[] = {
    {"queue keeps order and contents", keeps_order_and_contents},
    {"queue urgent goes first", urgent_goes_first},
    {"queue refuses bad arguments", refuses_bad_arguments},
    {"queue serves waiting receivers by priority", waiting_receivers_are_served_by_priority},
    {"queue serves waiting senders by priority", waiting_senders_are_served_by_priority},
    {"queue times out", times_out},
    {"queue delete wakes waiters", delete_wakes_waiters},
    {NULL, NULL},
};
