#include "mutex_control.h"

#if RTOS_CONFIG_MUTEXES

#include "scheduler_control.h"
#include "wait.h"

#include <rtos/kernel.h>
#include <rtos/section.h>

static RTOS_KERNEL_DATA struct mutex mutexes[RTOS_CONFIG_MUTEXES];
static RTOS_KERNEL_DATA struct object_table objects;

void mutex_initialise(void)
{
    object_table_initialise(&objects, mutexes, sizeof mutexes[0], RTOS_CONFIG_MUTEXES, KIND_MUTEX);
}

RTOS_SERVICE_TEXT static void take(struct mutex *mutex, struct task *task)
{
    mutex->owner = task;
    mutex->depth = 1;
    list_append(&task->held, &mutex->node);
}

/* Gives the mutex to the most urgent waiter, or leaves it unlocked. */
RTOS_SERVICE_TEXT static void hand_over(struct mutex *mutex, rtos_status result)
{
    struct task *next = wait_first(&mutex->waiters);
    list_remove(&mutex->node);
    mutex->owner = NULL;
    if (next == NULL)
        return;
    next->blocked_on = NULL;
    wait_end(next, result);
    take(mutex, next);
}

/* The task at the end of the chain of owners that begins with this mutex. */
RTOS_SERVICE_TEXT static struct task *last_owner(const struct mutex *mutex)
{
    struct task *owner = mutex->owner;
    while (owner->blocked_on != NULL)
        owner = owner->blocked_on->owner;
    return owner;
}

/* Every owner along the chain runs at least at this priority. */
RTOS_SERVICE_TEXT static void raise_owners(const struct mutex *mutex, uint32_t priority)
{
    while (mutex != NULL && mutex->owner->priority < priority) {
        task_set_priority_in_force(mutex->owner, priority);
        mutex = mutex->owner->blocked_on;
    }
}

RTOS_SERVICE_TEXT static rtos_status wait_for(struct mutex *mutex, uint32_t timeout_us)
{
    rtos_status result = wait_allowed(timeout_us);
    if (result != RTOS_OK)
        return result;
    if (last_owner(mutex) == task_current)
        return RTOS_ERROR_DEADLOCK;
    task_current->blocked_on = mutex;
    raise_owners(mutex, task_current->priority);
    return wait_in(&mutex->waiters, timeout_us);
}

RTOS_SERVICE_TEXT void mutex_wait_abandoned(struct task *task)
{
    struct task *owner = task->blocked_on->owner;
    task->blocked_on = NULL;
    task_inherit(owner);
}

void mutex_release_all(struct task *task)
{
    while (!list_is_empty(&task->held)) {
        struct mutex *mutex = LIST_ENTRY(task->held.next, struct mutex, node);
        mutex->owner_died = list_is_empty(&mutex->waiters);
        hand_over(mutex, RTOS_OWNER_DIED);
    }
}

rtos_id rtos_k_mutex_create(uint32_t flags)
{
    if (flags & ~(RTOS_CONFIG_MUTEX_RECURSIVE ? (uint32_t)RTOS_MUTEX_RECURSIVE : 0u))
        return RTOS_ERROR_PARAMETER;
    rtos_irq_state state = rtos_arch_irq_disable();
    struct mutex *mutex = (struct mutex *)object_allocate(&objects);
    rtos_status result = RTOS_ERROR_LIMIT;
    if (mutex != NULL) {
        mutex->owner = NULL;
        mutex->flags = (uint8_t)flags;
        mutex->owner_died = 0;
        list_initialise(&mutex->node);
        list_initialise(&mutex->waiters);
        result = mutex->object.id;
    }
    rtos_arch_irq_restore(state);
    return result;
}

RTOS_SERVICE_TEXT rtos_status rtos_k_mutex_lock(rtos_id id, uint32_t timeout_us)
{
    if (rtos_interrupt_nesting != 0)
        return RTOS_ERROR_CONTEXT;
    rtos_irq_state state = rtos_arch_irq_disable();
    struct mutex *mutex = OBJECT_FIND(mutexes, id);
    rtos_status result = RTOS_OK;
    if (mutex == NULL)
        result = RTOS_ERROR_ID;
    else if (mutex->owner == NULL) {
        result = mutex->owner_died ? RTOS_OWNER_DIED : RTOS_OK;
        mutex->owner_died = 0;
        take(mutex, task_current);
    } else if (mutex->owner != task_current)
        result = wait_for(mutex, timeout_us);
    else if (!(mutex->flags & RTOS_MUTEX_RECURSIVE))
        result = RTOS_ERROR_DEADLOCK;
    else if (mutex->depth == UINT32_MAX)
        result = RTOS_ERROR_LIMIT;
    else
        ++mutex->depth;
    rtos_arch_irq_restore(state);
    return result;
}

RTOS_SERVICE_TEXT rtos_status rtos_k_mutex_unlock(rtos_id id)
{
    if (rtos_interrupt_nesting != 0)
        return RTOS_ERROR_CONTEXT;
    rtos_irq_state state = rtos_arch_irq_disable();
    struct mutex *mutex = OBJECT_FIND(mutexes, id);
    rtos_status result = RTOS_OK;
    if (mutex == NULL)
        result = RTOS_ERROR_ID;
    else if (mutex->owner != task_current)
        result = RTOS_ERROR_OWNER;
    else if (--mutex->depth == 0) {
        hand_over(mutex, RTOS_OK);
        task_inherit(task_current);
        scheduler_reschedule();
    }
    rtos_arch_irq_restore(state);
    return result;
}

rtos_id rtos_k_mutex_owner(rtos_id id)
{
    rtos_irq_state state = rtos_arch_irq_disable();
    const struct mutex *mutex = OBJECT_FIND(mutexes, id);
    rtos_status result = RTOS_ERROR_ID;
    if (mutex != NULL)
        result = mutex->owner != NULL ? mutex->owner->object.id : 0;
    rtos_arch_irq_restore(state);
    return result;
}

rtos_status rtos_k_mutex_delete(rtos_id id)
{
    if (rtos_interrupt_nesting != 0)
        return RTOS_ERROR_CONTEXT;
    rtos_irq_state state = rtos_arch_irq_disable();
    struct mutex *mutex = OBJECT_FIND(mutexes, id);
    rtos_status result = RTOS_ERROR_ID;
    if (mutex != NULL) {
        struct task *owner = mutex->owner;
        list_remove(&mutex->node);
        while (!list_is_empty(&mutex->waiters)) {
            struct task *waiter = wait_first(&mutex->waiters);
            waiter->blocked_on = NULL;
            wait_end(waiter, RTOS_ERROR_DELETED);
        }
        if (owner != NULL)
            task_inherit(owner);
        object_free(&objects, &mutex->object);
        scheduler_reschedule();
        result = RTOS_OK;
    }
    rtos_arch_irq_restore(state);
    return result;
}

#endif
