/* What tasks do to each other and to themselves while they live. */
#include "scheduler_control.h"
#include "wait.h"

#include <rtos/kernel.h>
#include <rtos/section.h>

RTOS_SERVICE_TEXT static struct task *find_alive(rtos_id id)
{
    struct task *task = task_find(id);
    return task != NULL && !(task->blocked & TASK_EXITED) ? task : NULL;
}

rtos_status rtos_k_task_suspend(rtos_id id)
{
    if (rtos_interrupt_nesting != 0)
        return RTOS_ERROR_CONTEXT;
    rtos_irq_state state = rtos_arch_irq_disable();
    struct task *task = find_alive(id);
    rtos_status result = RTOS_OK;
    if (task == NULL)
        result = RTOS_ERROR_ID;
    else if (task == &task_table[0])
        result = RTOS_ERROR_PERMISSION;
    else if (task == task_current && scheduler_locks != 0)
        result = RTOS_ERROR_CONTEXT;
    else if ((task->blocked & TASK_SUSPENDED) || task->killed || task->ending)
        result = RTOS_ERROR_STATE;
    else {
        if (task->blocked == 0)
            scheduler_remove(task);
        task->blocked |= TASK_SUSPENDED;
        if (task == task_current)
            scheduler_leave();
    }
    rtos_arch_irq_restore(state);
    return result;
}

RTOS_SERVICE_TEXT rtos_status rtos_k_task_resume(rtos_id id)
{
    rtos_irq_state state = rtos_arch_irq_disable();
    struct task *task = find_alive(id);
    rtos_status result = RTOS_OK;
    if (task == NULL)
        result = RTOS_ERROR_ID;
    else if (!(task->blocked & TASK_SUSPENDED) || task->ending)
        result = RTOS_ERROR_STATE;
    else {
        task->blocked &= (uint8_t)~TASK_SUSPENDED;
        if (task->blocked == 0)
            scheduler_insert(task);
        scheduler_reschedule();
    }
    rtos_arch_irq_restore(state);
    return result;
}

RTOS_SERVICE_TEXT rtos_status rtos_k_task_interrupt(rtos_id id)
{
    rtos_irq_state state = rtos_arch_irq_disable();
    struct task *task = find_alive(id);
    rtos_status result = RTOS_OK;
    if (task == NULL)
        result = RTOS_ERROR_ID;
    else if ((task->blocked & TASK_WAITING) && task->blocked_on == NULL) {
        wait_end(task, RTOS_ERROR_INTERRUPTED);
        scheduler_reschedule();
    } else
        task->interrupt_pending = 1;
    rtos_arch_irq_restore(state);
    return result;
}

RTOS_SERVICE_TEXT rtos_status rtos_k_task_yield(void)
{
    rtos_irq_state state = rtos_arch_irq_disable();
    rtos_status result = RTOS_ERROR_CONTEXT;
    if (rtos_interrupt_nesting == 0) {
        scheduler_rotate();
        scheduler_reschedule();
        result = RTOS_OK;
    }
    rtos_arch_irq_restore(state);
    return result;
}

/* A sleep that is over is a success, not a time-out. */
static inline rtos_status slept(rtos_status result)
{
    return result == RTOS_ERROR_TIMEOUT ? RTOS_OK : result;
}

RTOS_SERVICE_TEXT rtos_status rtos_k_task_sleep(uint32_t duration_us)
{
    rtos_irq_state state = rtos_arch_irq_disable();
    rtos_status result = wait_allowed(duration_us);
    if (result == RTOS_OK)
        result = wait_in(NULL, duration_us);
    rtos_arch_irq_restore(state);
    return slept(result);
}

RTOS_SERVICE_TEXT rtos_status rtos_k_task_sleep_until(const rtos_ticks *instant)
{
    if (((uintptr_t)instant & 3) != 0 || !rtos_k_readable(instant, sizeof *instant))
        return RTOS_ERROR_PARAMETER;
    rtos_irq_state state = rtos_arch_irq_disable();
    rtos_status result = wait_allowed(RTOS_WAIT_FOREVER);
    if (result == RTOS_OK && *instant > time_now())
        result = wait_until(NULL, *instant);
    rtos_arch_irq_restore(state);
    return slept(result);
}

rtos_id rtos_k_task_self(void)
{
    return task_current->object.id;
}

void *rtos_k_task_get_slot(rtos_id id, uint32_t slot)
{
    const struct task *task = task_find(id);
    return task != NULL && slot < RTOS_CONFIG_TASK_SLOTS ? task->slots[slot] : NULL;
}

rtos_status rtos_k_task_set_slot(rtos_id id, uint32_t slot, void *value)
{
    struct task *task = task_find(id);
    if (task == NULL)
        return RTOS_ERROR_ID;
    if (slot >= RTOS_CONFIG_TASK_SLOTS)
        return RTOS_ERROR_PARAMETER;
    task->slots[slot] = value;
    return RTOS_OK;
}
