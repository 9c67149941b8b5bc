/* Time and timers, with the resolution of the board's timer. */
#ifndef RTOS_TIMER_H
#define RTOS_TIMER_H

#include <rtos/types.h>

enum rtos_timer_action {
    RTOS_TIMER_POST = 1, /* Post the semaphore `target`. */
    RTOS_TIMER_SET = 2,  /* Set `flags` in the event flags `target`. */
    RTOS_TIMER_CALL = 3, /* Call `handler` in the timer interrupt; privileged creators only. */
};

struct rtos_timer_attributes {
    uint32_t action; /* Of `enum rtos_timer_action`. */
    rtos_id target;
    uint32_t flags;
    void (*handler)(void *argument);
    void *argument;
};

/* Creates a stopped timer. */
rtos_id rtos_timer_create(const struct rtos_timer_attributes *attributes);
/* Starts or restarts it: first expiry after `first` ticks, then each `period` ticks without drift (0: one-shot; else
   at least RTOS_CONFIG_TIMER_PERIOD_MIN_US). Starting and stopping are allowed in interrupt handlers. */
rtos_status rtos_timer_start(rtos_id timer, uint32_t first, uint32_t period);
/* Stops it; RTOS_ERROR_STATE when it is not running. */
rtos_status rtos_timer_stop(rtos_id timer);
/* Returns ticks until the next expiry, at most INT32_MAX; RTOS_ERROR_STATE when it is not running. */
rtos_status rtos_timer_remaining(rtos_id timer);
rtos_status rtos_timer_delete(rtos_id timer);

/* Stores the present instant. */
rtos_status rtos_time_get(rtos_ticks *now);
/* Returns the timer's frequency in hertz. */
rtos_status rtos_time_frequency(void);

#endif
