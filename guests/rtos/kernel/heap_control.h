/* Heaps inside the kernel. They are guarded by the scheduler lock, so interrupt handlers may not use them. */
#ifndef KERNEL_HEAP_CONTROL_H
#define KERNEL_HEAP_CONTROL_H

#include "object.h"

#include <rtos/heap.h>

struct heap_segment;

struct heap {
    struct object object;
    struct heap_segment *first;
    uint32_t size;
};

/* The kernel heap and the stack heap. */
extern struct heap heap_kernel;
extern struct heap heap_stacks;

void heap_initialise(void);
/* Allocates 8-byte aligned memory; NULL when no segment fits. */
void *heap_take(struct heap *heap, uint32_t size);
/* Frees it; false if it is no allocation of this heap. */
int heap_give(struct heap *heap, void *memory);

#endif
