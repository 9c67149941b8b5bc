@ Every way in which control comes into a function without a call, and calls beside them, under one interrupt that
@ comes from outside. What the interrupt does says `variant`: 0 returns, 1 is interrupted itself, 2 runs another task.
	.arm
	.section .text
	.globl start, begin, done, variant

	.macro function name
	.type \name,%function
\name:
	.endm
	.macro end name
	.size \name,.-\name
	.endm

	function vectors
start:	b reset
	b .
	b trap_handler
	b .
	b .
	nop
	ldr pc,[pc,#-0xf20]
	b .
	end vectors

	function reset
	msr cpsr_c,#0xd2
	ldr sp,=0x3000
	msr cpsr_c,#0xd3
	ldr sp,=0x3800
	msr cpsr_c,#0xdf
	ldr sp,=0x4000
	ldr r0,=0xfffff000
	ldr r1,=tick
	str r1,[r0,#0xc0]	@ AIC_SVR16
	mov r1,#0x66
	str r1,[r0,#0x40]	@ AIC_SMR16: rising edge
	mov r1,#0x10000
	str r1,[r0,#0x120]	@ AIC_IECR
	msr cpsr_c,#0x1f
begin:	bl main
done:	b done
	end reset

	function main
	push {r4,lr}
	bl falls
	bl pushes
	bl tail
	mov r0,#3
	bl loops
	mov r0,#3
	bl loops_pushed
	bl traps
	bl ends_in_call
	pop {r4,lr}
	bx lr
	end main

	function leaf
	add r1,r1,#1
	bx lr
	end leaf

	function falls
	add r1,r1,#1
	end falls
	function falls_on
	add r1,r1,#2
	end falls_on
	function falls_last
	push {r4,lr}
	bl leaf
	pop {r4,lr}
	bx lr
	end falls_last

	function pushes
	push {r4-r6,lr}
	end pushes
	function pushes_on
	bl leaf
	end pushes_on
	function pops
	pop {r4-r6,lr}
	bx lr
	end pops

	function tail
	add r1,r1,#1
	b falls_on
	end tail

	function loops
	subs r0,r0,#1
	bne loops
	bx lr
	end loops

	function loops_pushed
	push {r4}
	subs r0,r0,#1
	bne loops_pushed
	add sp,sp,#12
	bx lr
	end loops_pushed

	function traps
	swi 0
	end traps
	function traps_on
	add r1,r1,#1
	bx lr
	end traps_on

	function ends_in_call
	push {r4,lr}
	bl leaf
	end ends_in_call
	function ends
	pop {r4,lr}
	bx lr
	end ends

@ A software interrupt that can be interrupted; the other task's has nothing to come back to but the interrupted one.
	function trap_handler
	push {r0-r3,lr}
	mrs r2,spsr
	push {r2}
	ldr r3,=variant
	ldr r3,[r3]
	cmp r3,#2
	beq 1f
	msr cpsr_c,#0x13
	bl leaf
	msr cpsr_c,#0x93
	b 2f
1:	ldr r3,=switched
	ldr r3,[r3]
	cmp r3,#1
	beq switch_back
	bl leaf
2:	pop {r2}
	msr spsr_cxsf,r2
	pop {r0-r3,lr}
	movs pc,lr
	end trap_handler

	function switch_back
	ldr r3,=switched
	mov r2,#2
	str r2,[r3]
	add sp,sp,#24
	msr cpsr_c,#0xd2
	pop {r0}
	msr spsr_cxsf,r0
	ldmia sp,{sp,lr}^
	nop
	add sp,sp,#8
	pop {r0-r12,lr}
	movs pc,lr
	end switch_back

	function tick
	sub lr,lr,#4
	push {r0-r12,lr}
	ldr r0,=0xfffff000
	str r0,[r0,#0x130]	@ AIC_EOICR
	ldr r1,=variant
	ldr r2,[r1]
	cmp r2,#2
	beq switch_away
	cmp r2,#1
	bne 1f
	mov r2,#0
	str r2,[r1]
	mov r2,#0x10000
	str r2,[r0,#0x12c]	@ AIC_ISCR: once more
	mrs r4,spsr
	msr cpsr_c,#0x1f
	push {r4,lr}
	bl leaf
	nop
	pop {r5,lr}
	msr cpsr_c,#0x92
	msr spsr_cxsf,r4
1:	pop {r0-r12,lr}
	movs pc,lr
	end tick

	function switch_away
	ldr r1,=switched
	mov r2,#1
	str r2,[r1]
	sub sp,sp,#8
	stmia sp,{sp,lr}^
	nop
	mrs r0,spsr
	push {r0}
	ldr r0,=other_stack
	ldmia r0,{sp,lr}^
	nop
	mov r0,#0x9f
	msr spsr_cxsf,r0
	ldr lr,=other
	movs pc,lr
	end switch_away

	function other
	bl leaf
	swi 1
	b .
	end other

	.ltorg
variant:
	.word 0
switched:
	.word 0
other_stack:
	.word 0x5000, 0
