/* Timers and time. */
#include "characterize.h"

/* Later than every other time-out, below 2^31 ticks. */
#define LATE_TICKS 0x10000000u

static const struct rtos_timer_attributes attributes = {.action = RTOS_TIMER_SET, .flags = 1};

void case_timer_create(const uint32_t *parameters)
{
    (void)parameters;
    BEGIN();
    rtos_id timer = rtos_timer_create(&attributes);
    END();
    characterize_expect(rtos_timer_stop(timer), RTOS_ERROR_STATE);
}

/* Parameter: time-outs that end before it. It runs already. */
void case_timer_start(const uint32_t *parameters)
{
    rtos_id timer = rtos_timer_create(&attributes);
    rtos_timer_start(timer, LATE_TICKS, LATE_TICKS);
    characterize_timeouts(parameters[0]);
    BEGIN();
    rtos_status status = rtos_timer_start(timer, LATE_TICKS, LATE_TICKS);
    END();
    characterize_expect(status, RTOS_OK);
    characterize_expect(rtos_timer_stop(timer), RTOS_OK);
}

/* It is due at once: setting the compare takes longer than that, so it is set twice. */
void case_timer_start_at_once(const uint32_t *parameters)
{
    (void)parameters;
    rtos_id timer = rtos_timer_create(&attributes);
    BEGIN();
    characterize_result = rtos_timer_start(timer, 0, 0);
    END();
}

void case_timer_start_first(const uint32_t *parameters)
{
    (void)parameters;
    rtos_id timer = rtos_timer_create(&attributes);
    BEGIN();
    characterize_result = rtos_timer_start(timer, LATE_TICKS, 0);
    END();
}

void case_timer_stop(const uint32_t *parameters)
{
    (void)parameters;
    rtos_id timer = rtos_timer_create(&attributes);
    rtos_timer_start(timer, LATE_TICKS, 0);
    BEGIN();
    characterize_result = rtos_timer_stop(timer);
    END();
}

void case_timer_remaining(const uint32_t *parameters)
{
    (void)parameters;
    rtos_id timer = rtos_timer_create(&attributes);
    rtos_timer_start(timer, LATE_TICKS, 0);
    BEGIN();
    rtos_status left = rtos_timer_remaining(timer);
    END();
    characterize_expect(left > 0 && left < (rtos_status)LATE_TICKS, 1);
}

void case_timer_delete(const uint32_t *parameters)
{
    (void)parameters;
    rtos_id timer = rtos_timer_create(&attributes);
    rtos_timer_start(timer, LATE_TICKS, 0);
    BEGIN();
    characterize_result = rtos_timer_delete(timer);
    END();
}

void case_time_get(const uint32_t *parameters)
{
    rtos_ticks now = 0;
    (void)parameters;
    BEGIN();
    rtos_status status = rtos_time_get(&now);
    END();
    characterize_expect(status, RTOS_OK);
    characterize_expect(now > 0, 1);
}

void case_time_frequency(const uint32_t *parameters)
{
    (void)parameters;
    BEGIN();
    rtos_status frequency = rtos_time_frequency();
    END();
    characterize_expect(frequency > 0, 1);
}
