/* Mutexes. */
#include "characterize.h"

#include <rtos/kernel.h>

#define MUTEXES_MAX 16

static rtos_id mutexes[MUTEXES_MAX];
static rtos_id gate;
static rtos_id owners[MUTEXES_MAX];
static uint32_t owner_count;

/* A chain: each owner waits for the mutex of the next, the last for the gate. */
static int own(void *argument)
{
    uint32_t index = (uint32_t)(uintptr_t)argument;
    rtos_mutex_lock(mutexes[index], LONG_US);
    if (index + 1 < owner_count) {
        rtos_mutex_lock(mutexes[index + 1], LONG_US);
    } else {
        rtos_semaphore_wait(gate, RTOS_WAIT_FOREVER);
        END();
        characterize_expect(rtos_task_get_priority(RTOS_SELF), HIGH);
    }
    return 0;
}

/* All owners are less urgent than the main task. */
static void build_waiting_chain(uint32_t count)
{
    owner_count = count;
    gate = rtos_semaphore_create(0, 1);
    for (uint32_t index = count; index-- > 0;) {
        mutexes[index] = rtos_mutex_create(0);
        owners[index] = characterize_spawn(own, (void *)(uintptr_t)index, HIGH);
    }
    for (uint32_t index = 0; index < count; ++index)
        rtos_task_set_priority(owners[index], LOW);
}

/* The last is ready. */
static void build_chain(uint32_t count)
{
    build_waiting_chain(count);
    rtos_semaphore_post(gate);
}

static void expect_owners_raised(void)
{
    for (uint32_t index = 0; index < owner_count; ++index)
        characterize_expect(rtos_task_get_priority(owners[index]), MAIN);
}

void case_mutex_create(const uint32_t *parameters)
{
    (void)parameters;
    BEGIN();
    rtos_id mutex = rtos_mutex_create(RTOS_MUTEX_RECURSIVE);
    END();
    characterize_expect(rtos_mutex_owner(mutex), 0);
}

void case_mutex_lock(const uint32_t *parameters)
{
    (void)parameters;
    rtos_id mutex = rtos_mutex_create(0);
    BEGIN();
    rtos_status status = rtos_mutex_lock(mutex, LONG_US);
    END();
    characterize_expect(status, RTOS_OK);
    characterize_expect(rtos_mutex_owner(mutex), characterize_main);
}

void case_mutex_lock_again(const uint32_t *parameters)
{
    (void)parameters;
    rtos_id mutex = rtos_mutex_create(RTOS_MUTEX_RECURSIVE);
    rtos_mutex_lock(mutex, LONG_US);
    BEGIN();
    characterize_result = rtos_mutex_lock(mutex, LONG_US);
    END();
}

void case_mutex_lock_taken(const uint32_t *parameters)
{
    (void)parameters;
    build_chain(1);
    BEGIN();
    characterize_result = rtos_mutex_lock(mutexes[0], RTOS_NO_WAIT);
    END();
}

/* Parameters: owners along the chain, time-outs that end before this one. */
void case_mutex_lock_blocks(const uint32_t *parameters)
{
    build_chain(parameters[0]);
    characterize_timeouts(parameters[1]);
    characterize_check = expect_owners_raised;
    characterize_peers_go_on(RTOS_STATE_WAITING);
    BEGIN();
    rtos_mutex_lock(mutexes[0], LONG_US);
}

/* The chain again, raised from outside; its last owner is then more urgent than the main task. */
void case_task_set_priority_chain(const uint32_t *parameters)
{
    build_chain(parameters[0]);
    characterize_peer();
    BEGIN();
    characterize_expect(rtos_task_set_priority(owners[0], HIGH), LOW);
}

static int lock(void *argument)
{
    rtos_status status = rtos_mutex_lock(mutexes[(uintptr_t)argument], LONG_US);
    END();
    characterize_expect(status, RTOS_OK);
    return 0;
}

/* Parameters: mutexes that the main task keeps, each with a less urgent waiter; time-outs that end before its slice.
   The task that gets the mutex goes on. */
void case_mutex_unlock_switches(const uint32_t *parameters)
{
    for (uintptr_t index = 0; index <= parameters[0]; ++index) {
        mutexes[index] = rtos_mutex_create(0);
        rtos_mutex_lock(mutexes[index], LONG_US);
        characterize_spawn_waiting(lock, (void *)index, index == 0 ? HIGH : LOW);
    }
    characterize_timeouts(parameters[1]);
    characterize_peer();
    BEGIN();
    characterize_expect(rtos_mutex_unlock(mutexes[0]), RTOS_OK);
    characterize_expect(rtos_task_get_priority(RTOS_SELF), MAIN);
}

void case_mutex_unlock(const uint32_t *parameters)
{
    (void)parameters;
    rtos_id mutex = rtos_mutex_create(0);
    rtos_mutex_lock(mutex, LONG_US);
    BEGIN();
    rtos_status status = rtos_mutex_unlock(mutex);
    END();
    characterize_expect(status, RTOS_OK);
    characterize_expect(rtos_mutex_owner(mutex), 0);
}

void case_mutex_unlock_once(const uint32_t *parameters)
{
    (void)parameters;
    rtos_id mutex = rtos_mutex_create(RTOS_MUTEX_RECURSIVE);
    rtos_mutex_lock(mutex, LONG_US);
    rtos_mutex_lock(mutex, LONG_US);
    BEGIN();
    rtos_status status = rtos_mutex_unlock(mutex);
    END();
    characterize_expect(status, RTOS_OK);
    characterize_expect(rtos_mutex_owner(mutex), characterize_main);
}

void case_mutex_owner(const uint32_t *parameters)
{
    (void)parameters;
    rtos_id mutex = rtos_mutex_create(0);
    rtos_mutex_lock(mutex, LONG_US);
    BEGIN();
    rtos_id owner = rtos_mutex_owner(mutex);
    END();
    characterize_expect(owner, characterize_main);
}

static int lock_deleted(void *argument)
{
    (void)argument;
    rtos_status status = rtos_mutex_lock(mutexes[0], LONG_US);
    END();
    characterize_expect(status, RTOS_ERROR_DELETED);
    return 0;
}

/* Parameters: waiting tasks, time-outs that end before the main task's slice. Its inheritance ends. */
void case_mutex_delete(const uint32_t *parameters)
{
    mutexes[0] = rtos_mutex_create(0);
    rtos_mutex_lock(mutexes[0], LONG_US);
    characterize_waiters(lock_deleted, parameters[0]);
    characterize_timeouts(parameters[1]);
    characterize_peer();
    BEGIN();
    characterize_expect(rtos_mutex_delete(mutexes[0]), RTOS_OK);
    characterize_expect(rtos_task_get_priority(RTOS_SELF), MAIN);
}

void case_mutex_delete_unused(const uint32_t *parameters)
{
    (void)parameters;
    rtos_id mutex = rtos_mutex_create(0);
    BEGIN();
    characterize_result = rtos_mutex_delete(mutex);
    END();
}

static int lock_in_vain(void *argument)
{
    (void)argument;
    rtos_status status = rtos_mutex_lock(mutexes[0], 1);
    END();
    characterize_expect(status, RTOS_ERROR_TIMEOUT);
    characterize_expect(rtos_task_get_priority(owners[owner_count - 1]), LOW);
    characterize_done();
}

/* Parameter: owners along the chain. A more urgent task has waited long enough for the first mutex: what the owners
   inherited is taken back. */
void case_timer_interrupt_inheritance(const uint32_t *parameters)
{
    build_waiting_chain(parameters[0]);
    characterize_spawn(lock_in_vain, NULL, HIGH);
    characterize_expect(rtos_task_get_priority(owners[owner_count - 1]), HIGH);
    characterize_peer();
    characterize_pass_time();
    BEGIN();
    characterize_timer_interrupt(1);
}
