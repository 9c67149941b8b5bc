/* A word on the stack says how often a loop runs, and a store through a pointer of unclear origin may change it before. */
#include <stdint.h>

#define NOINLINE __attribute__((noinline))

volatile uint32_t which;
volatile uint32_t mask = ~3u;
volatile uint32_t result;
int global;
int *volatile holder;

NOINLINE static void put(int *to, int value)
{
    *to = value;
}

NOINLINE static void spin(const int *times)
{
    for (int i = 0; i < *times; i++)
        result = (uint32_t)i;
}

/* The address of one variable or of another. */
void joined(void)
{
    int times = 3;
    put(which ? &times : &global, 40);
    spin(&times);
}

/* An address that is computed with. */
void masked(void)
{
    int times = 3;
    put((int *)((uintptr_t)&times & mask), 40);
    spin(&times);
}

/* An address that is kept on the stack, nobody knows where. */
void kept(void)
{
    int times = 3;
    int *pointers[2] = {&global, &global};
    pointers[which & 1] = &times;
    put(pointers[1], 40);
    spin(&times);
}

/* An address of which the bytes are copied one by one. */
void copied(void)
{
    int times = 3;
    int *from = &times, *to = &global;
    for (unsigned i = 0; i < sizeof from * (which & 1); i++)
        ((volatile char *)&to)[i] = ((volatile char *)&from)[i];
    put(to, 40);
    spin(&times);
}

/* An address that others find. */
void left(void)
{
    int times = 3;
    holder = which ? &times : &global;
    put(holder, 40);
    spin(&times);
}

/* An element of an array. */
void indexed(void)
{
    volatile int times[4] = {3, 3, 3, 3};
    times[which & 1] = 40;
    for (int i = 0; i < times[1]; i++)
        result = (uint32_t)i;
}

NOINLINE static void counted(int n)
{
    int times;
    put(&global, 1);
    times = n;
    put(which ? &times : &global, 40);
    spin(&times);
}

/* A variable that has the value of a register of the caller, and is no copy of that register. */
void given(void)
{
    int n = (int)(mask & 3) + 1;
    counted(n);
    result = (uint32_t)n;
}

NOINLINE static void saves(int n)
{
    put(&global, n);
    put(&global, n + 1);
    put(&global, n);
}

NOINLINE static void writes(void)
{
    volatile int times[2];
    times[which & 1] = 40;
    times[~which & 1] = 40;
    for (int i = 0; i < times[1]; i++)
        result = (uint32_t)i;
}

/* An array lies where a function that has returned had put registers away. */
void reused(void)
{
    for (int round = 0; round < 2; round++) {
        saves(round);
        writes();
    }
}

#ifdef __arm__
#define NAKED(name) void name(void); __asm__(".text\n.arm\n.global " #name "\n.type " #name ", %function\n" #name ":\n"
#define END(name) "    bx lr\n.size " #name ", .-" #name "\n.pool\n")

/* Room for variables is made by pushing registers. */
NAKED(pushed)
    "    mov r0, #3\n    mov r1, #3\n    push {r0, r1, r2, lr}\n"
    "    ldr r3, =which\n    ldr r3, [r3]\n    and r3, r3, #1\n"
    "    mov r2, #40\n    str r2, [sp, r3, lsl #2]\n    ldr r2, [sp, #4]\n"
    "1:  subs r2, r2, #1\n    bne 1b\n    pop {r0, r1, r2, lr}\n"
END(pushed);

/* A stack pointer that is rounded; the word is reached from the one before, too. */
NAKED(rounded)
    "    mov ip, sp\n    sub sp, sp, #16\n    bic sp, sp, #7\n"
    "    mov r0, #3\n    str r0, [sp, #4]\n    mov r1, #40\n"
    "    str r1, [ip, #-12]\n    str r1, [ip, #-16]\n    ldr r2, [sp, #4]\n"
    "1:  subs r2, r2, #1\n    bne 1b\n    mov sp, ip\n"
END(rounded);
#endif
