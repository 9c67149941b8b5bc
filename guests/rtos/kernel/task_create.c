/* Creation of tasks. */
#include "heap_control.h"
#include "mutex_control.h"
#include "scheduler_control.h"
#include "slice.h"
#include "stack.h"
#include "wait.h"

#include <rtos/kernel.h>
#include <rtos/section.h>

#define ALIGN_8(size) (((size) + 7u) & ~7u)

/* Larger stacks are certainly a mistake; the limit keeps the sum below from wrapping round. */
#define STACK_SIZE_MAX 0x10000000u

RTOS_KERNEL_DATA struct task task_table[RTOS_CONFIG_TASKS];
RTOS_KERNEL_DATA struct object_table task_objects;

struct stack_sizes {
    uint32_t user;
    uint32_t kernel;
};

static void copy_name(char *to, const char *from)
{
    uint32_t length = 0;
    for (; from != NULL && from[length] != '\0' && length < RTOS_NAME_SIZE - 1; ++length)
        to[length] = from[length];
    to[length] = '\0';
}

/* Fills a control block, except its handle, and prepares its stacks. */
static void prepare(struct task *task, const struct rtos_task_attributes *attributes, uint32_t *stack,
                    struct stack_sizes sizes)
{
    struct object object = task->object;
    *task = (struct task){.object = object};
    task->stack = stack;
    task->stack_size = sizes.user;
    task->kernel_stack_size = sizes.kernel;
    task->priority = task->base_priority = (uint8_t)attributes->priority;
    task->flags = (uint8_t)attributes->flags;
    copy_name(task->name, attributes->name);
    list_initialise(&task->node);
    list_initialise(&task->held);
    list_initialise(&task->joiners);
    timeout_initialise(&task->timeout, wait_expired);
    slice_refill(task);
    stack_prepare(stack_kernel_bottom(task), sizes.kernel);
    if (sizes.user != 0)
        stack_prepare(stack, sizes.user);
    rtos_arch_context_initialise(&task->context, &(struct rtos_arch_start){
                                                     .entry = attributes->entry,
                                                     .argument = attributes->argument,
                                                     .kernel_stack_top = stack_kernel_top(task),
                                                     .user_stack_top = stack_kernel_bottom(task),
                                                     .privileged = (attributes->flags & RTOS_TASK_PRIVILEGED) != 0,
                                                 });
}

static struct stack_sizes stack_sizes(const struct rtos_task_attributes *attributes)
{
    if (attributes->flags & RTOS_TASK_PRIVILEGED)
        return (struct stack_sizes){0, ALIGN_8(attributes->stack_size)};
    uint32_t kernel = attributes->kernel_stack_size;
    return (struct stack_sizes){ALIGN_8(attributes->stack_size),
                                ALIGN_8(kernel != 0 ? kernel : RTOS_CONFIG_KERNEL_STACK_SIZE)};
}

static int attributes_valid(const struct rtos_task_attributes *attributes)
{
    if (((uintptr_t)attributes & 3) != 0 || !rtos_k_readable(attributes, sizeof *attributes))
        return 0;
    if (attributes->name != NULL && !rtos_k_readable(attributes->name, 1))
        return 0;
    if (!rtos_k_readable((const void *)((uintptr_t)attributes->entry & ~(uintptr_t)1), 2))
        return 0;
    if (attributes->priority == 0 || attributes->priority >= RTOS_CONFIG_PRIORITIES)
        return 0;
    if (attributes->flags & ~(uint32_t)(RTOS_TASK_PRIVILEGED | RTOS_TASK_SUSPENDED | RTOS_TASK_DETACHED))
        return 0;
    if (attributes->stack_size > STACK_SIZE_MAX || attributes->kernel_stack_size > STACK_SIZE_MAX)
        return 0;
    struct stack_sizes sizes = stack_sizes(attributes);
    return sizes.kernel >= STACK_KERNEL_SIZE_MIN &&
           ((attributes->flags & RTOS_TASK_PRIVILEGED) != 0 || sizes.user >= STACK_USER_SIZE_MIN);
}

rtos_id rtos_k_task_create(const struct rtos_task_attributes *attributes)
{
    if (rtos_interrupt_nesting != 0)
        return RTOS_ERROR_CONTEXT;
    if (!attributes_valid(attributes))
        return RTOS_ERROR_PARAMETER;
    struct stack_sizes sizes = stack_sizes(attributes);
    uint32_t *stack = heap_take(&heap_stacks, sizes.user + sizes.kernel);
    if (stack == NULL)
        return RTOS_ERROR_MEMORY;

    rtos_id id = 0;
    rtos_irq_state state = rtos_arch_irq_disable();
    struct task *task = (struct task *)object_allocate(&task_objects);
    if (task != NULL) {
        id = task->object.id;
        task->object.id = 0; /* Nobody finds the task before it is whole. */
    }
    rtos_arch_irq_restore(state);
    if (task == NULL) {
        heap_give(&heap_stacks, stack);
        return RTOS_ERROR_LIMIT;
    }
    prepare(task, attributes, stack, sizes);

    state = rtos_arch_irq_disable();
    task->object.id = id;
    if (attributes->flags & RTOS_TASK_SUSPENDED)
        task->blocked = TASK_SUSPENDED;
    else
        scheduler_insert(task);
    scheduler_reschedule();
    rtos_arch_irq_restore(state);
    return id;
}

void task_initialise(void)
{
    static RTOS_STACKS uint32_t idle_stack[RTOS_CONFIG_IDLE_STACK_SIZE / sizeof(uint32_t)];
    stack_guard_interrupts();
    object_table_initialise(&task_objects, task_table, sizeof task_table[0], RTOS_CONFIG_TASKS, KIND_TASK);
    task_current = (struct task *)object_allocate(&task_objects);
    prepare(task_current,
            &(struct rtos_task_attributes){.name = "idle", .entry = rtos_idle, .flags = RTOS_TASK_PRIVILEGED},
            idle_stack, (struct stack_sizes){0, sizeof idle_stack});
    scheduler_insert(task_current);
}
