/* Heaps. The heap of the scenarios lies in the kernel heap's section, so that its segments are priced as those. */
#include "characterize.h"

#include <rtos/section.h>

#define MEMORY_SIZE 6144
#define SMALL 8

static RTOS_KERNEL_HEAP char memory[MEMORY_SIZE];
static void *blocks[2 * MEMORY_SIZE / 16];

void characterize_fragment(rtos_id heap, uint32_t pairs)
{
    for (uint32_t index = 0; index < 2 * pairs; ++index)
        characterize_expect(rtos_heap_alloc(heap, SMALL, &blocks[index]), RTOS_OK);
    for (uint32_t index = 0; index < pairs; ++index)
        characterize_expect(rtos_heap_free(heap, blocks[2 * index]), RTOS_OK);
}

static rtos_id create(void)
{
    return rtos_heap_create(memory, sizeof memory);
}

static void expect_segments(rtos_id heap, uint32_t segments)
{
    struct rtos_heap_info info;
    rtos_heap_get_info(heap, &info);
    characterize_expect((int32_t)info.segments, (int32_t)segments);
}

/* Parameter: allocated segments, each with a free one in front of it that is too small. */
void case_heap_alloc(const uint32_t *parameters)
{
    void *block;
    rtos_id heap = create();
    characterize_fragment(heap, parameters[0]);
    BEGIN();
    rtos_status status = rtos_heap_alloc(heap, 2 * SMALL, &block);
    END();
    characterize_expect(status, RTOS_OK);
    expect_segments(heap, 2 * parameters[0] + 2);
}

void case_heap_alloc_fails(const uint32_t *parameters)
{
    void *block;
    rtos_id heap = create();
    characterize_fragment(heap, parameters[0]);
    BEGIN();
    characterize_result = rtos_heap_alloc(heap, MEMORY_SIZE, &block);
    END();
}

/* The segment is behind the allocated ones and a free one; it and the rest of the heap are joined with that. */
void case_heap_free(const uint32_t *parameters)
{
    void *before, *block;
    rtos_id heap = create();
    for (uint32_t index = 0; index < parameters[0]; ++index)
        characterize_expect(rtos_heap_alloc(heap, SMALL, &blocks[index]), RTOS_OK);
    rtos_heap_alloc(heap, SMALL, &before);
    rtos_heap_alloc(heap, SMALL, &block);
    rtos_heap_free(heap, before);
    BEGIN();
    rtos_status status = rtos_heap_free(heap, block);
    END();
    characterize_expect(status, RTOS_OK);
    expect_segments(heap, parameters[0] + 1);
}

/* Each free segment is larger than those before it. */
void case_heap_get_info(const uint32_t *parameters)
{
    struct rtos_heap_info info;
    rtos_id heap = create();
    for (uint32_t index = 0; index < parameters[0]; ++index) {
        characterize_expect(rtos_heap_alloc(heap, SMALL * (index + 1), &blocks[2 * index]), RTOS_OK);
        characterize_expect(rtos_heap_alloc(heap, SMALL, &blocks[2 * index + 1]), RTOS_OK);
    }
    for (uint32_t index = 0; index < parameters[0]; ++index)
        rtos_heap_free(heap, blocks[2 * index]);
    BEGIN();
    rtos_status status = rtos_heap_get_info(heap, &info);
    END();
    characterize_expect(status, RTOS_OK);
    characterize_expect((int32_t)info.free_segments, (int32_t)parameters[0] + 1);
}

void case_heap_create(const uint32_t *parameters)
{
    (void)parameters;
    BEGIN();
    rtos_id heap = create();
    END();
    expect_segments(heap, 1);
}

void case_heap_delete(const uint32_t *parameters)
{
    (void)parameters;
    rtos_id heap = create();
    BEGIN();
    characterize_result = rtos_heap_delete(heap);
    END();
}
