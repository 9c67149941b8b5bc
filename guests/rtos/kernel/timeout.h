/* Time: the 64-bit clock made from the board's counter, and the list of instants at which something is due. */
#ifndef KERNEL_TIMEOUT_H
#define KERNEL_TIMEOUT_H

#include "list.h"
#include <rtos/board.h>

/* Something due at an instant. A node that is not in the list is linked to itself. */
struct timeout {
    struct list_node node;
    rtos_ticks expiry;
    void (*expired)(struct timeout *timeout); /* Called in the timer interrupt, interrupts disabled. */
};

void timeout_initialise(struct timeout *timeout, void (*expired)(struct timeout *timeout));

/* For these the caller has disabled interrupts. */
void timeout_start(struct timeout *timeout, rtos_ticks expiry);
void timeout_cancel(struct timeout *timeout);
rtos_ticks time_now(void);
/* The instant that time_now gave last. */
rtos_ticks time_last_read(void);
static inline int timeout_is_running(const struct timeout *timeout)
{
    return !list_is_empty(&timeout->node);
}

/* Instant at which a wait of that length is over: a tick more than its length, as the present one is partly gone. */
rtos_ticks time_after_us(uint32_t duration_us);

/* Take over the board's timer; first the clock, then the list. */
void time_initialise(void);
void timeout_service_initialise(void);

/* Of the board's timer. */
uint32_t time_frequency_hz(void);
/* What the board's counter shows at an instant less than a round away, and the length of half a round. */
uint32_t time_counter_at(rtos_ticks instant);
uint32_t time_ticks_half_round(void);

#endif
