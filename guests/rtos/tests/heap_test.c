#include "test.h"

#define HEAP_SIZE 256
#define HEADER 8

static char memory[HEAP_SIZE] __attribute__((aligned(8)));

static struct rtos_heap_info info(rtos_id heap)
{
    struct rtos_heap_info found = {0, 0, 0, 0, 0};
    CHECK_EQUAL(rtos_heap_get_info(heap, &found), RTOS_OK);
    return found;
}

static void segments_split_and_join(void)
{
    rtos_id heap = rtos_heap_create(memory, HEAP_SIZE);
    void *a, *b, *c;
    CHECK_EQUAL(info(heap).segments, 1);
    CHECK_EQUAL(info(heap).free, HEAP_SIZE - HEADER);
    CHECK_EQUAL(rtos_heap_alloc(heap, 1, &a), RTOS_OK);
    CHECK_EQUAL(rtos_heap_alloc(heap, 16, &b), RTOS_OK);
    CHECK_EQUAL(rtos_heap_alloc(heap, 24, &c), RTOS_OK);
    CHECK((char *)a == memory + HEADER && (char *)b == (char *)a + 8 + HEADER && (char *)c == (char *)b + 16 + HEADER);
    CHECK_EQUAL(info(heap).segments, 4);
    CHECK_EQUAL(rtos_heap_free(heap, a), RTOS_OK);
    CHECK_EQUAL(rtos_heap_free(heap, c), RTOS_OK);
    CHECK_EQUAL(info(heap).segments, 3);
    CHECK_EQUAL(info(heap).free_segments, 2);
    CHECK_EQUAL(rtos_heap_free(heap, b), RTOS_OK);
    CHECK_EQUAL(info(heap).segments, 1);
    CHECK_EQUAL(info(heap).largest, HEAP_SIZE - HEADER);
    CHECK_EQUAL(rtos_heap_delete(heap), RTOS_OK);
}

static void first_fit_takes_the_first(void)
{
    rtos_id heap = rtos_heap_create(memory, HEAP_SIZE);
    void *a, *b, *c, *again;
    rtos_heap_alloc(heap, 32, &a);
    rtos_heap_alloc(heap, 8, &b);
    rtos_heap_alloc(heap, 8, &c);
    rtos_heap_free(heap, a);
    CHECK_EQUAL(rtos_heap_alloc(heap, 40, &again), RTOS_OK);
    CHECK(again > c);
    CHECK_EQUAL(rtos_heap_free(heap, again), RTOS_OK);
    CHECK_EQUAL(rtos_heap_alloc(heap, 8, &again), RTOS_OK);
    CHECK(again == a);
    CHECK_EQUAL(rtos_heap_alloc(heap, 8, &again), RTOS_OK);
    CHECK(again > a && again < b);
    rtos_heap_delete(heap);
}

static void full_heap_gives_nothing(void)
{
    rtos_id heap = rtos_heap_create(memory, HEAP_SIZE);
    void *all, *more = &more;
    CHECK_EQUAL(rtos_heap_alloc(heap, HEAP_SIZE - HEADER + 1, &more), RTOS_ERROR_MEMORY);
    CHECK_EQUAL(rtos_heap_alloc(heap, 0xfffffff8u, &more), RTOS_ERROR_MEMORY);
    CHECK_EQUAL(rtos_heap_alloc(heap, 0xffffffffu, &more), RTOS_ERROR_MEMORY);
    CHECK_EQUAL(rtos_heap_alloc(heap, HEAP_SIZE - HEADER, &all), RTOS_OK);
    CHECK_EQUAL(rtos_heap_alloc(heap, 1, &more), RTOS_ERROR_MEMORY);
    CHECK(more == NULL);
    CHECK_EQUAL(info(heap).free, 0);
    rtos_heap_free(heap, all);
    rtos_heap_delete(heap);
}

static void refuses_bad_arguments(void)
{
    void *block;
    CHECK_EQUAL(rtos_heap_create(memory + 4, HEAP_SIZE - 8), RTOS_ERROR_PARAMETER);
    CHECK_EQUAL(rtos_heap_create(memory, 16), RTOS_ERROR_PARAMETER);
    CHECK_EQUAL(rtos_heap_create(memory, 0xfffffff0u), RTOS_ERROR_PARAMETER);
    CHECK_EQUAL(rtos_heap_create((void *)0xf0000000u, 256), RTOS_ERROR_PARAMETER);
    rtos_id heap = rtos_heap_create(memory, HEAP_SIZE);
    CHECK_EQUAL(rtos_heap_alloc(heap, 0, &block), RTOS_ERROR_PARAMETER);
    CHECK_EQUAL(rtos_heap_alloc(heap, 8, (void **)2), RTOS_ERROR_PARAMETER);
    CHECK_EQUAL(rtos_heap_alloc(heap, 8, &block), RTOS_OK);
    CHECK_EQUAL(rtos_heap_free(heap, (char *)block + 8), RTOS_ERROR_PARAMETER);
    CHECK_EQUAL(rtos_heap_free(heap, NULL), RTOS_ERROR_PARAMETER);
    CHECK_EQUAL(rtos_heap_free(RTOS_HEAP_KERNEL, block), RTOS_ERROR_PARAMETER);
    CHECK_EQUAL(rtos_heap_free(heap, block), RTOS_OK);
    CHECK_EQUAL(rtos_heap_free(heap, block), RTOS_ERROR_PARAMETER);
    CHECK_EQUAL(rtos_heap_alloc(RTOS_HEAP_STACKS, 8, &block), RTOS_ERROR_ID);
    CHECK_EQUAL(rtos_heap_free(RTOS_HEAP_STACKS, memory), RTOS_ERROR_ID);
    rtos_heap_delete(heap);
    CHECK_EQUAL(rtos_heap_alloc(heap, 8, &block), RTOS_ERROR_ID);
    CHECK_EQUAL(rtos_heap_delete(heap), RTOS_ERROR_ID);
    CHECK_EQUAL(rtos_heap_delete(RTOS_HEAP_KERNEL), RTOS_ERROR_ID);
}

static void kernel_heap_serves_tasks(void)
{
    void *block;
    uint32_t segments = info(RTOS_HEAP_KERNEL).segments;
    CHECK_EQUAL(rtos_heap_alloc(RTOS_HEAP_KERNEL, 100, &block), RTOS_OK);
    CHECK_EQUAL(info(RTOS_HEAP_KERNEL).segments, segments + 1);
    CHECK_EQUAL(rtos_heap_free(RTOS_HEAP_KERNEL, block), RTOS_OK);
    CHECK_EQUAL(info(RTOS_HEAP_KERNEL).segments, segments);
}

static uint32_t random_number(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 16;
}

static void random_use_keeps_contents_and_space(void)
{
    rtos_id heap = rtos_heap_create(memory, HEAP_SIZE);
    unsigned char *blocks[12] = {NULL};
    uint32_t sizes[12], seed = 1;
    for (int step = 0; step < 600; ++step) {
        uint32_t slot = random_number(&seed) % 12;
        if (blocks[slot] != NULL) {
            for (uint32_t index = 0; index < sizes[slot]; ++index)
                CHECK(blocks[slot][index] == slot);
            CHECK_EQUAL(rtos_heap_free(heap, blocks[slot]), RTOS_OK);
            blocks[slot] = NULL;
        } else {
            sizes[slot] = 1 + random_number(&seed) % 40;
            if (rtos_heap_alloc(heap, sizes[slot], (void **)&blocks[slot]) == RTOS_OK)
                __builtin_memset(blocks[slot], (int)slot, sizes[slot]);
        }
    }
    for (int slot = 0; slot < 12; ++slot) {
        if (blocks[slot] != NULL)
            CHECK_EQUAL(rtos_heap_free(heap, blocks[slot]), RTOS_OK);
    }
    CHECK_EQUAL(info(heap).segments, 1);
    rtos_heap_delete(heap);
}

const struct test tests[] = {
    {"heap segments split and join", segments_split_and_join},
    {"heap first fit takes the first", first_fit_takes_the_first},
    {"heap full gives nothing", full_heap_gives_nothing},
    {"heap refuses bad arguments", refuses_bad_arguments},
    {"heap of the kernel serves tasks", kernel_heap_serves_tasks},
    {"heap random use keeps contents and space", random_use_keeps_contents_and_space},
    {NULL, NULL},
};
