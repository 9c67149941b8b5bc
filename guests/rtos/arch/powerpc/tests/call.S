/* System calls by number; see tests/test.h. */
    .section .text.test_call, "ax", @progbits
    .balign 4
    .global test_call
    .type test_call, @function
test_call:
    mr    %r9, %r3
    mr    %r0, %r4
    lwz   %r3, 0(%r9)
    lwz   %r4, 4(%r9)
    lwz   %r5, 8(%r9)
    lwz   %r6, 12(%r9)
    sc
    blr
    .size test_call, . - test_call
