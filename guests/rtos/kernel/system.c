/* Facts about the whole kernel, and its start. */
#include "heap_control.h"
#include "interrupt_count.h"
#include "mutex_control.h"
#include "scheduler_control.h"
#include "services.h"

#include <rtos/board.h>
#include <rtos/kernel.h>

#define VERSION_MAJOR 1u
#define VERSION_MINOR 0u

#define PRINT_LENGTH_MAX 4096u

rtos_status rtos_k_system_get_info(struct rtos_system_info *info)
{
    if (((uintptr_t)info & 3) != 0 || !rtos_k_writable(info, sizeof *info))
        return RTOS_ERROR_PARAMETER;
    *info = (struct rtos_system_info){
        .version = VERSION_MAJOR << 16 | VERSION_MINOR,
        .priorities = RTOS_CONFIG_PRIORITIES,
        .tasks_max = RTOS_CONFIG_TASKS,
        .timer_frequency_hz = time_frequency_hz(),
        .context_switches = scheduler_switches(),
        .interrupts = interrupt_count,
        .spurious_interrupts = interrupt_spurious_count,
    };
    return RTOS_OK;
}

rtos_status rtos_k_system_print(const char *text)
{
    if (!rtos_k_string_readable(text, PRINT_LENGTH_MAX))
        return RTOS_ERROR_PARAMETER;
    rtos_k_printf("%s", text);
    return RTOS_OK;
}

static void services_initialise(void)
{
    if (RTOS_CONFIG_TIMERS)
        timer_initialise();
    if (RTOS_CONFIG_SEMAPHORES)
        semaphore_initialise();
    mutex_initialise();
    if (RTOS_CONFIG_EVENTS)
        event_initialise();
    if (RTOS_CONFIG_QUEUES)
        queue_initialise();
    if (RTOS_CONFIG_MAILBOXES)
        mailbox_initialise();
    if (RTOS_CONFIG_POOLS)
        pool_initialise();
}

/* Runs on the interrupt stack, interrupts disabled, the variables zero. */
void rtos_kernel_start(void)
{
    scheduler_locks = 1;
    rtos_board_init();
    heap_initialise();
    time_initialise();
    scheduler_initialise();
    task_initialise();
    timeout_service_initialise();
    services_initialise();
    rtos_application_start();
    scheduler_start();
}

/* The task of priority 0: runs when nothing else can. */
int rtos_idle(void *argument)
{
    (void)argument;
    for (;;)
        rtos_board_idle();
}
