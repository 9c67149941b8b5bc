/* First contexts of tasks, and what the kernel changes in the context of a user task. */
#include <rtos/kernel.h>
#include <rtos/arch.h>
#include <rtos/section.h>

void rtos_arch_begin_user(void);
void rtos_arch_begin_privileged(void);
void rtos_arch_end_task(void);

/* As switch.S saves it. */
struct switch_frame {
    uint32_t *user_sp;
    uintptr_t user_lr;
    uintptr_t r4_to_r11[8];
    uintptr_t lr;
};

/* What lies at the top of the kernel stack of every user task that does not run user code. */
struct user_frame {
    uint32_t cpsr;
    uintptr_t pc;
};

static struct user_frame *user_frame(uint32_t *kernel_stack_top)
{
    return (struct user_frame *)(void *)kernel_stack_top - 1;
}

void rtos_arch_context_initialise(struct rtos_arch_context *context, const struct rtos_arch_start *start)
{
    struct user_frame *user = user_frame(start->kernel_stack_top);
    struct switch_frame *frame = (struct switch_frame *)(void *)user - 1;
    uintptr_t entry = (uintptr_t)start->entry;
    *frame = (struct switch_frame){.lr = (uintptr_t)rtos_arch_begin_privileged};
    frame->r4_to_r11[0] = (uintptr_t)start->argument;
    frame->r4_to_r11[1] = entry;
    frame->r4_to_r11[2] = (uintptr_t)rtos_k_task_exit;
    if (!start->privileged) {
        frame->lr = (uintptr_t)rtos_arch_begin_user;
        frame->user_sp = start->user_stack_top;
        frame->user_lr = (uintptr_t)rtos_task_exit;
        *user = (struct user_frame){ARCH_MODE_USER | ((entry & 1) != 0 ? ARCH_THUMB : 0), entry & ~(uintptr_t)1};
    }
    context->kernel_sp = (uint32_t *)(void *)frame;
}

RTOS_FAST_TEXT uint32_t *rtos_arch_user_stack_pointer(const struct rtos_arch_context *context)
{
    return ((const struct switch_frame *)(const void *)context->kernel_sp)->user_sp;
}

void rtos_arch_end_user_code(uint32_t *kernel_stack_top)
{
    *user_frame(kernel_stack_top) = (struct user_frame){ARCH_MODE_USER, (uintptr_t)rtos_arch_end_task};
}
