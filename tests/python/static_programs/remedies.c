/* Functions of each of which something cannot be bounded without help; compiled as ARM code. */
#include <stdint.h>

#define NOINLINE __attribute__((noinline))

volatile int count = 3, sink;
void *volatile slot;
typedef int (*handler)(int);
volatile handler pointer;

/* Returns by a word of memory. */
__attribute__((naked, noinline)) void remembers(void)
{
    __asm__ volatile("push {r4, lr}\n"
                     "ldr r4, =slot\n"
                     "str lr, [r4]\n"
                     "ldr r3, [r4]\n"
                     "pop {r4, lr}\n"
                     "bx r3\n"
                     ".ltorg\n");
}

NOINLINE static void now_and_then(void) { sink++; }

void remembered(void)
{
    for (int i = 0; i < 6; i++) {
        remembers();
        if (i == 4)
            now_and_then();
    }
}

NOINLINE static int one(int x) { return x + 1; }
NOINLINE static int two(int x) { return x * 3; }

int through(int x) { return pointer(x) + 1; }
int choose(int x) { return x > 3 ? one(x) : two(x); }

int until(void)
{
    int turns = 0;
    while (sink != count)
        turns++;
    return turns;
}

/* Always ten turns, which the compiler cannot foresee. */
int ten(void)
{
    int turns = 0;
    for (volatile int *p = &count; turns != 10; turns++)
        sink += *p;
    return turns;
}

NOINLINE static int tree(int depth) { return count == depth ? 1 : (tree(depth + 1) ^ tree(depth + 2)) >> 1; }
int branches(void) { return tree(count); }

/* Stores into an array by a pointer, as often as a variable says; called in a loop that sometimes does more. */
NOINLINE static void shift(int *words, int n)
{
    for (int i = 0; i <= n; i++)
        words[i] += 1;
}

NOINLINE static void shifted(int x)
{
    int words[8];
    for (int i = 0; i < 8; i++)
        words[i] = x;
    shift(words, count);
    for (int i = 0; i < 8; i++)
        sink += words[i];
}

void shifts(void)
{
    for (int i = 0; i < 6; i++) {
        shifted(3);
        if (i == 4)
            now_and_then();
    }
}

/* Two ways into one loop. */
__attribute__((naked)) void tangled(void)
{
    __asm__ volatile("ldr r1, =count\n"
                     "ldr r0, [r1]\n"
                     "cmp r0, #3\n"
                     "beq 2f\n"
                     "1: ldr r0, [r1]\n"
                     "2: ldr r2, [r1]\n"
                     "cmp r0, r2\n"
                     "bne 1b\n"
                     "bx lr\n"
                     ".ltorg\n");
}

int outside(int x) { return x > 0 ? ((handler)0x02001000)(x) : x; }
