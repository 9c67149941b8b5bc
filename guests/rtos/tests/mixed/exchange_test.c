/* What the cores of a mixed system on chip have together: a counter in shared memory under a hardware semaphore, and
   mailboxes that interrupt. The same program runs on both; the first core begins. */
#include "../test.h"

#include <board.h>
#include <rtos/board.h>
#include <rtos/interrupt.h>

#define OWN_BOX BOARD_CORE
#define OTHER_BOX (1 - BOARD_CORE)
#define LOCK 5
#define ROUNDS 1000u
#define MESSAGES 100u
#define GO 0x600d0000u
#define DONE 0xd00e0000u

/* AM335x technical reference manual, 17.1 and 17.2. */
struct mailbox {
    const uint32_t reserved[16];
    volatile uint32_t message[16];
    const volatile uint32_t fifo_status[16];
    const volatile uint32_t message_status[16];
    struct {
        volatile uint32_t raw, clear, enable_set, enable_clear;
    } user[4];
};
#define MAILBOX ((struct mailbox *)BOARD_MAILBOX_BASE)
#define SPINLOCK ((volatile uint32_t *)(BOARD_SPINLOCK_BASE + 0x800))
#define NEW_MESSAGE (1u << (2 * OWN_BOX))

static rtos_id queue;

/* Words in shared memory are big-endian. */
static uint32_t shared_word(uint32_t value)
{
    return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? value : __builtin_bswap32(value);
}

static void receive(void *argument)
{
    (void)argument;
    while (MAILBOX->message_status[OWN_BOX] != 0) {
        uint32_t word = MAILBOX->message[OWN_BOX];
        rtos_k_queue_send(queue, &word, RTOS_NO_WAIT);
    }
    MAILBOX->user[BOARD_CORE].clear = NEW_MESSAGE;
}

static int attach(void *argument)
{
    (void)argument;
    MAILBOX->user[BOARD_CORE].enable_set = NEW_MESSAGE;
    return rtos_interrupt_attach(BOARD_LINE_MAILBOX, 3, RTOS_TRIGGER_LEVEL_LOW, receive, NULL);
}

static int detach(void *argument)
{
    (void)argument;
    MAILBOX->user[BOARD_CORE].enable_clear = NEW_MESSAGE;
    return rtos_interrupt_detach(BOARD_LINE_MAILBOX);
}

static void begin(void)
{
    queue = rtos_queue_create(sizeof(uint32_t), 8);
    CHECK_EQUAL(test_run_privileged(attach, NULL), RTOS_OK);
}

static void end(void)
{
    CHECK_EQUAL(test_run_privileged(detach, NULL), RTOS_OK);
    rtos_queue_delete(queue);
}

static void send(uint32_t word)
{
    while (MAILBOX->fifo_status[OTHER_BOX] != 0)
        rtos_task_sleep(50);
    MAILBOX->message[OTHER_BOX] = word;
}

static uint32_t received(void)
{
    uint32_t word = 0;
    CHECK_EQUAL(rtos_queue_receive(queue, &word, 1000000), RTOS_OK);
    return word;
}

static void counts_under_a_lock(void)
{
    volatile uint32_t *counter = (volatile uint32_t *)BOARD_SHARED_BASE;
    begin();
    if (BOARD_CORE == 0) {
        *counter = 0;
        send(GO);
    } else {
        CHECK_EQUAL(received(), GO);
    }
    for (uint32_t round = 0; round < ROUNDS; ++round) {
        while (SPINLOCK[LOCK] != 0)
            ;
        uint32_t value = shared_word(*counter);
        for (volatile int turn = 0; turn < 3; ++turn)
            ;
        *counter = shared_word(value + 1);
        SPINLOCK[LOCK] = 0;
    }
    send(DONE);
    CHECK_EQUAL(received(), DONE);
    CHECK_EQUAL(shared_word(*counter), 2 * ROUNDS);
    end();
}

static void messages_interrupt(void)
{
    begin();
    for (uint32_t number = 0; number < MESSAGES; ++number) {
        if (BOARD_CORE == 0) {
            send(number);
            CHECK_EQUAL(received(), 3 * number + 1);
        } else {
            uint32_t word = received();
            CHECK_EQUAL(word, number);
            send(3 * word + 1);
        }
    }
    end();
}

const struct test tests[] = {
    {"exchange counts under a lock", counts_under_a_lock},
    {"exchange messages interrupt", messages_interrupt},
    {NULL, NULL},
};
