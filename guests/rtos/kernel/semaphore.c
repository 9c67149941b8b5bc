#include "services.h"

#if RTOS_CONFIG_SEMAPHORES

#include "scheduler_control.h"
#include "wait.h"

#include <rtos/kernel.h>
#include <rtos/section.h>

struct semaphore {
    struct object object;
    uint32_t units;
    uint32_t maximum;
    struct list_node waiters;
};

static RTOS_KERNEL_DATA struct semaphore semaphores[RTOS_CONFIG_SEMAPHORES];
static RTOS_KERNEL_DATA struct object_table objects;

void semaphore_initialise(void)
{
    object_table_initialise(&objects, semaphores, sizeof semaphores[0], RTOS_CONFIG_SEMAPHORES, KIND_SEMAPHORE);
}

rtos_id rtos_k_semaphore_create(uint32_t initial, uint32_t maximum)
{
    if (maximum == 0 || maximum > INT32_MAX || initial > maximum)
        return RTOS_ERROR_PARAMETER;
    rtos_irq_state state = rtos_arch_irq_disable();
    struct semaphore *semaphore = (struct semaphore *)object_allocate(&objects);
    rtos_status result = RTOS_ERROR_LIMIT;
    if (semaphore != NULL) {
        semaphore->units = initial;
        semaphore->maximum = maximum;
        list_initialise(&semaphore->waiters);
        result = semaphore->object.id;
    }
    rtos_arch_irq_restore(state);
    return result;
}

RTOS_FAST_TEXT rtos_status rtos_k_semaphore_wait(rtos_id id, uint32_t timeout_us)
{
    rtos_irq_state state = rtos_arch_irq_disable();
    struct semaphore *semaphore = OBJECT_FIND(semaphores, id);
    rtos_status result = RTOS_OK;
    if (semaphore == NULL)
        result = RTOS_ERROR_ID;
    else if (semaphore->units != 0)
        --semaphore->units;
    else {
        result = wait_allowed(timeout_us);
        if (result == RTOS_OK)
            result = wait_in(&semaphore->waiters, timeout_us);
    }
    rtos_arch_irq_restore(state);
    return result;
}

RTOS_FAST_TEXT rtos_status rtos_k_semaphore_post(rtos_id id)
{
    rtos_irq_state state = rtos_arch_irq_disable();
    struct semaphore *semaphore = OBJECT_FIND(semaphores, id);
    rtos_status result = RTOS_OK;
    if (semaphore == NULL)
        result = RTOS_ERROR_ID;
    else if (!list_is_empty(&semaphore->waiters)) {
        wait_end(wait_first(&semaphore->waiters), RTOS_OK);
        scheduler_reschedule();
    } else if (semaphore->units < semaphore->maximum)
        ++semaphore->units;
    else
        result = RTOS_ERROR_LIMIT;
    rtos_arch_irq_restore(state);
    return result;
}

rtos_status rtos_k_semaphore_value(rtos_id id)
{
    rtos_irq_state state = rtos_arch_irq_disable();
    const struct semaphore *semaphore = OBJECT_FIND(semaphores, id);
    rtos_status result = semaphore != NULL ? (rtos_status)semaphore->units : RTOS_ERROR_ID;
    rtos_arch_irq_restore(state);
    return result;
}

rtos_status rtos_k_semaphore_delete(rtos_id id)
{
    rtos_irq_state state = rtos_arch_irq_disable();
    struct semaphore *semaphore = OBJECT_FIND(semaphores, id);
    rtos_status result = RTOS_ERROR_ID;
    if (semaphore != NULL) {
        wait_end_all(&semaphore->waiters, RTOS_ERROR_DELETED);
        object_free(&objects, &semaphore->object);
        scheduler_reschedule();
        result = RTOS_OK;
    }
    rtos_arch_irq_restore(state);
    return result;
}

#endif
