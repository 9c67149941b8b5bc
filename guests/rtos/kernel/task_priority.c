/* Priorities: base, inherited, in force. */
#include "mutex_control.h"
#include "scheduler_control.h"
#include "wait.h"

#include <rtos/kernel.h>
#include <rtos/section.h>

RTOS_SERVICE_TEXT void task_set_priority_in_force(struct task *task, uint32_t priority)
{
    if (task->blocked == 0) {
        scheduler_remove(task);
        task->priority = (uint8_t)priority;
        if (task == task_current)
            scheduler_insert_first(task);
        else
            scheduler_insert(task);
        return;
    }
    task->priority = (uint8_t)priority;
    if ((task->blocked & TASK_WAITING) != 0 && task->queue != NULL)
        wait_reorder(task, task->queue);
}

#if RTOS_CONFIG_MUTEXES
RTOS_SERVICE_TEXT static uint32_t priority_deserved(const struct task *task)
{
    uint32_t priority = task->base_priority;
    for (struct list_node *node = task->held.next; node != &task->held; node = node->next) {
        const struct task *waiter = wait_first(&LIST_ENTRY(node, struct mutex, node)->waiters);
        if (waiter != NULL && waiter->priority > priority)
            priority = waiter->priority;
    }
    return priority;
}

RTOS_SERVICE_TEXT void task_inherit(struct task *task)
{
    while (task != NULL) {
        uint32_t priority = priority_deserved(task);
        if (priority == task->priority)
            return;
        task_set_priority_in_force(task, priority);
        task = task->blocked_on != NULL ? task->blocked_on->owner : NULL;
    }
}
#else
RTOS_SERVICE_TEXT void task_inherit(struct task *task)
{
    if (task->priority != task->base_priority)
        task_set_priority_in_force(task, task->base_priority);
}
#endif

rtos_status rtos_k_task_set_priority(rtos_id id, uint32_t priority)
{
    if (priority == 0 || priority >= RTOS_CONFIG_PRIORITIES)
        return RTOS_ERROR_PARAMETER;
    if (rtos_interrupt_nesting != 0)
        return RTOS_ERROR_CONTEXT;
    rtos_irq_state state = rtos_arch_irq_disable();
    struct task *task = task_find(id);
    rtos_status result = RTOS_ERROR_ID;
    if (task != NULL && !(task->blocked & TASK_EXITED)) {
        result = task->base_priority;
        task->base_priority = (uint8_t)priority;
        task_inherit(task);
        scheduler_reschedule();
    }
    rtos_arch_irq_restore(state);
    return result;
}

rtos_status rtos_k_task_get_priority(rtos_id id)
{
    rtos_irq_state state = rtos_arch_irq_disable();
    const struct task *task = task_find(id);
    rtos_status result = task != NULL ? (rtos_status)task->priority : RTOS_ERROR_ID;
    rtos_arch_irq_restore(state);
    return result;
}
