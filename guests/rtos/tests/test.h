/* Self-tests of the kernel: each program is a list of tests that run one after the other in a user task. */
#ifndef TEST_H
#define TEST_H

#include <rtos/kernel.h>

struct test {
    const char *name;
    void (*run)(void);
};

/* The tests of the program, ended by one without a name. */
extern const struct test tests[];

/* Priority of the task that runs the tests; tasks that they create lie around it. */
#define TEST_PRIORITY 10

/* Fails the test and goes on with it. The second prints both values. */
#define CHECK(condition) test_check((condition) != 0, __LINE__)
#define CHECK_EQUAL(actual, expected) test_check_equal((long)(actual), (long)(expected), __LINE__)
/* Compares what the tasks have traced since the last comparison. */
#define CHECK_TRACE(expected) test_check_trace((expected), __LINE__)

void test_check(int condition, int line);
void test_check_equal(long actual, long expected, int line);
void test_check_trace(const char *expected, int line);
/* Notes a step; tasks share the trace. */
void test_trace(char step);

/* Creates a user task, or another kind. The test fails if it cannot. */
rtos_id test_spawn(rtos_task_entry entry, void *argument, uint32_t priority);
rtos_id test_spawn_as(rtos_task_entry entry, void *argument, uint32_t priority, uint32_t flags);
/* Joins a task and returns its exit status; the test fails if it does not end within a second. */
int test_join(rtos_id task);
/* Runs a function in a privileged task and returns its result. */
int test_run_privileged(rtos_task_entry entry, void *argument);
/* Makes a system call by its number with four words; no stub has numbers that do not exist. */
rtos_status test_call(const uint32_t *arguments, uint32_t number);
/* Present instant in ticks. */
rtos_ticks test_now(void);
/* Ticks in microseconds. */
uint32_t test_ticks(uint32_t us);

#endif
