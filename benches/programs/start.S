@ Vectors, stack and a call of main; runs from on-chip SRAM at 0. Mark 1 and 2 enclose the work.
        .section .start, "ax"
        .arm
        .global _start
_start: b       begin
        b       .
        b       .
        b       .
        b       .
        b       .
        b       .
        b       .
begin:  ldr     sp, =0x40000
        orr     r1, r1, r1
        ldr     r0, =main
        mov     lr, pc
        bx      r0
        orr     r2, r2, r2
        b       .
        .ltorg
