/* Tasks: creation, end, what they do to each other and to themselves. */
#include "characterize.h"

#define NAME_LONGEST "fifteen letters"
/* The smallest stacks: their place is too small for any other task's. */
#define USER_STACK_MIN 128
#define KERNEL_STACK_MIN 384

#define LATE_TICKS 0x10000000u

static rtos_id created;
static rtos_id mutexes[RTOS_CONFIG_MUTEXES];
static rtos_id semaphore;

static int end(void *argument)
{
    (void)argument;
    return 0;
}

static rtos_id spawn_small(uint32_t priority, uint32_t flags)
{
    const struct rtos_task_attributes attributes = {
        .entry = end,
        .priority = priority,
        .flags = flags,
        .stack_size = USER_STACK_MIN,
        .kernel_stack_size = KERNEL_STACK_MIN,
    };
    rtos_id task = rtos_task_create(&attributes);
    characterize_expect(task > 0, 1);
    return task;
}

/* Leaves pairs of a free segment and an allocated one in the stack heap, behind the main task's stack. */
static void fragment_stack_heap(uint32_t pairs)
{
    rtos_id ended[RTOS_CONFIG_TASKS];
    for (uint32_t index = 0; index < pairs; ++index) {
        ended[index] = spawn_small(HIGH, RTOS_TASK_SUSPENDED | RTOS_TASK_DETACHED);
        spawn_small(LOW, RTOS_TASK_SUSPENDED);
    }
    for (uint32_t index = 0; index < pairs; ++index)
        rtos_task_resume(ended[index]);
}

static int begin(void *argument)
{
    END();
    characterize_expect((int32_t)(uintptr_t)argument, LOW);
    characterize_expect(rtos_task_get_priority(RTOS_SELF), HIGH);
    characterize_done();
}

static void prepare_create(struct rtos_task_attributes *attributes, const uint32_t *parameters)
{
    fragment_stack_heap(parameters[1]);
    *attributes = (struct rtos_task_attributes){
        .name = NAME_LONGEST,
        .entry = begin,
        .argument = (void *)LOW,
        .priority = HIGH,
        .stack_size = parameters[0],
    };
}

/* Parameters: user stack in bytes, pairs of segments in the stack heap. The new task begins. */
void case_task_create_switches(const uint32_t *parameters)
{
    struct rtos_task_attributes attributes;
    prepare_create(&attributes, parameters);
    characterize_peer();
    BEGIN();
    rtos_task_create(&attributes);
}

void case_task_create(const uint32_t *parameters)
{
    struct rtos_task_attributes attributes;
    prepare_create(&attributes, parameters);
    attributes.priority = LOW;
    BEGIN();
    rtos_id task = rtos_task_create(&attributes);
    END();
    characterize_expect_state(task, RTOS_STATE_READY);
}

/* Parameters: user stack, pairs of segments, time-outs that end before the main task's slice, which begins. */
void case_task_create_peer(const uint32_t *parameters)
{
    struct rtos_task_attributes attributes;
    prepare_create(&attributes, parameters);
    attributes.priority = MAIN;
    characterize_timeouts(parameters[2]);
    BEGIN();
    rtos_id task = rtos_task_create(&attributes);
    END();
    characterize_expect_state(task, RTOS_STATE_READY);
}

static int wait_for_mutex(void *argument)
{
    characterize_expect(rtos_mutex_lock(mutexes[(uintptr_t)argument], RTOS_WAIT_FOREVER), RTOS_OWNER_DIED);
    return 0;
}

/* A task of many belongings, which waits; its stack lies behind `stacks` others. */
static rtos_id rich;
static uint32_t mutex_count, message_count;

static void acquire(void)
{
    for (uint32_t index = 0; index < mutex_count; ++index) {
        mutexes[index] = rtos_mutex_create(0);
        rtos_mutex_lock(mutexes[index], LONG_US);
    }
    for (uint32_t index = 0; index < message_count; ++index) {
        void *message;
        rtos_message_alloc(&message, LONG_US);
    }
}

static int be_rich(void *argument)
{
    (void)argument;
    acquire();
    rtos_semaphore_wait(semaphore, RTOS_WAIT_FOREVER);
    BEGIN();
    rtos_task_exit(3);
}

/* A time slice that begins is compared with it. */
static void start_late_timer(void)
{
    static const struct rtos_timer_attributes attributes = {.action = RTOS_TIMER_POST};
    characterize_expect(rtos_timer_start(rtos_timer_create(&attributes), LATE_TICKS, 0), RTOS_OK);
}

/* Parameters: mutexes it owns, each of which a less urgent task waits for; messages it owns; tasks whose stacks lie in
   front of its own. */
static void spawn_rich(const uint32_t *parameters)
{
    mutex_count = parameters[0];
    message_count = parameters[1];
    semaphore = rtos_semaphore_create(0, 1);
    start_late_timer();
    for (uint32_t index = 0; index < parameters[2]; ++index)
        spawn_small(LOW, RTOS_TASK_SUSPENDED);
    rich = characterize_spawn(be_rich, NULL, HIGH);
    for (uintptr_t index = 0; index < mutex_count; ++index) {
        rtos_id waiter = characterize_spawn_waiting(wait_for_mutex, (void *)index, HIGH);
        rtos_task_set_priority(waiter, LOW);
    }
}

/* Its wait is interrupted, and it ends by itself. */
void case_task_delete_waiting(const uint32_t *parameters)
{
    spawn_rich(parameters);
    characterize_peer();
    BEGIN();
    rtos_status status = rtos_task_delete(rich);
    END();
    characterize_expect(status, RTOS_OK);
    characterize_expect_state(rich, RTOS_STATE_EXITED);
}

static int wait_privileged(void *argument)
{
    (void)argument;
    rtos_semaphore_wait(semaphore, RTOS_WAIT_FOREVER);
    return 0;
}

void case_task_delete_privileged(const uint32_t *parameters)
{
    (void)parameters;
    semaphore = rtos_semaphore_create(0, 1);
    created = characterize_spawn_as(wait_privileged, NULL, HIGH, RTOS_TASK_PRIVILEGED);
    BEGIN();
    rtos_status status = rtos_task_delete(created);
    END();
    characterize_expect(status, RTOS_OK);
    characterize_expect_state(created, RTOS_STATE_EXITED);
}

void case_task_delete_ended(const uint32_t *parameters)
{
    (void)parameters;
    created = characterize_spawn(end, NULL, HIGH);
    BEGIN();
    rtos_status status = rtos_task_delete(created);
    END();
    characterize_expect(status, RTOS_OK);
    characterize_expect(rtos_task_get_priority(created), RTOS_ERROR_ID);
}

/* The main task joins it, and goes on when it has ended. */
void case_task_exit(const uint32_t *parameters)
{
    int status = 0;
    spawn_rich(parameters);
    rtos_task_set_priority(rich, LOW);
    rtos_semaphore_post(semaphore);
    rtos_status result = rtos_task_join(rich, &status, RTOS_WAIT_FOREVER);
    END();
    characterize_expect(result, RTOS_OK);
    characterize_expect(status, 3);
}

static int join(void *argument)
{
    (void)argument;
    characterize_expect(rtos_task_join(created, NULL, LONG_US), RTOS_OK);
    return 0;
}

/* Parameters: tasks that wait already, time-outs that end before this one. */
void case_task_join_blocks(const uint32_t *parameters)
{
    int status;
    created = characterize_spawn(end, NULL, LOW);
    characterize_waiters_ahead(join, parameters[0]);
    characterize_timeouts(parameters[1]);
    characterize_peers_go_on(RTOS_STATE_WAITING);
    BEGIN();
    rtos_task_join(created, &status, LONG_US);
}

void case_task_join_ended(const uint32_t *parameters)
{
    int status = 1;
    (void)parameters;
    created = characterize_spawn(end, NULL, HIGH);
    BEGIN();
    rtos_status result = rtos_task_join(created, &status, LONG_US);
    END();
    characterize_expect(result, RTOS_OK);
    characterize_expect(status, 0);
}

void case_task_join_alive(const uint32_t *parameters)
{
    (void)parameters;
    created = characterize_spawn(end, NULL, LOW);
    BEGIN();
    characterize_result = rtos_task_join(created, NULL, RTOS_NO_WAIT);
    END();
}

/* Parameter: time-outs that end before the time slice of the peer that goes on. */
void case_task_suspend_self(const uint32_t *parameters)
{
    characterize_timeouts(parameters[0]);
    characterize_peers_go_on(RTOS_STATE_SUSPENDED);
    BEGIN();
    rtos_task_suspend(RTOS_SELF);
}

void case_task_suspend_other(const uint32_t *parameters)
{
    (void)parameters;
    created = characterize_spawn(end, NULL, LOW);
    BEGIN();
    rtos_status status = rtos_task_suspend(created);
    END();
    characterize_expect(status, RTOS_OK);
    characterize_expect_state(created, RTOS_STATE_SUSPENDED);
}

static int suspend_self(void *argument)
{
    (void)argument;
    rtos_status status = rtos_task_suspend(RTOS_SELF);
    END();
    characterize_expect(status, RTOS_OK);
    return 0;
}

void case_task_resume_switches(const uint32_t *parameters)
{
    (void)parameters;
    created = characterize_spawn(suspend_self, NULL, HIGH);
    characterize_peer();
    BEGIN();
    characterize_expect(rtos_task_resume(created), RTOS_OK);
}

/* Parameter: time-outs that end before the main task's slice, which begins. */
void case_task_resume_peer(const uint32_t *parameters)
{
    created = characterize_spawn_waiting_peer(suspend_self, parameters[0]);
    BEGIN();
    rtos_status status = rtos_task_resume(created);
    END();
    characterize_expect(status, RTOS_OK);
    characterize_expect_state(created, RTOS_STATE_READY);
}

void case_task_resume(const uint32_t *parameters)
{
    (void)parameters;
    created = characterize_spawn_as(end, NULL, LOW, RTOS_TASK_SUSPENDED);
    BEGIN();
    rtos_status status = rtos_task_resume(created);
    END();
    characterize_expect(status, RTOS_OK);
    characterize_expect_state(created, RTOS_STATE_READY);
}

static int sleep(void *argument)
{
    (void)argument;
    rtos_status status = rtos_task_sleep(LONG_US);
    END();
    characterize_expect(status, RTOS_ERROR_INTERRUPTED);
    return 0;
}

void case_task_interrupt_switches(const uint32_t *parameters)
{
    (void)parameters;
    created = characterize_spawn(sleep, NULL, HIGH);
    characterize_peer();
    BEGIN();
    characterize_expect(rtos_task_interrupt(created), RTOS_OK);
}

/* Parameter: time-outs that end before the main task's slice, which begins. */
void case_task_interrupt_peer(const uint32_t *parameters)
{
    created = characterize_spawn_waiting_peer(sleep, parameters[0]);
    BEGIN();
    rtos_status status = rtos_task_interrupt(created);
    END();
    characterize_expect(status, RTOS_OK);
    characterize_expect_state(created, RTOS_STATE_READY);
}

void case_task_interrupt_pending(const uint32_t *parameters)
{
    (void)parameters;
    created = characterize_spawn(sleep, NULL, LOW);
    BEGIN();
    characterize_result = rtos_task_interrupt(created);
    END();
}

/* Parameter: time-outs that end before the time slice of the peer that goes on. */
void case_task_yield_switches(const uint32_t *parameters)
{
    characterize_timeouts(parameters[0]);
    characterize_peers_go_on(RTOS_STATE_READY);
    BEGIN();
    rtos_task_yield();
}

void case_task_yield(const uint32_t *parameters)
{
    (void)parameters;
    BEGIN();
    characterize_result = rtos_task_yield();
    END();
}

/* Parameter: time-outs that end before this one. */
void case_task_sleep(const uint32_t *parameters)
{
    characterize_timeouts(parameters[0]);
    characterize_peers_go_on(RTOS_STATE_WAITING);
    BEGIN();
    rtos_task_sleep(LONG_US);
}

void case_task_sleep_first(const uint32_t *parameters)
{
    (void)parameters;
    characterize_low_goes_on(RTOS_STATE_WAITING);
    BEGIN();
    rtos_task_sleep(LONG_US);
}

static rtos_ticks after(uint32_t ticks)
{
    rtos_ticks now = 0;
    rtos_time_get(&now);
    return now + ticks;
}

void case_task_sleep_until(const uint32_t *parameters)
{
    characterize_timeouts(parameters[0]);
    characterize_peers_go_on(RTOS_STATE_WAITING);
    rtos_ticks instant = after(LATE_TICKS);
    BEGIN();
    rtos_task_sleep_until(&instant);
}

void case_task_sleep_until_first(const uint32_t *parameters)
{
    (void)parameters;
    characterize_low_goes_on(RTOS_STATE_WAITING);
    rtos_ticks instant = after(LATE_TICKS);
    BEGIN();
    rtos_task_sleep_until(&instant);
}

void case_task_sleep_until_past(const uint32_t *parameters)
{
    rtos_ticks instant = after(0);
    (void)parameters;
    BEGIN();
    characterize_result = rtos_task_sleep_until(&instant);
    END();
}

void case_task_set_priority_ready(const uint32_t *parameters)
{
    (void)parameters;
    created = characterize_spawn(end, NULL, LOW);
    BEGIN();
    characterize_result = rtos_task_set_priority(created, LOW + 1);
    END();
}

void case_task_get_priority(const uint32_t *parameters)
{
    (void)parameters;
    BEGIN();
    characterize_result = rtos_task_get_priority(characterize_main);
    END();
}

void case_task_self(const uint32_t *parameters)
{
    (void)parameters;
    BEGIN();
    rtos_id self = rtos_task_self();
    END();
    characterize_expect(self, characterize_main);
}

/* Parameter: user stack in bytes, none of which was used. */
void case_task_get_info(const uint32_t *parameters)
{
    struct rtos_task_info info;
    const struct rtos_task_attributes attributes = {
        .name = NAME_LONGEST,
        .entry = end,
        .priority = LOW,
        .stack_size = parameters[0],
    };
    created = rtos_task_create(&attributes);
    BEGIN();
    rtos_status status = rtos_task_get_info(created, &info);
    END();
    characterize_expect(status, RTOS_OK);
    characterize_expect((int32_t)info.stack_size, (int32_t)parameters[0]);
    characterize_expect(info.stack_used <= STACK_BEGUN, 1);
}

/* Parameter: places in the table of tasks between two of them that are free. */
void case_task_next(const uint32_t *parameters)
{
    rtos_id between[RTOS_CONFIG_TASKS];
    for (uint32_t index = 0; index < parameters[0]; ++index)
        between[index] = spawn_small(HIGH, RTOS_TASK_SUSPENDED | RTOS_TASK_DETACHED);
    created = characterize_spawn(end, NULL, LOW);
    for (uint32_t index = 0; index < parameters[0]; ++index)
        rtos_task_resume(between[index]);
    BEGIN();
    rtos_id task = rtos_task_next(characterize_main);
    END();
    characterize_expect(task, created);
}
