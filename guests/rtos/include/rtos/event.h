/* Event flags: 31 flags an object, waited for by any number of tasks. */
#ifndef RTOS_EVENT_H
#define RTOS_EVENT_H

#include <rtos/types.h>

enum rtos_event_option {
    RTOS_EVENT_ANY = 0,   /* One of the flags is enough. */
    RTOS_EVENT_ALL = 1,   /* All flags are needed at once. */
    RTOS_EVENT_CLEAR = 2, /* Clear the awaited flags when the wait succeeds. */
};

/* Flags that exist; bit 31 would make results negative. */
#define RTOS_EVENT_FLAGS 0x7fffffffu

rtos_id rtos_event_create(uint32_t initial);
/* Waits for flags and returns those of `flags` that were set. */
rtos_status rtos_event_wait(rtos_id event, uint32_t flags, uint32_t options, uint32_t timeout_us);
/* Sets flags and wakes, in order of priority, every task that is satisfied. Allowed in interrupt handlers. */
rtos_status rtos_event_set(rtos_id event, uint32_t flags);
/* Clears flags and returns the former ones. Allowed in interrupt handlers. */
rtos_status rtos_event_clear(rtos_id event, uint32_t flags);
/* Returns the flags. */
rtos_status rtos_event_get(rtos_id event);
rtos_status rtos_event_delete(rtos_id event);

#endif
