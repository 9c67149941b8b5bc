/* Listing and describing tasks. */
#include "scheduler_control.h"
#include "stack.h"

#include <rtos/kernel.h>

static uint32_t state_of(const struct task *task)
{
    if (task->blocked & TASK_EXITED)
        return RTOS_STATE_EXITED;
    if (task->blocked & TASK_SUSPENDED)
        return RTOS_STATE_SUSPENDED;
    return task->blocked & TASK_WAITING ? RTOS_STATE_WAITING : RTOS_STATE_READY;
}

/* The stacks of an ended task are freed already. The lock keeps a living one from ending while they are read. */
static void describe_stacks(const struct task *task, struct rtos_task_info *info)
{
    info->stack_used = stack_used(task->stack, task->stack_size);
    info->kernel_stack_used = stack_used(stack_kernel_bottom(task), task->kernel_stack_size);
    if (task->flags & RTOS_TASK_PRIVILEGED) {
        info->stack_size = info->kernel_stack_size;
        info->stack_used = info->kernel_stack_used;
        info->kernel_stack_size = info->kernel_stack_used = 0;
    }
}

rtos_status rtos_k_task_get_info(rtos_id id, struct rtos_task_info *info)
{
    if (((uintptr_t)info & 3) != 0 || !rtos_k_writable(info, sizeof *info))
        return RTOS_ERROR_PARAMETER;
    if (rtos_k_scheduler_lock() != RTOS_OK)
        return RTOS_ERROR_CONTEXT;
    const struct task *task = task_find(id);
    if (task != NULL) {
        *info = (struct rtos_task_info){
            .id = task->object.id,
            .state = state_of(task),
            .priority = task->priority,
            .base_priority = task->base_priority,
            .flags = task->flags,
            .stack_size = task->stack_size,
            .kernel_stack_size = task->kernel_stack_size,
            .switches = task->switches,
        };
        __builtin_memcpy(info->name, task->name, sizeof info->name);
        if (!(task->blocked & TASK_EXITED))
            describe_stacks(task, info);
    }
    rtos_k_scheduler_unlock();
    return task != NULL ? RTOS_OK : RTOS_ERROR_ID;
}

rtos_id rtos_k_task_next(rtos_id previous)
{
    for (uint32_t index = previous == 0 ? 0 : ((uint32_t)previous & 0xffu) + 1; index < RTOS_CONFIG_TASKS; ++index) {
        if (task_table[index].object.id != 0)
            return task_table[index].object.id;
    }
    return RTOS_ERROR_ID;
}
