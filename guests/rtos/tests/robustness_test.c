/* System calls with arguments that make no sense: whatever a user task passes, the kernel answers and lives on. */
#include "test.h"

#define CALLS 4000

static uint32_t seed;
static rtos_id ids[12];
static uint32_t own_memory[64]; /* Pointers go to the first half; results that are longer end in the second. */
static uint32_t heap_memory[32] __attribute__((aligned(8)));

static uint32_t random_number(void)
{
    seed = seed * 1664525u + 1013904223u;
    return seed >> 8;
}

/* Numbers, handles of all kinds, pointers to memory of its own or to nowhere; none to memory of the kernel, which nothing
   protects. */
static uint32_t random_argument(void)
{
    static const uint32_t edges[] = {0,          1,          2,          7,          8,          255,        1000,
                                     0x7fffffff, 0x80000000, 0xfffffffc, 0xffffffff, 0x50000000, 0x01000000, 0x01000001};
    uint32_t choice = random_number() % 4;
    if (choice == 0)
        return edges[random_number() % (sizeof edges / sizeof edges[0])];
    if (choice == 1)
        return (uint32_t)ids[random_number() % 12];
    if (choice == 2)
        return (uint32_t)(uintptr_t)&own_memory[random_number() % 32];
    return (uint32_t)ids[random_number() % 12] + (random_number() % 3 - 1) * 256;
}

enum number {
#define RTOS_SYSCALL(number, name) NUMBER_##name = number,
#include <rtos/syscalls.def>
#undef RTOS_SYSCALL
};

/* Calls that a test cannot make at random: ending or locking itself, and printing any memory. */
static int is_excluded(uint32_t number)
{
    return number == NUMBER_task_delete || number == NUMBER_task_exit || number == NUMBER_scheduler_lock ||
           number == NUMBER_system_print;
}

static int has_no_handle(uint32_t number)
{
    return number == NUMBER_time_get || number == NUMBER_system_get_info || number == NUMBER_message_alloc ||
           number == NUMBER_heap_create;
}

/* A handle taken for a pointer could lead to the kernel's memory, where that begins at small addresses. */
static int is_harmless(uint32_t value)
{
    const uint32_t *pointer = (const uint32_t *)(uintptr_t)value;
    return (pointer >= own_memory && pointer < own_memory + 32) || !rtos_k_writable(pointer, 1);
}

/* Gives back what a call has created or allocated. */
static void undo(uint32_t number, rtos_status result, const uint32_t *arguments)
{
    static const uint8_t deletion[] = {
        [NUMBER_task_create] = NUMBER_task_delete,   [NUMBER_timer_create] = NUMBER_timer_delete,
        [NUMBER_semaphore_create] = NUMBER_semaphore_delete, [NUMBER_mutex_create] = NUMBER_mutex_delete,
        [NUMBER_event_create] = NUMBER_event_delete, [NUMBER_queue_create] = NUMBER_queue_delete,
        [NUMBER_mailbox_create] = NUMBER_mailbox_delete, [NUMBER_pool_create] = NUMBER_pool_delete,
        [NUMBER_heap_create] = NUMBER_heap_delete,
    };
    if (number == NUMBER_heap_alloc && result == RTOS_OK)
        rtos_heap_free((rtos_id)arguments[0], *(void **)(uintptr_t)arguments[2]);
    else if (result > 0 && number < sizeof deletion && deletion[number] != 0)
        (void)test_call((const uint32_t[4]){(uint32_t)result, 0, 0, 0}, deletion[number]);
}

/* The handles are those of living objects again and again. */
static void make_objects(void)
{
    struct rtos_timer_attributes timer = {.action = RTOS_TIMER_POST};
    ids[0] = rtos_semaphore_create(3, 5);
    ids[1] = rtos_mutex_create(RTOS_MUTEX_RECURSIVE);
    ids[2] = rtos_event_create(0x55);
    ids[3] = rtos_queue_create(16, 2);
    ids[4] = rtos_mailbox_create();
    ids[5] = rtos_pool_create(16, 2);
    ids[6] = rtos_timer_create(&timer);
    ids[7] = rtos_heap_create(heap_memory, sizeof heap_memory);
    ids[8] = rtos_semaphore_create(0, 1);
}

static void delete_objects(void)
{
    rtos_semaphore_delete(ids[0]);
    rtos_mutex_delete(ids[1]);
    rtos_event_delete(ids[2]);
    rtos_queue_delete(ids[3]);
    rtos_mailbox_delete(ids[4]);
    rtos_pool_delete(ids[5]);
    rtos_timer_delete(ids[6]);
    rtos_heap_delete(ids[7]);
    rtos_semaphore_delete(ids[8]);
}

static volatile uint32_t rounds;

static int call_at_random(void *argument)
{
    seed = (uint32_t)(uintptr_t)argument;
    for (int round = 0; round < CALLS; ++round) {
        uint32_t number = random_number() % 90;
        if (round % 50 == 0) {
            delete_objects();
            make_objects();
        }
        uint32_t arguments[4];
        for (int index = 0; index < 4; ++index) {
            arguments[index] = random_argument();
            if ((index != 0 || has_no_handle(number)) && !is_harmless(arguments[index]))
                arguments[index] = 0xfffffffc;
        }
        if (!is_excluded(number))
            undo(number, test_call(arguments, number), arguments);
        ++rounds;
    }
    return 1;
}

static volatile uint32_t pokes;

/* Wakes, resumes and revives the caller while it may wait for ever, and counts. */
static int keep_it_going(void *argument)
{
    rtos_id task = *(rtos_id *)argument;
    while (rtos_task_join(task, NULL, RTOS_NO_WAIT) == RTOS_ERROR_TIMEOUT) {
        rtos_task_sleep(1000);
        rtos_task_resume(task);
        rtos_task_interrupt(task);
        rtos_task_set_priority(task, TEST_PRIORITY - 1);
        ++pokes;
    }
    return 2;
}

static void random_calls(uint32_t first_seed)
{
    rounds = 0;
    make_objects();
    rtos_id task = test_spawn(call_at_random, (void *)(uintptr_t)first_seed, TEST_PRIORITY - 1);
    rtos_id helper = test_spawn(keep_it_going, &task, TEST_PRIORITY + 1);
    ids[9] = ids[10] = ids[11] = task;
    int status = 0;
    CHECK_EQUAL(rtos_task_join(helper, &status, 60000000), RTOS_OK);
    CHECK_EQUAL(status, 2);
    CHECK(pokes > 0);
    CHECK_EQUAL(rounds, CALLS);
    delete_objects();
}

static void random_calls_do_no_harm(void)
{
    random_calls(1);
}

static void other_random_calls_do_no_harm(void)
{
    random_calls(20261120);
}

static void kernel_still_works(void)
{
    rtos_id semaphore = rtos_semaphore_create(0, 1);
    CHECK(semaphore > 0);
    CHECK_EQUAL(rtos_semaphore_wait(semaphore, 1000), RTOS_ERROR_TIMEOUT);
    CHECK_EQUAL(rtos_semaphore_delete(semaphore), RTOS_OK);
    CHECK_EQUAL(rtos_task_sleep(2000), RTOS_OK);
}

const struct test tests[] = {
    {"robustness random calls do no harm", random_calls_do_no_harm},
    {"robustness other random calls do no harm", other_random_calls_do_no_harm},
    {"robustness kernel still works", kernel_still_works},
    {NULL, NULL},
};
