/* First contexts of tasks, and what the kernel changes in the context of a user task. */
#include <rtos/arch.h>
#include <rtos/kernel.h>
#include <rtos/section.h>

void rtos_arch_begin_user(void);
void rtos_arch_begin_privileged(void);
void rtos_arch_end_task(void);

extern struct rtos_arch_context *rtos_arch_float_owner;

#define USER_MSR (ARCH_MSR_KERNEL | ARCH_MSR_EXTERNAL | ARCH_MSR_PROBLEM)

/* As switch.S saves it; the words of the ABI of the caller's frame lie above. */
struct switch_frame {
    uintptr_t back_chain;
    uintptr_t unused[3];
    uintptr_t r14_to_r31[18];
    uintptr_t unused_too[2];
    uintptr_t callers_back_chain;
    uintptr_t lr;
};

/* What lies at the top of the kernel stack of every user task that does not run user code. */
struct user_frame {
    uintptr_t lr;
    uint32_t *sp;
    uint32_t msr;
    uintptr_t pc;
};

/* Where the words of the ABI of a system call's frame begin, below those of the user frame. */
#define SYSTEM_FRAME_WORDS 8

/* The ABI wants multiples of 16. */
static uint32_t *aligned(uint32_t *stack_top)
{
    return (uint32_t *)((uintptr_t)stack_top & ~(uintptr_t)15);
}

static struct user_frame *user_frame(uint32_t *kernel_stack_top)
{
    return (struct user_frame *)(void *)aligned(kernel_stack_top) - 1;
}

/* The first words of a stack that nobody has called from. */
static uint32_t *first_frame(uint32_t *stack_top)
{
    uint32_t *frame = aligned(stack_top) - 4;
    frame[0] = 0;
    return frame;
}

/* The frame that the switch to a new task leaves: what `callers` points to is the stack pointer then. */
static struct switch_frame *below(uint32_t *callers)
{
    return (struct switch_frame *)(void *)((char *)callers - offsetof(struct switch_frame, callers_back_chain));
}

void rtos_arch_context_initialise(struct rtos_arch_context *context, const struct rtos_arch_start *start)
{
    uint32_t *top = aligned(start->kernel_stack_top);
    uint32_t *callers = start->privileged ? first_frame(top) : top - SYSTEM_FRAME_WORDS;
    struct switch_frame *frame = below(callers);
    *frame = (struct switch_frame){.back_chain = (uintptr_t)callers};
    frame->lr = (uintptr_t)(start->privileged ? rtos_arch_begin_privileged : rtos_arch_begin_user);
    frame->r14_to_r31[0] = (uintptr_t)start->argument;
    frame->r14_to_r31[1] = (uintptr_t)start->entry;
    frame->r14_to_r31[2] = (uintptr_t)rtos_k_task_exit;
    if (!start->privileged)
        *user_frame(top) = (struct user_frame){
            .lr = (uintptr_t)rtos_task_exit,
            .sp = first_frame(start->user_stack_top),
            .msr = USER_MSR,
            .pc = (uintptr_t)start->entry,
        };
    context->kernel_sp = (uint32_t *)(void *)frame;
    context->kernel_top = top;
    if (rtos_arch_float_owner == context)
        rtos_arch_float_owner = NULL;
}

RTOS_FAST_TEXT uint32_t *rtos_arch_user_stack_pointer(const struct rtos_arch_context *context)
{
    return user_frame(context->kernel_top)->sp;
}

void rtos_arch_end_user_code(uint32_t *kernel_stack_top)
{
    struct user_frame *frame = user_frame(kernel_stack_top);
    frame->msr = USER_MSR;
    frame->pc = (uintptr_t)rtos_arch_end_task;
}
