/* Ends in a panic with registers: an abort in an interrupt handler has no task to blame. */
#include "test.h"

#include <rtos/board.h>
#include <rtos/interrupt.h>

#define LINE 16
#define NOWHERE 0x50000000u

static void read_nowhere(void *argument)
{
    (void)*(volatile int *)argument;
}

static int attach_and_set(void *argument)
{
    rtos_interrupt_attach(LINE, 1, RTOS_TRIGGER_EDGE_RISING, read_nowhere, argument);
    rtos_board_intc_set(LINE);
    return rtos_task_sleep(1000);
}

static void abort_in_a_handler_stops_the_system(void)
{
    test_run_privileged(attach_and_set, (void *)NOWHERE);
    CHECK(!"reached");
}

const struct test tests[] = {
    {"panic abort in a handler stops the system", abort_in_a_handler_stops_the_system},
    {NULL, NULL},
};
