#include "test.h"

static rtos_id mailbox;

static void owner_changes_with_the_message(void)
{
    void *message = NULL, *received = NULL;
    mailbox = rtos_mailbox_create();
    CHECK_EQUAL(rtos_message_alloc(&message, RTOS_NO_WAIT), RTOS_OK);
    CHECK(((uintptr_t)message & 7) == 0);
    CHECK_EQUAL(rtos_message_owner(message), rtos_task_self());
    CHECK_EQUAL(rtos_mailbox_send(mailbox, message), RTOS_OK);
    CHECK_EQUAL(rtos_message_owner(message), mailbox);
    CHECK_EQUAL(rtos_mailbox_send(mailbox, message), RTOS_ERROR_OWNER);
    CHECK_EQUAL(rtos_message_free(message), RTOS_ERROR_OWNER);
    CHECK_EQUAL(rtos_mailbox_count(mailbox), 1);
    CHECK_EQUAL(rtos_mailbox_receive(mailbox, &received, RTOS_NO_WAIT), RTOS_OK);
    CHECK(received == message);
    CHECK_EQUAL(rtos_message_owner(message), rtos_task_self());
    CHECK_EQUAL(rtos_message_free(message), RTOS_OK);
    CHECK_EQUAL(rtos_message_owner(message), 0);
    CHECK_EQUAL(rtos_message_free(message), RTOS_ERROR_OWNER);
    CHECK_EQUAL(rtos_mailbox_delete(mailbox), RTOS_OK);
}

static void keeps_order(void)
{
    char *message[3];
    mailbox = rtos_mailbox_create();
    for (char index = 0; index < 3; ++index) {
        rtos_message_alloc((void **)&message[(int)index], RTOS_NO_WAIT);
        message[(int)index][RTOS_CONFIG_MESSAGE_SIZE - 1] = index;
        rtos_mailbox_send(mailbox, message[(int)index]);
    }
    for (int index = 0; index < 3; ++index) {
        void *received = NULL;
        CHECK_EQUAL(rtos_mailbox_receive(mailbox, &received, RTOS_NO_WAIT), RTOS_OK);
        CHECK(received == message[index] && ((char *)received)[RTOS_CONFIG_MESSAGE_SIZE - 1] == index);
        CHECK_EQUAL(rtos_message_free(received), RTOS_OK);
    }
    rtos_mailbox_delete(mailbox);
}

static void refuses_bad_arguments(void)
{
    void *message = NULL;
    char foreign[RTOS_CONFIG_MESSAGE_SIZE];
    CHECK_EQUAL(rtos_message_alloc((void **)1, RTOS_NO_WAIT), RTOS_ERROR_PARAMETER);
    CHECK_EQUAL(rtos_message_alloc(&message, RTOS_NO_WAIT), RTOS_OK);
    CHECK_EQUAL(rtos_message_free(foreign), RTOS_ERROR_PARAMETER);
    CHECK_EQUAL(rtos_message_free((char *)message + 8), RTOS_ERROR_PARAMETER);
    CHECK_EQUAL(rtos_message_free(NULL), RTOS_ERROR_PARAMETER);
    CHECK_EQUAL(rtos_message_owner((char *)message + 1), RTOS_ERROR_PARAMETER);
    CHECK_EQUAL(rtos_mailbox_send(0, message), RTOS_ERROR_ID);
    CHECK_EQUAL(rtos_message_owner(message), rtos_task_self());
    CHECK_EQUAL(rtos_message_free(message), RTOS_OK);
    mailbox = rtos_mailbox_create();
    CHECK_EQUAL(rtos_mailbox_send(mailbox, foreign), RTOS_ERROR_PARAMETER);
    CHECK_EQUAL(rtos_mailbox_receive(mailbox, (void **)0xfffffffc, RTOS_NO_WAIT), RTOS_ERROR_PARAMETER);
    CHECK_EQUAL(rtos_mailbox_receive(mailbox, &message, RTOS_NO_WAIT), RTOS_ERROR_TIMEOUT);
    CHECK(message == NULL);
    rtos_mailbox_delete(mailbox);
    CHECK_EQUAL(rtos_mailbox_count(mailbox), RTOS_ERROR_ID);
    CHECK_EQUAL(rtos_mailbox_delete(mailbox), RTOS_ERROR_ID);
}

static int receive_and_trace(void *argument)
{
    char *message = NULL;
    rtos_status result = rtos_mailbox_receive(mailbox, (void **)&message, (uint32_t)(uintptr_t)argument);
    test_trace(result == RTOS_OK ? message[0] : '?');
    if (result == RTOS_OK)
        result = rtos_message_free(message);
    return result;
}

static void waiting_receiver_becomes_owner(void)
{
    char *message = NULL;
    mailbox = rtos_mailbox_create();
    rtos_id low = test_spawn(receive_and_trace, (void *)RTOS_WAIT_FOREVER, TEST_PRIORITY + 1);
    rtos_id high = test_spawn(receive_and_trace, (void *)RTOS_WAIT_FOREVER, TEST_PRIORITY + 2);
    for (const char *step = "hl"; *step != '\0'; ++step) {
        rtos_message_alloc((void **)&message, RTOS_NO_WAIT);
        message[0] = *step;
        CHECK_EQUAL(rtos_mailbox_send(mailbox, message), RTOS_OK);
    }
    CHECK_TRACE("hl");
    CHECK_EQUAL(test_join(low), RTOS_OK);
    CHECK_EQUAL(test_join(high), RTOS_OK);
    CHECK_EQUAL(test_join(test_spawn(receive_and_trace, (void *)500, TEST_PRIORITY + 1)), RTOS_ERROR_TIMEOUT);
    CHECK_TRACE("?");
    rtos_mailbox_delete(mailbox);
}

static int take_one(void *timeout_us)
{
    void *message = NULL;
    rtos_status result = rtos_message_alloc(&message, (uint32_t)(uintptr_t)timeout_us);
    test_trace('t');
    return result == RTOS_OK ? rtos_message_free(message) : result;
}

static void empty_pool_is_waited_for(void)
{
    void *messages[RTOS_CONFIG_MESSAGES + 1];
    uint32_t count = 0;
    while (count < RTOS_CONFIG_MESSAGES && rtos_message_alloc(&messages[count], RTOS_NO_WAIT) == RTOS_OK)
        ++count;
    CHECK_EQUAL(rtos_message_alloc(&messages[count], RTOS_NO_WAIT), RTOS_ERROR_TIMEOUT);
    CHECK(messages[count] == NULL);
    CHECK_EQUAL(test_join(test_spawn(take_one, (void *)300, TEST_PRIORITY + 1)), RTOS_ERROR_TIMEOUT);
    CHECK_TRACE("t");
    rtos_id waiter = test_spawn(take_one, (void *)RTOS_WAIT_FOREVER, TEST_PRIORITY + 1);
    CHECK_TRACE("");
    CHECK_EQUAL(rtos_message_free(messages[--count]), RTOS_OK);
    CHECK_TRACE("t");
    CHECK_EQUAL(test_join(waiter), RTOS_OK);
    while (count > 0)
        CHECK_EQUAL(rtos_message_free(messages[--count]), RTOS_OK);
}

static int take_all_and_die(void *argument)
{
    void *message;
    int count = 0;
    (void)argument;
    while (rtos_message_alloc(&message, RTOS_NO_WAIT) == RTOS_OK)
        ++count;
    return count;
}

static void messages_of_the_dead_are_freed(void)
{
    int first = test_join(test_spawn(take_all_and_die, NULL, TEST_PRIORITY + 1));
    CHECK(first > 0);
    CHECK_EQUAL(test_join(test_spawn(take_all_and_die, NULL, TEST_PRIORITY + 1)), first);
}

static void delete_frees_messages_and_wakes_waiters(void)
{
    void *message;
    mailbox = rtos_mailbox_create();
    rtos_message_alloc(&message, RTOS_NO_WAIT);
    rtos_mailbox_send(mailbox, message);
    rtos_mailbox_delete(mailbox);
    CHECK_EQUAL(rtos_message_owner(message), 0);
    mailbox = rtos_mailbox_create();
    rtos_id task = test_spawn(receive_and_trace, (void *)RTOS_WAIT_FOREVER, TEST_PRIORITY + 1);
    rtos_mailbox_delete(mailbox);
    CHECK_EQUAL(test_join(task), RTOS_ERROR_DELETED);
}

const struct test tests[] = {
    {"mailbox owner changes with the message", owner_changes_with_the_message},
    {"mailbox keeps order", keeps_order},
    {"mailbox refuses bad arguments", refuses_bad_arguments},
    {"mailbox waiting receiver becomes owner", waiting_receiver_becomes_owner},
    {"mailbox empty pool is waited for", empty_pool_is_waited_for},
    {"mailbox messages of the dead are freed", messages_of_the_dead_are_freed},
    {"mailbox delete frees messages and wakes waiters", delete_frees_messages_and_wakes_waiters},
    {NULL, NULL},
};
