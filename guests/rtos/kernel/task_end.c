/* The end of tasks: exit, delete, join. */
#include "heap_control.h"
#include "message_control.h"
#include "mutex_control.h"
#include "scheduler_control.h"
#include "stack.h"
#include "wait.h"

#include <rtos/kernel.h>
#include <rtos/section.h>

static RTOS_KERNEL_DATA rtos_exit_hook exit_hooks[RTOS_CONFIG_EXIT_HOOKS];

rtos_status rtos_k_task_add_exit_hook(rtos_exit_hook hook)
{
    for (uint32_t index = 0; index < RTOS_CONFIG_EXIT_HOOKS; ++index) {
        if (exit_hooks[index] == NULL) {
            exit_hooks[index] = hook;
            return RTOS_OK;
        }
    }
    return RTOS_ERROR_LIMIT;
}

/* Takes a task that does not run out of all queues, for good. */
static void stop(struct task *task)
{
    if (task->blocked == 0)
        scheduler_remove(task);
    task->blocked |= TASK_SUSPENDED;
    if (task->blocked & TASK_WAITING)
        wait_end(task, RTOS_ERROR_INTERRUPTED);
}

/* Tells the joiners, and frees the control block if nobody can want it any more. */
static void finish(struct task *task, int status)
{
    int wanted = !(task->flags & RTOS_TASK_DETACHED) && list_is_empty(&task->joiners);
    while (!list_is_empty(&task->joiners)) {
        struct task *joiner = wait_first(&task->joiners);
        joiner->wait.exit_status = status;
        wait_end(joiner, RTOS_OK);
    }
    task->exit_status = status;
    task->blocked = TASK_EXITED;
    if (!wanted)
        object_free(&task_objects, &task->object);
}

void task_end(struct task *task, int status)
{
    rtos_irq_state state = rtos_arch_irq_disable();
    int is_self = task == task_current;
    if (is_self && scheduler_locks != 0) {
        scheduler_locks = 0;
        scheduler_reschedule();
    }
    task->ending = 1;
    if (task->killed)
        status = task->exit_status;
    task->killed = task->interrupt_pending = 0;
    if (!is_self)
        stop(task);
    rtos_arch_irq_restore(state);

    for (uint32_t index = 0; index < RTOS_CONFIG_EXIT_HOOKS && exit_hooks[index] != NULL; ++index)
        exit_hooks[index](task->object.id, status);
    message_release_all(task->object.id);
    state = rtos_arch_irq_disable();
    mutex_release_all(task);
    scheduler_reschedule();
    /* The stack that is freed may be the one in use: until the switch away the lock keeps others from taking it. */
    ++scheduler_locks;
    rtos_arch_irq_restore(state);
    heap_give(&heap_stacks, task->stack);

    (void)rtos_arch_irq_disable();
    if (is_self)
        scheduler_remove(task);
    finish(task, status);
    --scheduler_locks;
    if (is_self)
        scheduler_leave();
    scheduler_reschedule();
    rtos_arch_irq_restore(state);
}

void task_kill(struct task *task, int status)
{
    if (task->ending || task->killed)
        return;
    task->killed = task->interrupt_pending = 1;
    task->exit_status = status;
    rtos_arch_end_user_code(stack_kernel_top(task));
    if (task->blocked & TASK_SUSPENDED) {
        task->blocked &= (uint8_t)~TASK_SUSPENDED;
        if (task->blocked == 0)
            scheduler_insert(task);
    }
    if ((task->blocked & TASK_WAITING) && task->blocked_on == NULL)
        wait_end(task, RTOS_ERROR_INTERRUPTED);
}

void rtos_k_task_exit(int status)
{
    if (rtos_interrupt_nesting != 0)
        rtos_k_panic("rtos_task_exit in an interrupt handler");
    task_end(task_current, status);
    __builtin_unreachable();
}

rtos_status rtos_k_task_delete(rtos_id id)
{
    if (rtos_interrupt_nesting != 0)
        return RTOS_ERROR_CONTEXT;
    rtos_irq_state state = rtos_arch_irq_disable();
    struct task *task = task_find(id);
    rtos_status result = RTOS_OK;
    if (task == NULL)
        result = RTOS_ERROR_ID;
    else if (task == &task_table[0])
        result = RTOS_ERROR_PERMISSION;
    else if (task->blocked & TASK_EXITED)
        object_free(&task_objects, &task->object);
    else if (task == task_current || ((task->flags & RTOS_TASK_PRIVILEGED) && !task->ending)) {
        rtos_arch_irq_restore(state);
        task_end(task, RTOS_EXIT_KILLED);
        return RTOS_OK;
    } else if (!task->ending)
        task_kill(task, RTOS_EXIT_KILLED);
    scheduler_reschedule();
    rtos_arch_irq_restore(state);
    return result;
}

rtos_status rtos_k_task_join(rtos_id id, int *status, uint32_t timeout_us)
{
    if (status != NULL && (((uintptr_t)status & 3) != 0 || !rtos_k_writable(status, sizeof *status)))
        return RTOS_ERROR_PARAMETER;
    rtos_irq_state state = rtos_arch_irq_disable();
    struct task *task = task_find(id);
    rtos_status result;
    int exit_status = 0;
    if (task == NULL)
        result = RTOS_ERROR_ID;
    else if (task == task_current)
        result = RTOS_ERROR_DEADLOCK;
    else if (task->blocked & TASK_EXITED) {
        exit_status = task->exit_status;
        object_free(&task_objects, &task->object);
        result = RTOS_OK;
    } else {
        result = wait_allowed(timeout_us);
        if (result == RTOS_OK)
            result = wait_in(&task->joiners, timeout_us);
        exit_status = task_current->wait.exit_status;
    }
    rtos_arch_irq_restore(state);
    if (result == RTOS_OK && status != NULL)
        *status = exit_status;
    return result;
}
