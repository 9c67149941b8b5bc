/* Ready queues, priorities and the switch of tasks. */
#include "scheduler_control.h"

#include "fatal.h"
#include "slice.h"

#include <rtos/kernel.h>
#include <rtos/section.h>

_Static_assert(RTOS_CONFIG_PRIORITIES >= 2 && RTOS_CONFIG_PRIORITIES <= 32, "the ready bitmap has 32 bits");

RTOS_KERNEL_DATA struct task *task_current;
RTOS_KERNEL_DATA uint32_t scheduler_locks;
RTOS_KERNEL_DATA uint32_t rtos_interrupt_nesting;
static RTOS_KERNEL_DATA uint32_t ready_bitmap;
static RTOS_KERNEL_DATA struct list_node ready[RTOS_CONFIG_PRIORITIES];
static RTOS_KERNEL_DATA uint32_t switches;

/* Number of the highest bit of a byte; ARM v4T has no instruction for it. */
#define BITS_2(n) n, n
#define BITS_4(n) BITS_2(n), BITS_2(n)
#define BITS_8(n) BITS_4(n), BITS_4(n)
#define BITS_16(n) BITS_8(n), BITS_8(n)
#define BITS_32(n) BITS_16(n), BITS_16(n)
#define BITS_64(n) BITS_32(n), BITS_32(n)
static const uint8_t highest_bit[256] = {
    0, 0, BITS_2(1), BITS_4(2), BITS_8(3), BITS_16(4), BITS_32(5), BITS_64(6), BITS_64(7), BITS_64(7),
};

RTOS_FAST_TEXT static uint32_t highest_ready(void)
{
    uint32_t bits = ready_bitmap;
    if (bits >> 16 != 0)
        return bits >> 24 != 0 ? 24u + highest_bit[bits >> 24] : 16u + highest_bit[bits >> 16];
    return bits >> 8 != 0 ? 8u + highest_bit[bits >> 8] : highest_bit[bits];
}

RTOS_FAST_TEXT static struct task *first_ready(void)
{
    return LIST_ENTRY(ready[highest_ready()].next, struct task, node);
}

/* True when other tasks of a ready task's priority are ready too. */
RTOS_FAST_TEXT static int has_peers(const struct task *task)
{
    return task->node.next != task->node.previous;
}

void scheduler_initialise(void)
{
    for (uint32_t priority = 0; priority < RTOS_CONFIG_PRIORITIES; ++priority)
        list_initialise(&ready[priority]);
    slice_initialise();
}

RTOS_FAST_TEXT void scheduler_insert(struct task *task)
{
    list_append(&ready[task->priority], &task->node);
    ready_bitmap |= 1u << task->priority;
    if (task->priority == task_current->priority && task != task_current)
        slice_peer_arrived();
}

RTOS_FAST_TEXT void scheduler_insert_first(struct task *task)
{
    list_prepend(&ready[task->priority], &task->node);
    ready_bitmap |= 1u << task->priority;
    if (has_peers(task))
        slice_peer_arrived();
}

RTOS_FAST_TEXT void scheduler_remove(struct task *task)
{
    list_remove(&task->node);
    if (list_is_empty(&ready[task->priority]))
        ready_bitmap &= ~(1u << task->priority);
}

RTOS_FAST_TEXT void scheduler_rotate(void)
{
    list_remove(&task_current->node);
    list_append(&ready[task_current->priority], &task_current->node);
}

RTOS_FAST_TEXT static void switch_to(struct task *to)
{
    struct task *from = task_current;
    if (RTOS_CONFIG_STACK_CHECK)
        fatal_check_stacks(from, to);
    slice_switch(from, ready[from->priority].next == &from->node, to, has_peers(to));
    task_current = to;
    ++to->switches;
    ++switches;
    rtos_arch_switch(&from->context, &to->context);
}

RTOS_FAST_TEXT void scheduler_reschedule(void)
{
    if (rtos_interrupt_nesting != 0 || scheduler_locks != 0)
        return;
    struct task *to = first_ready();
    if (to != task_current)
        switch_to(to);
}

RTOS_FAST_TEXT void scheduler_leave(void)
{
    switch_to(first_ready());
}

void scheduler_start(void)
{
    static RTOS_KERNEL_DATA struct rtos_arch_context boot;
    struct task *to = first_ready();
    slice_switch(task_current, 0, to, has_peers(to));
    scheduler_locks = 0;
    task_current = to;
    ++to->switches;
    rtos_arch_switch(&boot, &to->context);
    __builtin_unreachable();
}

uint32_t scheduler_switches(void)
{
    return switches;
}

rtos_status rtos_k_scheduler_lock(void)
{
    if (rtos_interrupt_nesting != 0)
        return RTOS_ERROR_CONTEXT;
    ++scheduler_locks;
    return RTOS_OK;
}

rtos_status rtos_k_scheduler_unlock(void)
{
    if (rtos_interrupt_nesting != 0)
        return RTOS_ERROR_CONTEXT;
    rtos_irq_state state = rtos_arch_irq_disable();
    rtos_status result = RTOS_ERROR_STATE;
    if (scheduler_locks != 0) {
        --scheduler_locks;
        scheduler_reschedule();
        result = RTOS_OK;
    }
    rtos_arch_irq_restore(state);
    return result;
}
