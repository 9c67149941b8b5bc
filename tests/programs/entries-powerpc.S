# Every way in which control comes into a function without a call, and calls beside them, under the interrupt of a
# decrementer that begins at `ticks`. What it does says `variant`: 0 returns, 1 is interrupted itself.
	.section .text
	.globl start, begin, done, variant, ticks

	.macro function name
	.type \name,@function
\name:
	.endm
	.macro end name
	.size \name,.-\name
	.endm

	.org 0x900
	function tick
	stwu 1,-64(1)
	stw 0,8(1)
	stw 3,12(1)
	stw 4,16(1)
	mflr 0
	stw 0,20(1)
	mfcr 0
	stw 0,24(1)
	mfsrr0 0
	stw 0,28(1)
	mfsrr1 0
	stw 0,32(1)
	lis 3,0x7fff
	mtdec 3
	lwz 3,variant(0)
	cmpwi 3,1
	bne 1f
	li 3,0
	stw 3,variant(0)
	li 3,6
	mtdec 3
	mfmsr 3
	ori 4,3,0x8000
	mtmsr 4
	bl leaf
	nop
	nop
	nop
	mtmsr 3
1:	lwz 0,32(1)
	mtsrr1 0
	lwz 0,28(1)
	mtsrr0 0
	lwz 0,24(1)
	mtcr 0
	lwz 0,20(1)
	mtlr 0
	lwz 4,16(1)
	lwz 3,12(1)
	lwz 0,8(1)
	addi 1,1,64
	rfi
	end tick

	.org 0xc00
	function trap_handler
	stwu 1,-32(1)
	stw 0,8(1)
	stw 3,12(1)
	stw 4,16(1)
	mflr 0
	stw 0,20(1)
	mfsrr0 0
	stw 0,24(1)
	mfsrr1 0
	stw 0,28(1)
	mfmsr 3
	ori 4,3,0x8000
	mtmsr 4
	bl leaf
	mtmsr 3
	lwz 0,28(1)
	mtsrr1 0
	lwz 0,24(1)
	mtsrr0 0
	lwz 0,20(1)
	mtlr 0
	lwz 4,16(1)
	lwz 3,12(1)
	lwz 0,8(1)
	addi 1,1,32
	rfi
	end trap_handler

	.org 0x1000
	function start
	lis 1,0
	ori 1,1,0x8000
	lwz 3,ticks(0)
	mtdec 3
	mfmsr 3
	ori 3,3,0x8000
	mtmsr 3
begin:	bl main
done:	b done
	end start

	function main
	mflr 0
	stwu 1,-16(1)
	stw 0,20(1)
	bl falls
	bl pushes
	bl tail
	li 3,3
	bl loops
	li 3,3
	bl loops_pushed
	bl traps
	bl ends_in_call
	lwz 0,20(1)
	mtlr 0
	addi 1,1,16
	blr
	end main

	function leaf
	addi 5,5,1
	blr
	end leaf

	function falls
	addi 5,5,1
	end falls
	function falls_on
	addi 5,5,2
	end falls_on
	function falls_last
	mflr 0
	stwu 1,-16(1)
	stw 0,20(1)
	bl leaf
	lwz 0,20(1)
	mtlr 0
	addi 1,1,16
	blr
	end falls_last

	function pushes
	mflr 0
	stwu 1,-16(1)
	stw 0,20(1)
	end pushes
	function pushes_on
	bl leaf
	end pushes_on
	function pops
	lwz 0,20(1)
	mtlr 0
	addi 1,1,16
	blr
	end pops

	function tail
	addi 5,5,1
	b falls_on
	end tail

	function loops
	addic. 3,3,-1
	bne loops
	blr
	end loops

	function loops_pushed
	stwu 1,-16(1)
	addic. 3,3,-1
	bne loops_pushed
	addi 1,1,48
	blr
	end loops_pushed

	function traps
	sc
	end traps
	function traps_on
	addi 5,5,1
	blr
	end traps_on

	function ends_in_call
	mflr 0
	stwu 1,-16(1)
	stw 0,20(1)
	bl leaf
	end ends_in_call
	function ends
	lwz 0,20(1)
	mtlr 0
	addi 1,1,16
	blr
	end ends

variant:
	.long 0
ticks:
	.long 0x7fffffff
