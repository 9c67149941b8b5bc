#include "test.h"

#include <rtos/board.h>

#define STACK_SIZE 1024
#define TRACE_SIZE 64

static int failure_line; /* Of the first failure of the running test. */
static char trace[TRACE_SIZE];
static volatile uint32_t trace_length;

void test_check(int condition, int line)
{
    if (!condition && failure_line == 0)
        failure_line = line;
}

void test_check_equal(long actual, long expected, int line)
{
    if (actual != expected && failure_line == 0)
        rtos_k_printf("line %d: %d instead of %d\n", line, (int)actual, (int)expected);
    test_check(actual == expected, line);
}

void test_trace(char step)
{
    if (trace_length < TRACE_SIZE - 1)
        trace[trace_length++] = step;
}

void test_check_trace(const char *expected, int line)
{
    trace[trace_length] = '\0';
    uint32_t index = 0;
    while (expected[index] != '\0' && expected[index] == trace[index])
        ++index;
    if (expected[index] != trace[index] && failure_line == 0)
        rtos_k_printf("line %d: trace %s instead of %s\n", line, trace, expected);
    test_check(expected[index] == trace[index], line);
    trace_length = 0;
}

rtos_id test_spawn_as(rtos_task_entry entry, void *argument, uint32_t priority, uint32_t flags)
{
    struct rtos_task_attributes attributes = {
        .name = "child",
        .entry = entry,
        .argument = argument,
        .priority = priority,
        .flags = flags,
        .stack_size = STACK_SIZE,
    };
    rtos_id task = rtos_task_create(&attributes);
    if (task < 0)
        test_check_equal(task, 0, __LINE__);
    return task;
}

rtos_id test_spawn(rtos_task_entry entry, void *argument, uint32_t priority)
{
    return test_spawn_as(entry, argument, priority, 0);
}

int test_join(rtos_id task)
{
    int status = 0;
    test_check_equal(rtos_task_join(task, &status, 1000000), RTOS_OK, __LINE__);
    return status;
}

int test_run_privileged(rtos_task_entry entry, void *argument)
{
    return test_join(test_spawn_as(entry, argument, TEST_PRIORITY + 1, RTOS_TASK_PRIVILEGED));
}

rtos_ticks test_now(void)
{
    rtos_ticks now = 0;
    test_check_equal(rtos_time_get(&now), RTOS_OK, __LINE__);
    return now;
}

uint32_t test_ticks(uint32_t us)
{
    return (uint32_t)((uint64_t)us * (uint32_t)rtos_time_frequency() / 1000000u);
}

/* What every test has to give back. */
struct resources {
    uint32_t heap_free;
    uint32_t stacks_free;
    uint32_t tasks;
};

static struct resources resources(void)
{
    struct rtos_heap_info heap, stacks;
    struct resources found = {0, 0, 0};
    rtos_heap_get_info(RTOS_HEAP_KERNEL, &heap);
    rtos_heap_get_info(RTOS_HEAP_STACKS, &stacks);
    for (rtos_id task = rtos_task_next(0); task > 0; task = rtos_task_next(task))
        ++found.tasks;
    found.heap_free = heap.free;
    found.stacks_free = stacks.free;
    return found;
}

static int run_one(const struct test *test)
{
    struct resources before = resources();
    failure_line = 0;
    trace_length = 0;
    test->run();
    struct resources after = resources();
    CHECK_EQUAL(after.heap_free, before.heap_free);
    CHECK_EQUAL(after.stacks_free, before.stacks_free);
    CHECK_EQUAL(after.tasks, before.tasks);
    if (failure_line == 0)
        rtos_k_printf("PASS %s\n", test->name);
    else
        rtos_k_printf("FAIL %s %d\n", test->name, failure_line);
    return failure_line == 0;
}

static int run_all(void *argument)
{
    uint32_t passed = 0, failed = 0;
    (void)argument;
    for (const struct test *test = tests; test->name != NULL; ++test)
        run_one(test) ? ++passed : ++failed;
    rtos_k_printf("%u passed, %u failed\n", (unsigned)passed, (unsigned)failed);
    return (int)failed;
}

/* Runs the tests in a user task, then halts the board; only privileged code may do that. */
static int supervise(void *argument)
{
    int failed = -1;
    (void)argument;
    struct rtos_task_attributes attributes = {
        .name = "tests",
        .entry = run_all,
        .priority = TEST_PRIORITY,
        .stack_size = 2 * STACK_SIZE,
    };
    rtos_k_task_join(rtos_k_task_create(&attributes), &failed, RTOS_WAIT_FOREVER);
    rtos_board_halt(failed != 0);
}

void rtos_application_start(void)
{
    struct rtos_task_attributes attributes = {
        .name = "supervisor",
        .entry = supervise,
        .priority = RTOS_CONFIG_PRIORITIES - 1,
        .flags = RTOS_TASK_PRIVILEGED,
        .stack_size = STACK_SIZE,
    };
    rtos_k_task_create(&attributes);
}
