/* System calls: number in r0, arguments in r3 to r6, result in r3. The service runs with privilege on the task's kernel
   stack with the caller's interrupt mask; it may destroy what a function may. */
#include "entry.inc"
#include "../../kernel/syscall_table.h"

    .section .fast_text, "ax", @progbits

#define FRAME_LR (SYSTEM_FRAME_SIZE + END_LR)
#define FRAME_SP (SYSTEM_FRAME_SIZE + END_SP)
#define FRAME_MSR (SYSTEM_FRAME_SIZE + END_MSR)
#define FRAME_PC (SYSTEM_FRAME_SIZE + END_PC)

FUNCTION rtos_arch_system_call
    mfsrr1 %r12
    mfsrr0 %r11
    mr    %r10, %r1
    andi. %r9, %r12, ARCH_MSR_PROBLEM
    beq   1f
    mfsprg %r1, SPRG_KERNEL_TOP
1:  stwu  %r10, -SYSTEM_FRAME_SIZE(%r1)
    mflr  %r9
    stw   %r10, FRAME_SP(%r1)
    stw   %r12, FRAME_MSR(%r1)
    stw   %r11, FRAME_PC(%r1)
    stw   %r9, FRAME_LR(%r1)
    li    %r9, ARCH_MSR_KERNEL
    rlwimi %r9, %r12, 0, 16, 16     /* EE. */
    mtmsr %r9
    cmplwi %r0, RTOS_SYSCALL_COUNT
    bge   3f
    slwi  %r9, %r0, 2
    addis %r9, %r9, rtos_syscall_table@ha
    lwz   %r9, rtos_syscall_table@l(%r9)
2:  mtctr %r9
    bctrl
    .global rtos_arch_return_to_user
rtos_arch_return_to_user:
    li    %r9, ARCH_MSR_KERNEL
    mtmsr %r9
    lwz   %r12, FRAME_MSR(%r1)
    FLOAT_BY_OWNER %r12, %r9, %r10
    lwz   %r11, FRAME_PC(%r1)
    lwz   %r10, FRAME_LR(%r1)
    mtsrr1 %r12
    mtsrr0 %r11
    mtlr  %r10
    lwz   %r1, FRAME_SP(%r1)
    rfi

3:                                  /* The table of the system on top of the kernel. */
    stwu  %r1, -32(%r1)
    stw   %r3, 8(%r1)
    stw   %r4, 12(%r1)
    stw   %r5, 16(%r1)
    stw   %r6, 20(%r1)
    mr    %r3, %r0
    bl    rtos_syscall_find_system
    mr    %r9, %r3
    lwz   %r3, 8(%r1)
    lwz   %r4, 12(%r1)
    lwz   %r5, 16(%r1)
    lwz   %r6, 20(%r1)
    addi  %r1, %r1, 32
    b     2b
END_FUNCTION rtos_arch_system_call

/* Where the user code of a task goes that is to end; the kernel knows the exit status. */
    .section .text.rtos_arch_end_task, "ax", @progbits
FUNCTION rtos_arch_end_task
    li    %r0, 2                    /* task_exit in syscalls.def */
    sc
END_FUNCTION rtos_arch_end_task
