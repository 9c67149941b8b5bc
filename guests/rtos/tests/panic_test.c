/* Ends in a panic; right is that the console says so and that nothing passes or fails afterwards. */
#include "test.h"

/* Each call uses a little of the stack, so that the guard word is hit before anything else is. */
__attribute__((noinline)) static int dig(volatile int *depth)
{
    volatile int here[4] = {*depth, 0, 0, 0};
    if (++*depth < 80)
        here[1] = dig(depth);
    rtos_task_yield();
    return here[0] + here[1];
}

static int overflow_the_kernel_stack(void *argument)
{
    volatile int depth = 0;
    (void)argument;
    return dig(&depth);
}

static void kernel_stack_overflow_stops_the_system(void)
{
    test_join(test_spawn_as(overflow_the_kernel_stack, NULL, TEST_PRIORITY, RTOS_TASK_PRIVILEGED));
    CHECK(!"reached");
}

const struct test tests[] = {
    {"panic kernel stack overflow stops the system", kernel_stack_overflow_stops_the_system},
    {NULL, NULL},
};
