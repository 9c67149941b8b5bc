/* Shared messages and mailboxes. Messages are told apart by a division in some builds: the last of the pool is used, so
   that it takes longest. */
#include "characterize.h"

#define LAST (RTOS_CONFIG_MESSAGES - 1)

static rtos_id mailbox;
static rtos_status status_expected;
static void *messages[RTOS_CONFIG_MESSAGES];

/* The main task owns them all. */
static void take_all(void)
{
    for (uint32_t index = 0; index < RTOS_CONFIG_MESSAGES; ++index)
        characterize_expect(rtos_message_alloc(&messages[index], RTOS_NO_WAIT), RTOS_OK);
}

static int alloc(void *argument)
{
    void *message;
    (void)argument;
    rtos_status status = rtos_message_alloc(&message, LONG_US);
    END();
    characterize_expect(status, RTOS_OK);
    characterize_expect(rtos_message_owner(message), rtos_task_self());
    return 0;
}

static int receive(void *argument)
{
    void *message;
    (void)argument;
    rtos_status status = rtos_mailbox_receive(mailbox, &message, LONG_US);
    END();
    characterize_expect(status, status_expected);
    if (status == RTOS_OK)
        characterize_expect(rtos_message_owner(message), rtos_task_self());
    return 0;
}

void case_message_alloc(const uint32_t *parameters)
{
    void *message;
    (void)parameters;
    BEGIN();
    rtos_status status = rtos_message_alloc(&message, LONG_US);
    END();
    characterize_expect(status, RTOS_OK);
    characterize_expect(rtos_message_owner(message), characterize_main);
}

void case_message_alloc_empty(const uint32_t *parameters)
{
    void *message;
    (void)parameters;
    take_all();
    BEGIN();
    characterize_result = rtos_message_alloc(&message, RTOS_NO_WAIT);
    END();
}

/* Parameters: tasks that wait already, time-outs that end before this one. */
void case_message_alloc_blocks(const uint32_t *parameters)
{
    void *message;
    take_all();
    characterize_waiters_ahead(alloc, parameters[0]);
    characterize_timeouts(parameters[1]);
    characterize_peers_go_on(RTOS_STATE_WAITING);
    BEGIN();
    rtos_message_alloc(&message, LONG_US);
}

void case_message_free(const uint32_t *parameters)
{
    (void)parameters;
    take_all();
    BEGIN();
    rtos_status status = rtos_message_free(messages[LAST]);
    END();
    characterize_expect(status, RTOS_OK);
    characterize_expect(rtos_message_owner(messages[LAST]), 0);
}

void case_message_free_switches(const uint32_t *parameters)
{
    (void)parameters;
    take_all();
    characterize_spawn(alloc, NULL, HIGH);
    characterize_peer();
    BEGIN();
    characterize_expect(rtos_message_free(messages[LAST]), RTOS_OK);
}

void case_message_owner(const uint32_t *parameters)
{
    (void)parameters;
    take_all();
    BEGIN();
    rtos_id owner = rtos_message_owner(messages[LAST]);
    END();
    characterize_expect(owner, characterize_main);
}

void case_mailbox_create(const uint32_t *parameters)
{
    (void)parameters;
    BEGIN();
    mailbox = rtos_mailbox_create();
    END();
    characterize_expect(rtos_mailbox_count(mailbox), 0);
}

void case_mailbox_send(const uint32_t *parameters)
{
    (void)parameters;
    mailbox = rtos_mailbox_create();
    take_all();
    BEGIN();
    rtos_status status = rtos_mailbox_send(mailbox, messages[LAST]);
    END();
    characterize_expect(status, RTOS_OK);
    characterize_expect(rtos_message_owner(messages[LAST]), mailbox);
}

void case_mailbox_send_switches(const uint32_t *parameters)
{
    (void)parameters;
    mailbox = rtos_mailbox_create();
    take_all();
    characterize_spawn(receive, NULL, HIGH);
    characterize_peer();
    BEGIN();
    characterize_expect(rtos_mailbox_send(mailbox, messages[LAST]), RTOS_OK);
}

void case_mailbox_receive(const uint32_t *parameters)
{
    void *message;
    (void)parameters;
    mailbox = rtos_mailbox_create();
    take_all();
    rtos_mailbox_send(mailbox, messages[LAST]);
    BEGIN();
    rtos_status status = rtos_mailbox_receive(mailbox, &message, LONG_US);
    END();
    characterize_expect(status, RTOS_OK);
    characterize_expect(rtos_message_owner(message), characterize_main);
}

void case_mailbox_receive_empty(const uint32_t *parameters)
{
    void *message;
    (void)parameters;
    mailbox = rtos_mailbox_create();
    BEGIN();
    characterize_result = rtos_mailbox_receive(mailbox, &message, RTOS_NO_WAIT);
    END();
}

/* Parameters: tasks that wait already, time-outs that end before this one. */
void case_mailbox_receive_blocks(const uint32_t *parameters)
{
    void *message;
    mailbox = rtos_mailbox_create();
    characterize_waiters_ahead(receive, parameters[0]);
    characterize_timeouts(parameters[1]);
    characterize_peers_go_on(RTOS_STATE_WAITING);
    BEGIN();
    rtos_mailbox_receive(mailbox, &message, LONG_US);
}

void case_mailbox_count(const uint32_t *parameters)
{
    (void)parameters;
    mailbox = rtos_mailbox_create();
    take_all();
    rtos_mailbox_send(mailbox, messages[LAST]);
    BEGIN();
    characterize_result = rtos_mailbox_count(mailbox);
    END();
}

/* Parameters: messages in the mailbox, each of which goes to a task that waits for a free message; time-outs that end before
   the main task's slice, which begins when the first peer is woken. */
void case_mailbox_delete(const uint32_t *parameters)
{
    mailbox = rtos_mailbox_create();
    take_all();
    for (uint32_t index = 0; index < parameters[0]; ++index)
        characterize_expect(rtos_mailbox_send(mailbox, messages[index]), RTOS_OK);
    characterize_waiters(alloc, parameters[0]);
    characterize_timeouts(parameters[1]);
    BEGIN();
    characterize_expect(rtos_mailbox_delete(mailbox), RTOS_OK);
    characterize_expect(rtos_mailbox_count(mailbox), RTOS_ERROR_ID);
}

/* Parameter: messages in the mailbox, which nobody waits for. */
void case_mailbox_delete_messages(const uint32_t *parameters)
{
    mailbox = rtos_mailbox_create();
    take_all();
    for (uint32_t index = 0; index < parameters[0]; ++index)
        characterize_expect(rtos_mailbox_send(mailbox, messages[index]), RTOS_OK);
    BEGIN();
    rtos_status status = rtos_mailbox_delete(mailbox);
    END();
    characterize_expect(status, RTOS_OK);
    characterize_expect(rtos_message_owner(messages[0]), parameters[0] != 0 ? 0 : characterize_main);
}

/* Parameters: waiting tasks, time-outs. */
void case_mailbox_delete_receivers(const uint32_t *parameters)
{
    mailbox = rtos_mailbox_create();
    status_expected = RTOS_ERROR_DELETED;
    characterize_waiters(receive, parameters[0]);
    characterize_timeouts(parameters[1]);
    BEGIN();
    characterize_expect(rtos_mailbox_delete(mailbox), RTOS_OK);
}

/* Parameter: time-outs that end before the main task's slice, which begins. */
void case_message_free_wakes_peer(const uint32_t *parameters)
{
    take_all();
    rtos_id peer = characterize_spawn_waiting_peer(alloc, parameters[0]);
    BEGIN();
    rtos_status status = rtos_message_free(messages[LAST]);
    END();
    characterize_expect(status, RTOS_OK);
    characterize_expect_state(peer, RTOS_STATE_READY);
}

void case_mailbox_send_wakes_peer(const uint32_t *parameters)
{
    mailbox = rtos_mailbox_create();
    take_all();
    rtos_id peer = characterize_spawn_waiting_peer(receive, parameters[0]);
    BEGIN();
    rtos_status status = rtos_mailbox_send(mailbox, messages[LAST]);
    END();
    characterize_expect(status, RTOS_OK);
    characterize_expect_state(peer, RTOS_STATE_READY);
}
