@ Vectors, stack and a call of main. Marks 1 and 2 enclose the work; r0 then holds its result. A simulator that knows
@ marks stops at the second one; QEMU goes on, prints the result by semihosting and exits.
        .equ SYS_WRITE0, 0x04
        .equ SYS_EXIT, 0x18
        .equ EXIT_SUCCESS, 0x20026      @ ADP_Stopped_ApplicationExit

        .section .start, "ax"
        .arm
        .global _start
_start: b       begin
        .rept   7
        b       .
        .endr
begin:  ldr     sp, =stack_top
        orr     r1, r1, r1
        ldr     r0, =main
        mov     lr, pc
        bx      r0
        orr     r2, r2, r2
        .global finished
finished:
        ldr     r1, =result_text
        mov     r2, #28                 @ Eight digits, the highest first.
digit:  mov     r3, r0, lsr r2
        and     r3, r3, #15
        cmp     r3, #10
        addlo   r3, r3, #'0'
        addhs   r3, r3, #'a' - 10
        strb    r3, [r1], #1
        subs    r2, r2, #4
        bpl     digit
        mov     r3, #'\n'
        strb    r3, [r1], #1
        mov     r3, #0
        strb    r3, [r1]
        ldr     r1, =result_text
        mov     r0, #SYS_WRITE0
        svc     #0x123456
        ldr     r1, =EXIT_SUCCESS
        mov     r0, #SYS_EXIT
        svc     #0x123456
        b       .
        .global finished_end
finished_end:
        .ltorg

        .bss
result_text:
        .space  12
