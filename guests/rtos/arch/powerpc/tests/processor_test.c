/* What interrupts and switches must bring back: numbers of tasks that compute, and registers that C code seldom needs. */
#include "../../../tests/test.h"

#define STEPS 4000

/* A computation that keeps many values in registers. */
static uint64_t compute(double seed)
{
    double a = seed, b = seed + 1, c = seed + 2, d = seed + 3, e = seed + 4, f = seed + 5;
    for (int step = 1; step < STEPS; ++step) {
        a += b / step, b = b * 0.999 + c, c -= d * 0.5, d = d * 0.25 + e, e += f / (step + a * a), f = f * 0.75 - a;
    }
    union {
        double number;
        uint64_t bits;
    } sum = {a + b + c + d + e + f};
    return sum.bits;
}

static uint64_t expected[3];

static int compute_twice(void *argument)
{
    uint32_t index = (uint32_t)(uintptr_t)argument;
    return compute((double)index + 0.5) == expected[index] && compute((double)index + 0.5) == expected[index];
}

static uint32_t disturbances;

static void count(void *argument)
{
    ++*(uint32_t *)argument;
}

static int create_timer(void *argument)
{
    struct rtos_timer_attributes attributes = {.action = RTOS_TIMER_CALL, .handler = count, .argument = argument};
    return rtos_k_timer_create(&attributes);
}

static int sleep_often(void *argument)
{
    (void)argument;
    for (int round = 0; round < 20; ++round)
        rtos_task_sleep(100);
    return 0;
}

static void numbers_survive_interrupts_and_switches(void)
{
    rtos_id tasks[3];
    rtos_scheduler_lock();
    for (uint32_t index = 0; index < 3; ++index)
        expected[index] = compute((double)index + 0.5);
    rtos_scheduler_unlock();
    CHECK(expected[0] != expected[1] && expected[1] != expected[2]);
    disturbances = 0;
    rtos_id timer = test_run_privileged(create_timer, &disturbances);
    CHECK_EQUAL(rtos_timer_start(timer, test_ticks(50), test_ticks(50)), RTOS_OK);
    rtos_id sleeper = test_spawn(sleep_often, NULL, TEST_PRIORITY + 2);
    for (uint32_t index = 0; index < 3; ++index)
        tasks[index] = test_spawn_as(compute_twice, (void *)(uintptr_t)index, TEST_PRIORITY - 1,
                                     index == 1 ? RTOS_TASK_PRIVILEGED : 0);
    for (uint32_t index = 0; index < 3; ++index) {
        rtos_task_set_priority(tasks[index], TEST_PRIORITY - 1 - index);
        rtos_task_sleep(100);
        rtos_task_set_priority(tasks[index], TEST_PRIORITY - 2);
    }
    for (uint32_t index = 0; index < 3; ++index)
        CHECK_EQUAL(test_join(tasks[index]), 1);
    CHECK_EQUAL(test_join(sleeper), 0);
    CHECK(disturbances > 3);
    rtos_timer_delete(timer);
}

static volatile double shared = 1.5;

static int leave_numbers(void *argument)
{
    (void)argument;
    shared = shared * 2;
    return shared == 3.0;
}

/* A new task in the place of one that computed begins with numbers of its own. */
static void a_new_task_has_its_own_unit(void)
{
    for (int round = 0; round < 3; ++round) {
        shared = 1.5;
        CHECK_EQUAL(test_join(test_spawn(leave_numbers, NULL, TEST_PRIORITY + 1)), 1);
    }
}

int test_hold_registers(uint32_t rounds);

static int hold_registers(void *argument)
{
    (void)argument;
    return test_hold_registers(300000) && test_hold_registers(300000);
}

static void registers_survive_interrupts_and_switches(void)
{
    disturbances = 0;
    rtos_id timer = test_run_privileged(create_timer, &disturbances);
    CHECK_EQUAL(rtos_timer_start(timer, test_ticks(50), test_ticks(50)), RTOS_OK);
    rtos_id sleeper = test_spawn(sleep_often, NULL, TEST_PRIORITY + 2);
    rtos_id user = test_spawn(hold_registers, NULL, TEST_PRIORITY - 1);
    rtos_id privileged = test_spawn_as(hold_registers, NULL, TEST_PRIORITY - 1, RTOS_TASK_PRIVILEGED);
    CHECK_EQUAL(test_join(user), 1);
    CHECK_EQUAL(test_join(privileged), 1);
    CHECK_EQUAL(test_join(sleeper), 0);
    CHECK(disturbances > 100);
    rtos_timer_delete(timer);
}

static int reserve_over_an_interrupt(void *argument)
{
    static uint32_t reserved;
    uint32_t *disturbed = argument, before = *(volatile uint32_t *)disturbed, word, flags;
    __asm__ volatile("lwarx  %[word], 0, %[reserved]\n"
                     "1: lwz %[flags], 0(%[disturbed])\n"
                     "cmplw  %[flags], %[before]\n"
                     "beq    1b\n"
                     "stwcx. %[word], 0, %[reserved]\n"
                     "mfcr   %[flags]"
                     : [flags] "=&b"(flags), [word] "=&r"(word)
                     : [reserved] "r"(&reserved), [disturbed] "b"(disturbed), [before] "r"(before)
                     : "cr0", "memory");
    return (flags & 0x20000000) == 0;
}

/* Another task may have had the word meanwhile: a store that relies on the reservation must fail. */
static void a_reservation_ends_with_an_interrupt(void)
{
    disturbances = 0;
    rtos_id timer = test_run_privileged(create_timer, &disturbances);
    CHECK_EQUAL(rtos_timer_start(timer, test_ticks(50), test_ticks(50)), RTOS_OK);
    rtos_id task = test_spawn(reserve_over_an_interrupt, &disturbances, TEST_PRIORITY - 1);
    CHECK_EQUAL(test_join(task), 1);
    rtos_timer_delete(timer);
}

const struct test tests[] = {
    {"processor registers survive interrupts and switches", registers_survive_interrupts_and_switches},
    {"processor numbers survive interrupts and switches", numbers_survive_interrupts_and_switches},
    {"processor a new task has its own unit", a_new_task_has_its_own_unit},
    {"processor a reservation ends with an interrupt", a_reservation_ends_with_an_interrupt},
    {NULL, NULL},
};
