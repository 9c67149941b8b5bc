/* The list of what is due, in order of expiry, and the compare interrupt that serves it. */
#include "timeout.h"

#include <rtos/section.h>

static RTOS_KERNEL_DATA struct list_node due;

static inline struct timeout *timeout_of(struct list_node *node)
{
    return LIST_ENTRY(node, struct timeout, node);
}

void timeout_initialise(struct timeout *timeout, void (*expired)(struct timeout *timeout))
{
    list_initialise(&timeout->node);
    timeout->expired = expired;
}

/* Sets the compare to the first expiry, or to half a round of the counter if that is sooner, so that time_now never
   misses a round. A compare that the counter has reached meanwhile is set again, twice as far ahead as setting it
   took. The time has been read just before. */
RTOS_FAST_TEXT static void program_compare(void)
{
    rtos_ticks now = time_last_read();
    rtos_ticks target = now + time_ticks_half_round();
    if (!list_is_empty(&due) && timeout_of(due.next)->expiry < target)
        target = timeout_of(due.next)->expiry;
    for (rtos_ticks margin = 1;;) {
        if (target < now + margin)
            target = now + margin;
        rtos_board_timer_set_compare(time_counter_at(target));
        rtos_ticks after = time_now();
        if (after < target)
            return;
        margin = 2 * (after - now) + 1;
        now = after;
    }
}

void timeout_service_initialise(void)
{
    list_initialise(&due);
    program_compare();
}

RTOS_FAST_TEXT void timeout_start(struct timeout *timeout, rtos_ticks expiry)
{
    struct list_node *place = due.next;
    timeout->expiry = expiry;
    while (place != &due && timeout_of(place)->expiry <= expiry)
        place = place->next;
    list_insert_before(place, &timeout->node);
    if (due.next == &timeout->node)
        program_compare();
}

/* The compare stays as it is: an interrupt too many costs less than setting it at each cancel. */
RTOS_FAST_TEXT void timeout_cancel(struct timeout *timeout)
{
    list_remove(&timeout->node);
}

RTOS_FAST_TEXT void rtos_timer_interrupt(void)
{
    rtos_irq_state state = rtos_arch_irq_disable();
    rtos_ticks now = time_now();
    while (!list_is_empty(&due) && timeout_of(due.next)->expiry <= now) {
        struct timeout *timeout = timeout_of(due.next);
        list_remove(&timeout->node);
        timeout->expired(timeout);
        rtos_arch_irq_restore(state);
        state = rtos_arch_irq_disable();
    }
    program_compare();
    rtos_arch_irq_restore(state);
}
