#include "test.h"

/* An address that no chip select answers. */
#define NOWHERE 0x50000000u

static int undefined_instruction(void *argument)
{
    (void)argument;
#if defined(__powerpc__)
    __asm__ volatile(".long 0");
#elif defined(__thumb__)
    __asm__ volatile(".short 0xde00");
#else
    __asm__ volatile(".word 0xe7f000f0");
#endif
    return 0;
}

static int read_nowhere(void *argument)
{
    return *(volatile int *)argument;
}

static int write_nowhere(void *argument)
{
    *(volatile int *)argument = 1;
    return 0;
}

static int jump(void *argument)
{
    ((void (*)(void))argument)();
    return 0;
}

static void undefined_instruction_ends_the_task(void)
{
    CHECK_EQUAL(test_join(test_spawn(undefined_instruction, NULL, TEST_PRIORITY + 1)), RTOS_EXIT_FAULT);
}

static void data_abort_ends_the_task(void)
{
    CHECK_EQUAL(test_join(test_spawn(read_nowhere, (void *)NOWHERE, TEST_PRIORITY + 1)), RTOS_EXIT_FAULT);
    CHECK_EQUAL(test_join(test_spawn(write_nowhere, (void *)NOWHERE, TEST_PRIORITY - 1)), RTOS_EXIT_FAULT);
}

static void jump_to_nowhere_ends_the_task(void)
{
    CHECK_EQUAL(test_join(test_spawn(jump, (void *)NOWHERE, TEST_PRIORITY + 1)), RTOS_EXIT_FAULT);
    CHECK_EQUAL(test_join(test_spawn(jump, NULL, TEST_PRIORITY + 1)), RTOS_EXIT_FAULT);
}

static rtos_id mutex;

static int fault_with_a_mutex(void *argument)
{
    rtos_mutex_lock(mutex, RTOS_WAIT_FOREVER);
    return read_nowhere(argument);
}

static void fault_releases_what_the_task_holds(void)
{
    mutex = rtos_mutex_create(0);
    CHECK_EQUAL(test_join(test_spawn(fault_with_a_mutex, (void *)NOWHERE, TEST_PRIORITY + 1)), RTOS_EXIT_FAULT);
    CHECK_EQUAL(rtos_mutex_lock(mutex, RTOS_NO_WAIT), RTOS_OWNER_DIED);
    CHECK_EQUAL(rtos_mutex_unlock(mutex), RTOS_OK);
    rtos_mutex_delete(mutex);
}

/* Moves the stack pointer below the stack. What the sleep then stores falls into a free segment of the stack heap. */
static int leave_the_stack(void *argument)
{
    volatile char *room = __builtin_alloca((uintptr_t)argument);
    __asm__ volatile("" : : "r"(room) : "memory");
    rtos_task_sleep(100);
    test_trace('!');
    return 0;
}

static int return_at_once(void *argument)
{
    (void)argument;
    return 0;
}

static void user_stack_overflow_ends_the_task(void)
{
    rtos_id cushion = test_spawn(return_at_once, NULL, TEST_PRIORITY - 1);
    rtos_id task = test_spawn_as(leave_the_stack, (void *)1100, TEST_PRIORITY + 1, RTOS_TASK_SUSPENDED);
    test_join(cushion);
    rtos_task_resume(task);
    CHECK_EQUAL(test_join(task), RTOS_EXIT_STACK);
    CHECK_TRACE("");
}

static int overwrite_the_guard(void *argument)
{
    uintptr_t top = (uintptr_t)__builtin_frame_address(0) & ~(uintptr_t)7;
    (void)argument;
    /* The guard is the last word that is not the fill pattern below the part in use. */
    uint32_t *word = (uint32_t *)(top - 128);
    while (*word == 0xa5a5a5a5u)
        --word;
    *word = 0;
    rtos_task_sleep(100);
    test_trace('!');
    return 0;
}

static void overwritten_guard_ends_the_task(void)
{
    CHECK_EQUAL(test_join(test_spawn(overwrite_the_guard, NULL, TEST_PRIORITY + 1)), RTOS_EXIT_STACK);
    CHECK_TRACE("");
}

const struct test tests[] = {
    {"fault undefined instruction ends the task", undefined_instruction_ends_the_task},
    {"fault data abort ends the task", data_abort_ends_the_task},
    {"fault jump to nowhere ends the task", jump_to_nowhere_ends_the_task},
    {"fault releases what the task holds", fault_releases_what_the_task_holds},
    {"fault user stack overflow ends the task", user_stack_overflow_ends_the_task},
    {"fault overwritten guard ends the task", overwritten_guard_ends_the_task},
    {NULL, NULL},
};
