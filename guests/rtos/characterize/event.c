/* Event flags. */
#include "characterize.h"

static rtos_id event;
static rtos_status woken_expected;

/* Each task waits for a flag of its own. */
static int wait(void *argument)
{
    uint32_t flag = 1u << (uintptr_t)argument;
    rtos_status found = rtos_event_wait(event, flag, RTOS_EVENT_ALL | RTOS_EVENT_CLEAR, LONG_US);
    END();
    characterize_expect(found, woken_expected != 0 ? woken_expected : (rtos_status)flag);
    return 0;
}

void case_event_create(const uint32_t *parameters)
{
    (void)parameters;
    BEGIN();
    event = rtos_event_create(5);
    END();
    characterize_expect(rtos_event_get(event), 5);
}

void case_event_wait(const uint32_t *parameters)
{
    (void)parameters;
    event = rtos_event_create(7);
    BEGIN();
    rtos_status found = rtos_event_wait(event, 3, RTOS_EVENT_ALL | RTOS_EVENT_CLEAR, LONG_US);
    END();
    characterize_expect(found, 3);
    characterize_expect(rtos_event_get(event), 4);
}

void case_event_wait_unset(const uint32_t *parameters)
{
    (void)parameters;
    event = rtos_event_create(1);
    BEGIN();
    characterize_result = rtos_event_wait(event, 3, RTOS_EVENT_ALL, RTOS_NO_WAIT);
    END();
}

/* Parameters: tasks that wait already, time-outs that end before this one. */
void case_event_wait_blocks(const uint32_t *parameters)
{
    event = rtos_event_create(0);
    characterize_waiters_ahead(wait, parameters[0]);
    characterize_timeouts(parameters[1]);
    characterize_peers_go_on(RTOS_STATE_WAITING);
    BEGIN();
    rtos_event_wait(event, 1, RTOS_EVENT_CLEAR, LONG_US);
}

void case_event_set(const uint32_t *parameters)
{
    (void)parameters;
    event = rtos_event_create(0);
    BEGIN();
    rtos_status status = rtos_event_set(event, 6);
    END();
    characterize_expect(status, RTOS_OK);
    characterize_expect(rtos_event_get(event), 6);
}

/* Parameters: waiting tasks, all of which are satisfied; time-outs that end before the main task's slice, which begins when
   the first peer is woken. */
void case_event_set_switches(const uint32_t *parameters)
{
    event = rtos_event_create(0);
    characterize_waiters(wait, parameters[0]);
    characterize_timeouts(parameters[1]);
    BEGIN();
    characterize_expect(rtos_event_set(event, (1u << parameters[0]) - 1), RTOS_OK);
    characterize_expect(rtos_event_get(event), 0);
}

void case_event_clear(const uint32_t *parameters)
{
    (void)parameters;
    event = rtos_event_create(7);
    BEGIN();
    rtos_status former = rtos_event_clear(event, 2);
    END();
    characterize_expect(former, 7);
    characterize_expect(rtos_event_get(event), 5);
}

void case_event_get(const uint32_t *parameters)
{
    (void)parameters;
    event = rtos_event_create(9);
    BEGIN();
    characterize_result = rtos_event_get(event);
    END();
}

/* Parameters: the same. */
void case_event_delete(const uint32_t *parameters)
{
    event = rtos_event_create(0);
    woken_expected = RTOS_ERROR_DELETED;
    characterize_waiters(wait, parameters[0]);
    characterize_timeouts(parameters[1]);
    BEGIN();
    characterize_expect(rtos_event_delete(event), RTOS_OK);
    characterize_expect(rtos_event_get(event), RTOS_ERROR_ID);
}

void case_event_delete_unused(const uint32_t *parameters)
{
    (void)parameters;
    event = rtos_event_create(0);
    BEGIN();
    characterize_result = rtos_event_delete(event);
    END();
}
