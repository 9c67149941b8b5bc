/* Semaphores. */
#include "characterize.h"

static rtos_id semaphore;
static rtos_status status_expected;

static int wait(void *argument)
{
    (void)argument;
    rtos_status status = rtos_semaphore_wait(semaphore, LONG_US);
    END();
    characterize_expect(status, status_expected);
    return 0;
}

void case_semaphore_create(const uint32_t *parameters)
{
    (void)parameters;
    BEGIN();
    semaphore = rtos_semaphore_create(0, 1);
    END();
    characterize_expect(rtos_semaphore_value(semaphore), 0);
}

void case_semaphore_wait(const uint32_t *parameters)
{
    (void)parameters;
    semaphore = rtos_semaphore_create(1, 1);
    BEGIN();
    rtos_status status = rtos_semaphore_wait(semaphore, LONG_US);
    END();
    characterize_expect(status, RTOS_OK);
    characterize_expect(rtos_semaphore_value(semaphore), 0);
}

void case_semaphore_wait_empty(const uint32_t *parameters)
{
    (void)parameters;
    semaphore = rtos_semaphore_create(0, 1);
    BEGIN();
    characterize_result = rtos_semaphore_wait(semaphore, RTOS_NO_WAIT);
    END();
}

/* Parameters: tasks that wait already, time-outs that end before this one. */
void case_semaphore_wait_blocks(const uint32_t *parameters)
{
    semaphore = rtos_semaphore_create(0, 1);
    characterize_waiters_ahead(wait, parameters[0]);
    characterize_timeouts(parameters[1]);
    characterize_peers_go_on(RTOS_STATE_WAITING);
    BEGIN();
    rtos_semaphore_wait(semaphore, LONG_US);
}

void case_semaphore_wait_blocks_first(const uint32_t *parameters)
{
    characterize_low_goes_on(RTOS_STATE_WAITING);
    semaphore = rtos_semaphore_create(0, 1);
    (void)parameters;
    BEGIN();
    rtos_semaphore_wait(semaphore, LONG_US);
}

void case_semaphore_wait_blocks_forever(const uint32_t *parameters)
{
    characterize_low_goes_on(RTOS_STATE_WAITING);
    semaphore = rtos_semaphore_create(0, 1);
    (void)parameters;
    BEGIN();
    rtos_semaphore_wait(semaphore, RTOS_WAIT_FOREVER);
}

void case_semaphore_post(const uint32_t *parameters)
{
    (void)parameters;
    semaphore = rtos_semaphore_create(0, 1);
    BEGIN();
    rtos_status status = rtos_semaphore_post(semaphore);
    END();
    characterize_expect(status, RTOS_OK);
    characterize_expect(rtos_semaphore_value(semaphore), 1);
}

static int wait_low(void *argument)
{
    rtos_semaphore_wait(semaphore, LONG_US);
    (void)argument;
    return 0;
}

void case_semaphore_post_wakes(const uint32_t *parameters)
{
    (void)parameters;
    semaphore = rtos_semaphore_create(0, 1);
    rtos_id task = characterize_spawn_waiting(wait_low, NULL, LOW);
    BEGIN();
    rtos_status status = rtos_semaphore_post(semaphore);
    END();
    characterize_expect(status, RTOS_OK);
    characterize_expect_state(task, RTOS_STATE_READY);
}

/* Parameter: time-outs that end before the main task's slice, which begins. */
void case_semaphore_post_wakes_peer(const uint32_t *parameters)
{
    semaphore = rtos_semaphore_create(0, 1);
    rtos_id peer = characterize_spawn_waiting_peer(wait, parameters[0]);
    BEGIN();
    rtos_status status = rtos_semaphore_post(semaphore);
    END();
    characterize_expect(status, RTOS_OK);
    characterize_expect_state(peer, RTOS_STATE_READY);
}

/* The main task has a peer: how much of its time slice is left is measured when it is preempted. */
void case_semaphore_post_switches(const uint32_t *parameters)
{
    (void)parameters;
    semaphore = rtos_semaphore_create(0, 1);
    characterize_spawn(wait, NULL, HIGH);
    characterize_peer();
    BEGIN();
    characterize_expect(rtos_semaphore_post(semaphore), RTOS_OK);
}

void case_semaphore_value(const uint32_t *parameters)
{
    (void)parameters;
    semaphore = rtos_semaphore_create(3, 5);
    BEGIN();
    characterize_result = rtos_semaphore_value(semaphore);
    END();
}

/* Parameters: waiting tasks, time-outs that end before the main task's slice, which begins when the first peer is woken. */
void case_semaphore_delete(const uint32_t *parameters)
{
    semaphore = rtos_semaphore_create(0, 1);
    status_expected = RTOS_ERROR_DELETED;
    characterize_waiters(wait, parameters[0]);
    characterize_timeouts(parameters[1]);
    BEGIN();
    characterize_expect(rtos_semaphore_delete(semaphore), RTOS_OK);
    characterize_expect(rtos_semaphore_value(semaphore), RTOS_ERROR_ID);
}

void case_semaphore_delete_unused(const uint32_t *parameters)
{
    (void)parameters;
    semaphore = rtos_semaphore_create(0, 1);
    BEGIN();
    characterize_result = rtos_semaphore_delete(semaphore);
    END();
}
