/* What the kernel does by itself when the running task changes. Its own functions are called by privileged tasks. */
#include "characterize.h"

#include "../board/at91/tc.h"
#include "../kernel/fatal.h"
#include "../kernel/scheduler_control.h"

#include <rtos/interrupt.h>
#include <rtos/kernel.h>

/* The scenario begins so many ticks before the time slice ends; what is due before it is started earlier. */
#define SLICE_NEARLY_OVER_TICKS 100
#define SLICE_LATE_TICKS 3000
#define SOON_TICKS 4000

static struct task *away;
static struct task *here;
static struct task *gone[2];
static uint32_t gone_count;

static int go_away(void *argument)
{
    (void)argument;
    (void)rtos_interrupt_lock();
    struct task *task = task_current;
    gone[gone_count++] = task;
    scheduler_remove(task);
    scheduler_leave();
    END();
    characterize_expect(task_current == task && task == gone[0], 1);
    characterize_done();
}

static int stay(void *argument)
{
    (void)argument;
    for (;;)
        ;
    return 0;
}

static int bring_back(void *argument)
{
    (void)argument;
    (void)rtos_interrupt_lock();
    for (uint32_t index = 0; index < gone_count; ++index)
        scheduler_insert(gone[index]);
    BEGIN();
    scheduler_reschedule();
    return 0;
}

/* Parameter: time-outs that end before the time slice of the task that goes on. Both tasks have peers. */
void case_context_switch(const uint32_t *parameters)
{
    characterize_spawn_as(go_away, NULL, HIGH + 1, RTOS_TASK_PRIVILEGED);
    characterize_spawn_as(go_away, NULL, HIGH + 1, RTOS_TASK_PRIVILEGED);
    characterize_timeouts(parameters[0]);
    rtos_task_set_priority(RTOS_SELF, HIGH + 1);
    characterize_spawn_as(bring_back, NULL, HIGH, RTOS_TASK_PRIVILEGED);
    characterize_spawn(stay, NULL, HIGH);
    rtos_task_set_priority(RTOS_SELF, LOW);
}

void case_context_switch_alone(const uint32_t *parameters)
{
    (void)parameters;
    characterize_spawn_as(go_away, NULL, HIGH + 1, RTOS_TASK_PRIVILEGED);
    characterize_spawn_as(bring_back, NULL, HIGH, RTOS_TASK_PRIVILEGED);
}

static int switch_away(void *argument)
{
    (void)argument;
    (void)rtos_interrupt_lock();
    away = task_current;
    scheduler_remove(away);
    task_current = here;
    rtos_arch_switch(&away->context, &here->context);
    END();
    characterize_done();
}

static int switch_back(void *argument)
{
    (void)argument;
    here = task_current;
    characterize_spawn_as(switch_away, NULL, HIGH + 1, RTOS_TASK_PRIVILEGED);
    (void)rtos_interrupt_lock();
    task_current = away;
    BEGIN();
    rtos_arch_switch(&here->context, &away->context);
    return 0;
}

void case_registers_switch(const uint32_t *parameters)
{
    (void)parameters;
    characterize_spawn_as(switch_back, NULL, HIGH, RTOS_TASK_PRIVILEGED);
}

static int begin(void *argument)
{
    (void)argument;
    END();
    characterize_done();
}

/* The main task gives way to a task that is new. */
void case_task_start_user(const uint32_t *parameters)
{
    (void)parameters;
    characterize_spawn(begin, NULL, MAIN);
    BEGIN();
    rtos_task_yield();
}

void case_task_start_privileged(const uint32_t *parameters)
{
    (void)parameters;
    characterize_spawn_as(begin, NULL, MAIN, RTOS_TASK_PRIVILEGED);
    BEGIN();
    rtos_task_yield();
}

static rtos_id checked;

static int check_stacks(void *argument)
{
    (void)argument;
    struct task *to = task_find(checked);
    BEGIN();
    fatal_check_stacks(task_current, to);
    END();
    return 0;
}

/* Of a user task that is about to go on. */
void case_stack_check(const uint32_t *parameters)
{
    (void)parameters;
    checked = characterize_spawn(stay, NULL, LOW);
    characterize_spawn_as(check_stacks, NULL, HIGH, RTOS_TASK_PRIVILEGED);
}

static volatile int slice_tested;

static int run_out_of_slice(void *argument)
{
    (void)argument;
    while (!slice_tested)
        ;
    END();
    characterize_done();
}

static void wait_for_slice(uint32_t ticks_left)
{
    while (((AT91_TC(0)->rc - AT91_TC(0)->cv) & 0xffff) > ticks_left)
        ;
}

/* Parameter: time-outs that end before the time slice of the task that goes on. That was interrupted in the same way. */
void case_time_slice(const uint32_t *parameters)
{
    static const struct rtos_timer_attributes attributes = {.action = RTOS_TIMER_POST};
    rtos_id timers[RTOS_CONFIG_TIMERS];
    for (uint32_t index = 0; index < parameters[0]; ++index)
        timers[index] = rtos_timer_create(&attributes);
    characterize_spawn(run_out_of_slice, NULL, MAIN);
    characterize_timer_interrupt(1);
    rtos_task_yield();
    slice_tested = 1;
    wait_for_slice(SLICE_LATE_TICKS);
    for (uint32_t index = 0; index < parameters[0]; ++index)
        characterize_expect(rtos_timer_start(timers[index], SOON_TICKS, 0), RTOS_OK);
    wait_for_slice(SLICE_NEARLY_OVER_TICKS);
    BEGIN();
    for (;;)
        ;
}
