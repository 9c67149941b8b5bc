/* A small system on a PowerPC with its MMU on: two programs in user mode, each with pages of its own, make system calls of which
   one in eight changes the task and one in 64 takes a page away, so that the next access to it is a fault that puts it back. */
#include <stdint.h>

enum { PC = 32, MSR, CR, LR, CTR, XER, WORDS = 40 };
enum { NUMBER, COPY, CHANGE, TAKE_PAGE, END };

#define TASKS 2
#define OWN_PAGES 4
#define OWN 0x40000000u
#define TABLE ((volatile uint32_t *)0x80000)
#define USER_STATE 0x0000d032u

static uint32_t blocks[TASKS][WORDS], stacks[TASKS][512] __attribute__((aligned(16)));
static uint8_t handlers_stack[4096] __attribute__((aligned(16)));
static uint8_t copied[64];
static uint32_t calls, faults;

uint32_t *handle(uint32_t vector, uint32_t *task, uint32_t address);
_Noreturn void go_on(uint32_t *task);
_Noreturn void finished(uint32_t result);

/* The entry of a task's own page: its segment's number is the task's plus 1; slots 1 to 4 of a group are free. */
static volatile uint32_t *entry(uint32_t task, uint32_t page) {
    return TABLE + 16 * ((task + 1) ^ page) + 2 * (1 + page);
}

static void choose(uint32_t task) {
    __asm__ volatile("isync; mtsr 4, %0; isync" ::"r"(task + 1));
}

static void take_page(uint32_t task, uint32_t page) {
    entry(task, page)[0] = 0;
    __asm__ volatile("sync; tlbie %0; sync" ::"r"(OWN + (page << 12)) : "memory");
}

uint32_t *handle(uint32_t vector, uint32_t *task, uint32_t address) {
    uint32_t number = task == blocks[1];
    if (vector == 0x300) {
        uint32_t page = (address - OWN) >> 12;
        faults++;
        entry(number, page)[1] = (0x60000 + ((number * OWN_PAGES + page) << 12)) | 0x192;
        __asm__ volatile("eieio" ::: "memory");
        entry(number, page)[0] = 0x80000000u | (number + 1) << 7 | 0x40000000u >> 22 & 0x3f;
        __asm__ volatile("sync" ::: "memory");
        return task;
    }
    calls++;
    uint8_t *from = (uint8_t *)task[4];
    switch (task[0]) {
    case NUMBER:
        task[3] = number;
        break;
    case COPY:
        for (int i = 0; i < 64; i++) copied[i] = from[i];
        task[3] = copied[calls & 63];
        break;
    case CHANGE:
        task = blocks[number ^ 1];
        choose(number ^ 1);
        break;
    case TAKE_PAGE:
        take_page(number, task[4]);
        break;
    default:
        finished(calls ^ calls >> 8 ^ faults ^ task[4] ^ task[4] >> 8 ^ task[4] >> 16 ^ task[4] >> 24);
    }
    return task;
}

static uint32_t call(uint32_t number, uint32_t argument) {
    register uint32_t r0 __asm__("r0") = number, r3 __asm__("r3"), r4 __asm__("r4") = argument;
    __asm__ volatile("sc" : "=r"(r3), "+r"(r0), "+r"(r4)::"memory", "cr0");
    return r3;
}

static _Noreturn void user(void) {
    volatile uint32_t *own = (volatile uint32_t *)OWN;
    uint32_t sum = 1;
    for (uint32_t round = 0;; round++) {
        uint32_t page = round / 64 & (OWN_PAGES - 1);
        for (uint32_t word = 0; word < 16; word++) {
            own[page << 10 | word] += sum ^ word;
            sum = sum * 1664525u + own[page << 10 | word];
        }
        sum += call(NUMBER, 0);
        if (round % 4 == 0) sum += call(COPY, OWN + (page << 12));
        if (round % 8 == 7) call(CHANGE, 0);
        if (round % 64 == 63) call(TAKE_PAGE, page);
        if (round == ROUNDS) call(END, sum);
    }
}

int main(void) {
    for (uint32_t task = 0; task < TASKS; task++) {
        blocks[task][PC] = (uint32_t)user;
        blocks[task][MSR] = USER_STATE & ~0x8000u;
        blocks[task][1] = (uint32_t)&stacks[task][500];
    }
    uint8_t *top = handlers_stack + sizeof handlers_stack - 16;
    __asm__ volatile("mtsprg 2, %0" ::"r"(top));
    choose(0);
    go_on(blocks[0]);
}
