#include "test.h"

#include <rtos/syscall.h>

static rtos_status call_number(uint32_t a, uint32_t b, uint32_t c, uint32_t number)
{
    return test_call((const uint32_t[4]){a, b, c, 9}, number);
}

static void unknown_calls_are_refused(void)
{
    static const uint32_t numbers[] = {15, 22, 85, 87, 88, 100, 127, 128, 200, 255, 256, 0x7fffffff, 0xffffffff};
    for (uint32_t index = 0; index < sizeof numbers / sizeof numbers[0]; ++index)
        CHECK_EQUAL(call_number(1, 2, 3, numbers[index]), RTOS_ERROR_NOT_SUPPORTED);
}

static rtos_status system_sum(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    return (rtos_status)(a + 10 * b + 100 * c + 1000 * d);
}

static rtos_status system_sleep(uint32_t duration_us)
{
    return rtos_k_task_sleep(duration_us);
}

static int set_table(void *argument)
{
    static const rtos_syscall_function table[] = {
        (rtos_syscall_function)(void *)system_sum,
        NULL,
        (rtos_syscall_function)(void *)system_sleep,
    };
    rtos_syscall_set_table(table, argument != NULL ? 3 : 0);
    return 0;
}

static void system_calls_of_the_system(void)
{
    test_run_privileged(set_table, (void *)1);
    CHECK_EQUAL(call_number(1, 2, 3, 128), 9321);
    CHECK_EQUAL(call_number(1, 2, 3, 129), RTOS_ERROR_NOT_SUPPORTED);
    CHECK_EQUAL(call_number(1, 2, 3, 131), RTOS_ERROR_NOT_SUPPORTED);
    rtos_ticks start = test_now();
    CHECK_EQUAL(call_number(2000, 0, 0, 130), RTOS_OK);
    CHECK(test_now() - start >= test_ticks(2000));
    test_run_privileged(set_table, NULL);
    CHECK_EQUAL(call_number(1, 2, 3, 128), RTOS_ERROR_NOT_SUPPORTED);
}

static int call_stubs(void *argument)
{
    (void)argument;
    rtos_id self = rtos_task_self();
    return self == rtos_k_task_self() && rtos_task_sleep(100) == RTOS_OK && rtos_task_get_priority(self) > 0;
}

static void stubs_work_in_privileged_tasks(void)
{
    CHECK_EQUAL(test_run_privileged(call_stubs, NULL), 1);
}

static void info_describes_the_kernel(void)
{
    struct rtos_system_info info, later;
    CHECK_EQUAL(rtos_system_get_info(&info), RTOS_OK);
    CHECK_EQUAL(info.version, 0x10000);
    CHECK_EQUAL(info.priorities, RTOS_CONFIG_PRIORITIES);
    CHECK_EQUAL(info.tasks_max, RTOS_CONFIG_TASKS);
    CHECK_EQUAL(info.timer_frequency_hz, rtos_time_frequency());
    rtos_task_sleep(200);
    CHECK_EQUAL(rtos_system_get_info(&later), RTOS_OK);
    CHECK(later.context_switches >= info.context_switches + 2);
    CHECK(later.interrupts > info.interrupts);
    CHECK_EQUAL(rtos_system_get_info((void *)((char *)&info + 1)), RTOS_ERROR_PARAMETER);
    CHECK_EQUAL(rtos_system_get_info((void *)0xfffffffcu), RTOS_ERROR_PARAMETER);
}

static void print_checks_its_text(void)
{
    CHECK_EQUAL(rtos_system_print("printed\n"), RTOS_OK);
    CHECK_EQUAL(rtos_system_print((const char *)0xf0000000u), RTOS_ERROR_PARAMETER);
}

static void memory_checks_know_their_limits(void)
{
    char byte = 0;
    static const char constant = 1;
    CHECK(rtos_k_writable(&byte, 1) && rtos_k_readable(&byte, 1));
    CHECK(rtos_k_readable(&constant, 1) && !rtos_k_writable(&constant, 1));
    CHECK(rtos_k_readable(NULL, 4) && !rtos_k_writable(NULL, 4));
    CHECK(!rtos_k_readable(&byte, 0xffffffffu));
    CHECK(!rtos_k_readable((void *)0xffffffffu, 2));
    CHECK(rtos_k_readable((void *)0xffffffffu, 0));
    CHECK(rtos_k_string_readable("abc", 4) && !rtos_k_string_readable("abc", 3));
}

const struct test tests[] = {
    {"system unknown calls are refused", unknown_calls_are_refused},
    {"system calls of the system on top", system_calls_of_the_system},
    {"system stubs work in privileged tasks", stubs_work_in_privileged_tasks},
    {"system info describes the kernel", info_describes_the_kernel},
    {"system print checks its text", print_checks_its_text},
    {"system memory checks know their limits", memory_checks_know_their_limits},
    {NULL, NULL},
};
