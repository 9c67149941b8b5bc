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
        rtos_heap_alloc(heap, SMALL, &blocks[index]);
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

/* N allocated segments, each with a free one in front of it that is too small. */
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
