#include "services.h"

#if RTOS_CONFIG_TIMERS

#include "scheduler_control.h"

#include <rtos/kernel.h>
#include <rtos/section.h>

struct timer {
    struct object object;
    struct timeout timeout;
    uint32_t period; /* Ticks, 0 for one-shot. */
    struct rtos_timer_attributes attributes;
};

static RTOS_KERNEL_DATA struct timer timers[RTOS_CONFIG_TIMERS];
static RTOS_KERNEL_DATA struct object_table objects;
static RTOS_KERNEL_DATA uint32_t period_min;

void timer_initialise(void)
{
    object_table_initialise(&objects, timers, sizeof timers[0], RTOS_CONFIG_TIMERS, KIND_TIMER);
    period_min = (uint32_t)rtos_k_ticks_from_us(RTOS_CONFIG_TIMER_PERIOD_MIN_US);
}

/* The action has no effect when its target is gone or a semaphore is at its maximum. */
RTOS_SERVICE_TEXT static void act(const struct rtos_timer_attributes *attributes)
{
    switch (attributes->action) {
#if RTOS_CONFIG_SEMAPHORES
    case RTOS_TIMER_POST:
        (void)rtos_k_semaphore_post(attributes->target);
        break;
#endif
#if RTOS_CONFIG_EVENTS
    case RTOS_TIMER_SET:
        (void)rtos_k_event_set(attributes->target, attributes->flags);
        break;
#endif
    default:
        attributes->handler(attributes->argument);
        break;
    }
}

/* The attributes are copied, as the action may delete the timer. */
RTOS_SERVICE_TEXT static void timer_expired(struct timeout *timeout)
{
    struct timer *timer = LIST_ENTRY(timeout, struct timer, timeout);
    struct rtos_timer_attributes attributes = timer->attributes;
    if (timer->period != 0)
        timeout_start(&timer->timeout, timer->timeout.expiry + timer->period);
    act(&attributes);
}

static int attributes_valid(const struct rtos_timer_attributes *attributes)
{
    if (((uintptr_t)attributes & 3) != 0 || !rtos_k_readable(attributes, sizeof *attributes))
        return 0;
    switch (attributes->action) {
#if RTOS_CONFIG_SEMAPHORES
    case RTOS_TIMER_POST:
        return 1;
#endif
#if RTOS_CONFIG_EVENTS
    case RTOS_TIMER_SET:
        return (attributes->flags & ~RTOS_EVENT_FLAGS) == 0;
#endif
    case RTOS_TIMER_CALL:
        return rtos_k_readable((const void *)((uintptr_t)attributes->handler & ~(uintptr_t)1), 2);
    default:
        return 0;
    }
}

static int caller_is_privileged(void)
{
    return rtos_interrupt_nesting != 0 || (task_current->flags & RTOS_TASK_PRIVILEGED) != 0;
}

rtos_id rtos_k_timer_create(const struct rtos_timer_attributes *attributes)
{
    if (!attributes_valid(attributes))
        return RTOS_ERROR_PARAMETER;
    if (attributes->action == RTOS_TIMER_CALL && !caller_is_privileged())
        return RTOS_ERROR_PERMISSION;
    rtos_irq_state state = rtos_arch_irq_disable();
    struct timer *timer = (struct timer *)object_allocate(&objects);
    rtos_status result = RTOS_ERROR_LIMIT;
    if (timer != NULL) {
        timer->attributes = *attributes;
        timeout_initialise(&timer->timeout, timer_expired);
        result = timer->object.id;
    }
    rtos_arch_irq_restore(state);
    return result;
}

RTOS_SERVICE_TEXT rtos_status rtos_k_timer_start(rtos_id id, uint32_t first, uint32_t period)
{
    if (period != 0 && period < period_min)
        return RTOS_ERROR_PARAMETER;
    rtos_irq_state state = rtos_arch_irq_disable();
    struct timer *timer = OBJECT_FIND(timers, id);
    rtos_status result = RTOS_ERROR_ID;
    if (timer != NULL) {
        timeout_cancel(&timer->timeout);
        timer->period = period;
        timeout_start(&timer->timeout, time_now() + first);
        result = RTOS_OK;
    }
    rtos_arch_irq_restore(state);
    return result;
}

RTOS_SERVICE_TEXT rtos_status rtos_k_timer_stop(rtos_id id)
{
    rtos_irq_state state = rtos_arch_irq_disable();
    struct timer *timer = OBJECT_FIND(timers, id);
    rtos_status result = RTOS_ERROR_ID;
    if (timer != NULL) {
        result = timeout_is_running(&timer->timeout) ? RTOS_OK : RTOS_ERROR_STATE;
        timeout_cancel(&timer->timeout);
    }
    rtos_arch_irq_restore(state);
    return result;
}

rtos_status rtos_k_timer_remaining(rtos_id id)
{
    rtos_irq_state state = rtos_arch_irq_disable();
    const struct timer *timer = OBJECT_FIND(timers, id);
    rtos_status result = RTOS_ERROR_ID;
    if (timer != NULL && !timeout_is_running(&timer->timeout))
        result = RTOS_ERROR_STATE;
    else if (timer != NULL) {
        rtos_ticks now = time_now();
        rtos_ticks left = timer->timeout.expiry > now ? timer->timeout.expiry - now : 0;
        result = left > INT32_MAX ? INT32_MAX : (rtos_status)left;
    }
    rtos_arch_irq_restore(state);
    return result;
}

rtos_status rtos_k_timer_delete(rtos_id id)
{
    rtos_irq_state state = rtos_arch_irq_disable();
    struct timer *timer = OBJECT_FIND(timers, id);
    if (timer != NULL) {
        timeout_cancel(&timer->timeout);
        object_free(&objects, &timer->object);
    }
    rtos_arch_irq_restore(state);
    return timer != NULL ? RTOS_OK : RTOS_ERROR_ID;
}

#endif
