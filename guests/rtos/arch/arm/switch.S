/* The switch between two tasks, both in supervisor mode, and the first steps of a new one. */
#include "entry.inc"

    .section .fast_text, "ax", %progbits

/* Frame, upwards: sp (user), lr (user), r4-r11, lr. arch_context.c builds the first one. */
FUNCTION rtos_arch_switch
    stmfd sp!, {r4-r11, lr}
    sub   sp, sp, #8
    stmia sp, {sp, lr}^
    str   sp, [r0]
    ldr   sp, [r1]
    ldmia sp, {sp, lr}^
    nop                             /* No banked register right after a load of user registers. */
    add   sp, sp, #8
    ldmfd sp!, {r4-r11, lr}
    bx    lr
END_FUNCTION rtos_arch_switch

/* A new user task: r4 argument; CPSR and pc lie on the stack as after a system call. */
FUNCTION rtos_arch_begin_user
    mov   r0, r4
    ldmfd sp!, {r12, lr}
    msr   spsr_fsxc, r12
    movs  pc, lr
END_FUNCTION rtos_arch_begin_user

/* A new privileged task: r4 argument, r5 entry, r6 where it returns to. */
FUNCTION rtos_arch_begin_privileged
    mov   r0, r4
    mov   lr, r6
    msr   cpsr_c, #ARCH_MODE_SUPERVISOR
    bx    r5
END_FUNCTION rtos_arch_begin_privileged

/* The interrupt mask for code in Thumb state; see arch_types.h. */
    .section .fast_text, "ax", %progbits
FUNCTION rtos_arch_irq_disable
    mrs   r1, cpsr
    and   r0, r1, #ARCH_IRQ_OFF
    orr   r1, r1, #ARCH_IRQ_OFF
    msr   cpsr_c, r1
    bx    lr
END_FUNCTION rtos_arch_irq_disable

FUNCTION rtos_arch_irq_restore
    mrs   r1, cpsr
    bic   r1, r1, #ARCH_IRQ_OFF
    orr   r1, r1, r0
    msr   cpsr_c, r1
    bx    lr
END_FUNCTION rtos_arch_irq_restore
