/* System calls: number in r12, arguments in r0 to r3, result in r0. The service runs in supervisor mode on the task's
   kernel stack with the caller's interrupt mask. */
#include "entry.inc"
#include "../../kernel/syscall_table.h"

    .section .fast_text, "ax", %progbits

FUNCTION rtos_arch_swi
    str   lr, [sp, #-4]!
    mrs   lr, spsr
    str   lr, [sp, #-4]!
    and   lr, lr, #ARCH_IRQ_OFF
    orr   lr, lr, #ARCH_MODE_SUPERVISOR
    msr   cpsr_c, lr
    cmp   r12, #RTOS_SYSCALL_COUNT
    bhs   system_call
    ldr   lr, =rtos_syscall_table
    ldr   r12, [lr, r12, lsl #2]
call:
    mov   lr, pc
    bx    r12
    msr   cpsr_c, #RUN_SUPERVISOR
    ldmfd sp!, {r12, lr}
    msr   spsr_fsxc, r12
    movs  pc, lr

system_call:                        /* The table of the system on top of the kernel. */
    stmfd sp!, {r0-r3}
    mov   r0, r12
    CALL  rtos_syscall_find_system
    mov   r12, r0
    ldmfd sp!, {r0-r3}
    b     call
    .ltorg
END_FUNCTION rtos_arch_swi

/* Where the user code of a task goes that is to end; the kernel knows the exit status. */
    .section .text.rtos_arch_end_task, "ax", %progbits
FUNCTION rtos_arch_end_task
    mov   r12, #2                   /* task_exit in syscalls.def */
    swi   0
END_FUNCTION rtos_arch_end_task
