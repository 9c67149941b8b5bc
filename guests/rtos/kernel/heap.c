/* Heaps: a list of segments in order of address, each with a header in front; first fit. */
#include "heap_control.h"
#include "scheduler_control.h"

#include <rtos/kernel.h>
#include <rtos/section.h>

struct heap_segment {
    struct heap_segment *next; /* NULL in the last. */
    uint32_t size_and_use;     /* Bytes after the header, a multiple of 8; bit 0 set while allocated. */
};

#define HEADER ((uint32_t)sizeof(struct heap_segment))
#define USED 1u

extern char __kernel_heap_start[], __kernel_heap_end[], __stack_heap_start[], __stack_heap_end[];

RTOS_KERNEL_DATA struct heap heap_kernel;
RTOS_KERNEL_DATA struct heap heap_stacks;
#if RTOS_CONFIG_HEAPS
static RTOS_KERNEL_DATA struct heap heaps[RTOS_CONFIG_HEAPS];
static RTOS_KERNEL_DATA struct object_table objects;
#endif

static void format(struct heap *heap, void *memory, uint32_t size)
{
    heap->first = memory;
    heap->size = size;
    *heap->first = (struct heap_segment){NULL, size - HEADER};
}

static void format_section(struct heap *heap, char *start, char *end)
{
    char *first = (char *)(((uintptr_t)start + 7) & ~(uintptr_t)7);
    format(heap, first, (uint32_t)(end - first) & ~7u);
}

void heap_initialise(void)
{
    format_section(&heap_kernel, __kernel_heap_start, __kernel_heap_end);
    format_section(&heap_stacks, __stack_heap_start, __stack_heap_end);
#if RTOS_CONFIG_HEAPS
    object_table_initialise(&objects, heaps, sizeof heaps[0], RTOS_CONFIG_HEAPS, KIND_HEAP);
#endif
}

static inline void *memory_of(struct heap_segment *segment)
{
    return segment + 1;
}

/* Cuts what is not needed off a segment, if a header and something useful fit there. */
RTOS_FAST_TEXT static void split(struct heap_segment *segment, uint32_t size)
{
    uint32_t rest = segment->size_and_use - size;
    if (rest < 2 * HEADER)
        return;
    struct heap_segment *other = (struct heap_segment *)(void *)((char *)memory_of(segment) + size);
    *other = (struct heap_segment){segment->next, rest - HEADER};
    *segment = (struct heap_segment){other, size};
}

void *heap_take(struct heap *heap, uint32_t size)
{
    if (size == 0 || size > heap->size)
        return NULL;
    size = (size + 7u) & ~7u;
    ++scheduler_locks;
    struct heap_segment *segment = heap->first;
    while (segment != NULL && ((segment->size_and_use & USED) != 0 || segment->size_and_use < size))
        segment = segment->next;
    if (segment != NULL) {
        split(segment, size);
        segment->size_and_use |= USED;
    }
    rtos_k_scheduler_unlock();
    return segment != NULL ? memory_of(segment) : NULL;
}

static void join_next(struct heap_segment *segment)
{
    struct heap_segment *next = segment->next;
    if (next != NULL && (next->size_and_use & USED) == 0)
        *segment = (struct heap_segment){next->next, segment->size_and_use + HEADER + next->size_and_use};
}

int heap_give(struct heap *heap, void *memory)
{
    struct heap_segment *previous = NULL;
    ++scheduler_locks;
    struct heap_segment *segment = heap->first;
    while (segment != NULL && memory_of(segment) != memory) {
        previous = segment;
        segment = segment->next;
    }
    int found = segment != NULL && (segment->size_and_use & USED) != 0;
    if (found) {
        segment->size_and_use &= ~USED;
        join_next(segment);
        if (previous != NULL && (previous->size_and_use & USED) == 0)
            join_next(previous);
    }
    rtos_k_scheduler_unlock();
    return found;
}

static struct heap *find(rtos_id id)
{
    if (id == RTOS_HEAP_KERNEL)
        return &heap_kernel;
    if (id == RTOS_HEAP_STACKS)
        return &heap_stacks;
#if RTOS_CONFIG_HEAPS
    return OBJECT_FIND(heaps, id);
#else
    return NULL;
#endif
}

rtos_status rtos_k_heap_alloc(rtos_id id, uint32_t size, void **memory)
{
    if (rtos_interrupt_nesting != 0)
        return RTOS_ERROR_CONTEXT;
    if (size == 0 || ((uintptr_t)memory & 3) != 0 || !rtos_k_writable(memory, sizeof *memory))
        return RTOS_ERROR_PARAMETER;
    struct heap *heap = find(id);
    *memory = NULL;
    if (heap == NULL || heap == &heap_stacks)
        return RTOS_ERROR_ID;
    *memory = heap_take(heap, size);
    return *memory != NULL ? RTOS_OK : RTOS_ERROR_MEMORY;
}

rtos_status rtos_k_heap_free(rtos_id id, void *memory)
{
    if (rtos_interrupt_nesting != 0)
        return RTOS_ERROR_CONTEXT;
    struct heap *heap = find(id);
    if (heap == NULL || heap == &heap_stacks)
        return RTOS_ERROR_ID;
    return heap_give(heap, memory) ? RTOS_OK : RTOS_ERROR_PARAMETER;
}

rtos_status rtos_k_heap_get_info(rtos_id id, struct rtos_heap_info *info)
{
    if (((uintptr_t)info & 3) != 0 || !rtos_k_writable(info, sizeof *info))
        return RTOS_ERROR_PARAMETER;
    if (rtos_k_scheduler_lock() != RTOS_OK)
        return RTOS_ERROR_CONTEXT;
    const struct heap *heap = find(id);
    if (heap != NULL) {
        *info = (struct rtos_heap_info){.size = heap->size};
        for (const struct heap_segment *segment = heap->first; segment != NULL; segment = segment->next) {
            ++info->segments;
            if ((segment->size_and_use & USED) != 0)
                continue;
            ++info->free_segments;
            info->free += segment->size_and_use;
            if (segment->size_and_use > info->largest)
                info->largest = segment->size_and_use;
        }
    }
    rtos_k_scheduler_unlock();
    return heap != NULL ? RTOS_OK : RTOS_ERROR_ID;
}

#if RTOS_CONFIG_HEAPS
rtos_id rtos_k_heap_create(void *memory, uint32_t size)
{
    if (rtos_interrupt_nesting != 0)
        return RTOS_ERROR_CONTEXT;
    if (((uintptr_t)memory & 7) != 0 || size < 4 * HEADER || !rtos_k_writable(memory, size))
        return RTOS_ERROR_PARAMETER;
    rtos_irq_state state = rtos_arch_irq_disable();
    struct heap *heap = (struct heap *)object_allocate(&objects);
    rtos_status result = RTOS_ERROR_LIMIT;
    if (heap != NULL) {
        format(heap, memory, size & ~7u);
        result = heap->object.id;
    }
    rtos_arch_irq_restore(state);
    return result;
}

rtos_status rtos_k_heap_delete(rtos_id id)
{
    rtos_irq_state state = rtos_arch_irq_disable();
    struct heap *heap = OBJECT_FIND(heaps, id);
    if (heap != NULL)
        object_free(&objects, &heap->object);
    rtos_arch_irq_restore(state);
    return heap != NULL ? RTOS_OK : RTOS_ERROR_ID;
}
#endif
