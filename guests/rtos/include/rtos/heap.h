/* Heaps: memory cut into segments, allocated first fit; the cost grows with the number of segments. */
#ifndef RTOS_HEAP_H
#define RTOS_HEAP_H

#include <rtos/types.h>

/* The kernel heap (section .kernel_heap); tasks may use it too. */
#define RTOS_HEAP_KERNEL 0
/* The stack heap (section .stacks); information only. */
#define RTOS_HEAP_STACKS (-1)

struct rtos_heap_info {
    uint32_t size;          /* Bytes managed, headers included. */
    uint32_t free;          /* Bytes in free segments. */
    uint32_t largest;       /* Largest allocation that would succeed. */
    uint32_t segments;      /* All segments, free and used. */
    uint32_t free_segments;
};

/* Makes a heap of the caller's memory (8-byte aligned). */
rtos_id rtos_heap_create(void *memory, uint32_t size);
/* Allocates 8-byte aligned memory; stores NULL and gives RTOS_ERROR_MEMORY when no segment fits. */
rtos_status rtos_heap_alloc(rtos_id heap, uint32_t size, void **memory);
/* Frees it and joins free neighbours; RTOS_ERROR_PARAMETER if it is no allocation of this heap. */
rtos_status rtos_heap_free(rtos_id heap, void *memory);
rtos_status rtos_heap_get_info(rtos_id heap, struct rtos_heap_info *info);
/* Forgets the heap; the memory stays the creator's. */
rtos_status rtos_heap_delete(rtos_id heap);

#endif
