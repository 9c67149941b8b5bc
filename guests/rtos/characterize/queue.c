/* Message queues. They hold one message, so that every place is the last one. Messages at odd addresses are copied byte
   by byte, which takes longest.
   Parameters: length of an unaligned message, length of a short one, whole blocks of 16 bytes; tasks that wait already,
   time-outs that end before this one. */
#include "characterize.h"

#define MESSAGE_MAX 256
#define BLOCK 16

#define LENGTH(parameters) (parameters)[0]
#define LENGTH_SHORT(parameters) (parameters)[1]
#define LENGTH_ALIGNED(parameters) ((parameters)[2] * BLOCK)
#define WAITING(parameters) (parameters)[3]
#define TIMEOUTS(parameters) (parameters)[4]

static rtos_id queue;
static uint32_t size;
static rtos_status status_expected;
static char mine[MESSAGE_MAX + 8] __attribute__((aligned(8)));
static char theirs[MESSAGE_MAX + 8] __attribute__((aligned(8)));
static char *my_message, *their_message;

/* A queue for messages of that size, at addresses with that remainder. */
static void create(uint32_t message_size, uint32_t odd)
{
    size = message_size;
    queue = rtos_queue_create(size, 1);
    my_message = mine + odd;
    their_message = theirs + odd;
    for (uint32_t index = 0; index < size; ++index)
        my_message[index] = (char)(index + 1);
}

static void fill(void)
{
    characterize_expect(rtos_queue_send(queue, my_message, RTOS_NO_WAIT), RTOS_OK);
}

static void expect_message(const char *message)
{
    for (uint32_t index = 0; index < size; ++index)
        characterize_expect(message[index], (char)(index + 1));
}

static int receive(void *argument)
{
    (void)argument;
    rtos_status status = rtos_queue_receive(queue, their_message, LONG_US);
    END();
    characterize_expect(status, status_expected);
    return 0;
}

static int send(void *argument)
{
    (void)argument;
    rtos_status status = rtos_queue_send(queue, their_message, LONG_US);
    END();
    characterize_expect(status, status_expected);
    return 0;
}

/* Parameter: pairs of segments in the kernel heap. */
void case_queue_create(const uint32_t *parameters)
{
    characterize_fragment(RTOS_HEAP_KERNEL, parameters[0]);
    BEGIN();
    queue = rtos_queue_create(2 * BLOCK, 1);
    END();
    characterize_expect(rtos_queue_count(queue), 0);
}

/* Called directly, as a pointer would cost other than users pay. */
static rtos_status send_mine(int urgent)
{
    if (urgent)
        return rtos_queue_send_urgent(queue, my_message, LONG_US);
    return rtos_queue_send(queue, my_message, LONG_US);
}

static void send_to_receiver(int urgent, uint32_t length, uint32_t odd)
{
    create(length, odd);
    characterize_spawn(receive, NULL, HIGH);
    characterize_peer();
    BEGIN();
    characterize_expect(send_mine(urgent), RTOS_OK);
    expect_message(their_message);
}

void case_queue_send_switches(const uint32_t *parameters)
{
    send_to_receiver(0, LENGTH(parameters), 1);
}

void case_queue_send_switches_short(const uint32_t *parameters)
{
    send_to_receiver(0, LENGTH_SHORT(parameters), 1);
}

void case_queue_send_switches_aligned(const uint32_t *parameters)
{
    send_to_receiver(0, LENGTH_ALIGNED(parameters), 0);
}

void case_queue_send_urgent_switches(const uint32_t *parameters)
{
    send_to_receiver(1, LENGTH(parameters), 1);
}

void case_queue_send_urgent_switches_short(const uint32_t *parameters)
{
    send_to_receiver(1, LENGTH_SHORT(parameters), 1);
}

void case_queue_send_urgent_switches_aligned(const uint32_t *parameters)
{
    send_to_receiver(1, LENGTH_ALIGNED(parameters), 0);
}

/* The receiver is a peer; its message is not aligned. */
static void send_to_peer(int urgent, const uint32_t *parameters)
{
    create(LENGTH(parameters), 1);
    rtos_id peer = characterize_spawn_waiting_peer(receive, TIMEOUTS(parameters));
    BEGIN();
    rtos_status status = send_mine(urgent);
    END();
    characterize_expect(status, RTOS_OK);
    characterize_expect_state(peer, RTOS_STATE_READY);
    expect_message(their_message);
}

void case_queue_send_wakes_peer(const uint32_t *parameters)
{
    send_to_peer(0, parameters);
}

void case_queue_send_urgent_wakes_peer(const uint32_t *parameters)
{
    send_to_peer(1, parameters);
}

static void send_to_queue(int urgent, uint32_t length)
{
    create(length, 1);
    BEGIN();
    rtos_status status = send_mine(urgent);
    END();
    characterize_expect(status, RTOS_OK);
    characterize_expect(rtos_queue_receive(queue, their_message, RTOS_NO_WAIT), RTOS_OK);
    expect_message(their_message);
}

void case_queue_send(const uint32_t *parameters)
{
    send_to_queue(0, LENGTH(parameters));
}

void case_queue_send_short(const uint32_t *parameters)
{
    send_to_queue(0, LENGTH_SHORT(parameters));
}

void case_queue_send_urgent(const uint32_t *parameters)
{
    send_to_queue(1, LENGTH(parameters));
}

void case_queue_send_urgent_short(const uint32_t *parameters)
{
    send_to_queue(1, LENGTH_SHORT(parameters));
}

void case_queue_send_full(const uint32_t *parameters)
{
    (void)parameters;
    create(BLOCK, 1);
    fill();
    BEGIN();
    characterize_result = rtos_queue_send(queue, my_message, RTOS_NO_WAIT);
    END();
}

void case_queue_send_blocks(const uint32_t *parameters)
{
    create(BLOCK, 0);
    fill();
    characterize_waiters_ahead(send, WAITING(parameters));
    characterize_timeouts(TIMEOUTS(parameters));
    characterize_peers_go_on(RTOS_STATE_WAITING);
    BEGIN();
    rtos_queue_send(queue, my_message, LONG_US);
}

void case_queue_send_urgent_full(const uint32_t *parameters)
{
    (void)parameters;
    create(BLOCK, 1);
    fill();
    BEGIN();
    characterize_result = rtos_queue_send_urgent(queue, my_message, RTOS_NO_WAIT);
    END();
}

void case_queue_send_urgent_blocks(const uint32_t *parameters)
{
    create(BLOCK, 0);
    fill();
    characterize_waiters_ahead(send, WAITING(parameters));
    characterize_timeouts(TIMEOUTS(parameters));
    characterize_peers_go_on(RTOS_STATE_WAITING);
    BEGIN();
    rtos_queue_send_urgent(queue, my_message, LONG_US);
}

/* The sender's message takes the place of the one received. */
static void receive_from_sender(uint32_t length, uint32_t odd)
{
    create(length, odd);
    fill();
    for (uint32_t index = 0; index < length; ++index)
        my_message[index] = 0;
    characterize_spawn(send, NULL, HIGH);
    characterize_peer();
    BEGIN();
    characterize_expect(rtos_queue_receive(queue, my_message, LONG_US), RTOS_OK);
    expect_message(my_message);
    characterize_expect(rtos_queue_count(queue), 1);
}

void case_queue_receive_switches(const uint32_t *parameters)
{
    receive_from_sender(LENGTH(parameters), 1);
}

void case_queue_receive_switches_short(const uint32_t *parameters)
{
    receive_from_sender(LENGTH_SHORT(parameters), 1);
}

void case_queue_receive_switches_aligned(const uint32_t *parameters)
{
    receive_from_sender(LENGTH_ALIGNED(parameters), 0);
}

/* The sender is a peer; its message is not aligned. */
void case_queue_receive_wakes_peer(const uint32_t *parameters)
{
    create(LENGTH(parameters), 1);
    fill();
    rtos_id peer = characterize_spawn_waiting_peer(send, TIMEOUTS(parameters));
    BEGIN();
    rtos_status status = rtos_queue_receive(queue, my_message, LONG_US);
    END();
    characterize_expect(status, RTOS_OK);
    characterize_expect_state(peer, RTOS_STATE_READY);
    characterize_expect(rtos_queue_count(queue), 1);
}

static void receive_from_queue(uint32_t length)
{
    create(length, 1);
    fill();
    BEGIN();
    rtos_status status = rtos_queue_receive(queue, their_message, LONG_US);
    END();
    characterize_expect(status, RTOS_OK);
    expect_message(their_message);
}

void case_queue_receive(const uint32_t *parameters)
{
    receive_from_queue(LENGTH(parameters));
}

void case_queue_receive_short(const uint32_t *parameters)
{
    receive_from_queue(LENGTH_SHORT(parameters));
}

void case_queue_receive_empty(const uint32_t *parameters)
{
    (void)parameters;
    create(BLOCK, 1);
    BEGIN();
    characterize_result = rtos_queue_receive(queue, my_message, RTOS_NO_WAIT);
    END();
}

void case_queue_receive_blocks(const uint32_t *parameters)
{
    create(BLOCK, 0);
    characterize_waiters_ahead(receive, WAITING(parameters));
    characterize_timeouts(TIMEOUTS(parameters));
    characterize_peers_go_on(RTOS_STATE_WAITING);
    BEGIN();
    rtos_queue_receive(queue, my_message, LONG_US);
}

void case_queue_count(const uint32_t *parameters)
{
    (void)parameters;
    create(BLOCK, 0);
    fill();
    BEGIN();
    characterize_result = rtos_queue_count(queue);
    END();
}

/* Behind pairs of segments; the storage is joined with a free segment on either side. */
static void create_among_free_segments(uint32_t pairs)
{
    void *before;
    characterize_fragment(RTOS_HEAP_KERNEL, pairs);
    rtos_heap_alloc(RTOS_HEAP_KERNEL, BLOCK, &before);
    create(2 * BLOCK, 0);
    rtos_heap_free(RTOS_HEAP_KERNEL, before);
}

static int receive_later(void *argument)
{
    rtos_queue_receive(queue, their_message, LONG_US);
    (void)argument;
    return 0;
}

/* Parameters: waiting tasks, pairs of segments, time-outs that end before the main task's slice. The tasks are peers: one that is more urgent would run in the middle of
   the call. */
void case_queue_delete(const uint32_t *parameters)
{
    create_among_free_segments(parameters[1]);
    for (uint32_t index = 0; index < parameters[0]; ++index)
        characterize_spawn_waiting(receive_later, NULL, MAIN);
    characterize_timeouts(parameters[2]);
    BEGIN();
    rtos_status status = rtos_queue_delete(queue);
    END();
    characterize_expect(status, RTOS_OK);
    characterize_expect(rtos_queue_count(queue), RTOS_ERROR_ID);
}
