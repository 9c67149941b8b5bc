#include "services.h"

#if RTOS_CONFIG_POOLS

#include "heap_control.h"
#include "scheduler_control.h"
#include "wait.h"

#include <rtos/kernel.h>
#include <rtos/section.h>

#define POOL_SIZE_MAX 0x01000000u

struct free_block {
    struct free_block *next;
};

struct pool {
    struct object object;
    uint32_t block_size; /* A multiple of 8. */
    uint32_t reciprocal; /* 2^32 / block_size, rounded up. */
    uint32_t count;
    uint32_t available;
    char *blocks;
    struct free_block *free;
    uint32_t *allocated; /* A bit for each block, behind the blocks. */
    struct list_node waiters;
};

static RTOS_KERNEL_DATA struct pool pools[RTOS_CONFIG_POOLS];
static RTOS_KERNEL_DATA struct object_table objects;

void pool_initialise(void)
{
    object_table_initialise(&objects, pools, sizeof pools[0], RTOS_CONFIG_POOLS, KIND_POOL);
}

static void fill(struct pool *pool, char *blocks, uint32_t block_size, uint32_t count)
{
    pool->block_size = block_size;
    pool->reciprocal = (uint32_t)((0x100000000u + block_size - 1) / block_size);
    pool->count = pool->available = count;
    pool->blocks = blocks;
    pool->allocated = (uint32_t *)(void *)(blocks + block_size * count);
    pool->free = NULL;
    for (uint32_t index = count; index-- > 0;) {
        struct free_block *block = (struct free_block *)(void *)(blocks + index * block_size);
        block->next = pool->free;
        pool->free = block;
        pool->allocated[index / 32] = 0;
    }
    list_initialise(&pool->waiters);
}

rtos_id rtos_k_pool_create(uint32_t block_size, uint32_t count)
{
    if (rtos_interrupt_nesting != 0)
        return RTOS_ERROR_CONTEXT;
    if (block_size == 0 || block_size > POOL_SIZE_MAX || count == 0)
        return RTOS_ERROR_PARAMETER;
    block_size = (block_size + 7u) & ~7u;
    if (count > POOL_SIZE_MAX / block_size)
        return RTOS_ERROR_PARAMETER;
    char *blocks = heap_take(&heap_kernel, block_size * count + (count + 31) / 32 * sizeof(uint32_t));
    if (blocks == NULL)
        return RTOS_ERROR_MEMORY;
    rtos_irq_state state = rtos_arch_irq_disable();
    struct pool *pool = (struct pool *)object_allocate(&objects);
    rtos_arch_irq_restore(state);
    if (pool == NULL) {
        heap_give(&heap_kernel, blocks);
        return RTOS_ERROR_LIMIT;
    }
    fill(pool, blocks, block_size, count);
    return pool->object.id;
}

/* Index of the block that begins there, `count` when there is none. The product with the reciprocal is exact for
   multiples of the block size; the check afterwards refuses all others. */
RTOS_SERVICE_TEXT RTOS_ARCH_LONG_MULTIPLY static uint32_t index_of(const struct pool *pool, const void *block)
{
    uint32_t offset = (uint32_t)((uintptr_t)block - (uintptr_t)pool->blocks);
    if (offset >= pool->block_size * pool->count)
        return pool->count;
    uint32_t index = (uint32_t)((uint64_t)offset * pool->reciprocal >> 32);
    return index * pool->block_size == offset ? index : pool->count;
}

RTOS_SERVICE_TEXT rtos_status rtos_k_pool_alloc(rtos_id id, void **block, uint32_t timeout_us)
{
    if (((uintptr_t)block & 3) != 0 || !rtos_k_writable(block, sizeof *block))
        return RTOS_ERROR_PARAMETER;
    rtos_irq_state state = rtos_arch_irq_disable();
    struct pool *pool = OBJECT_FIND(pools, id);
    rtos_status result = RTOS_OK;
    void *received = NULL;
    if (pool == NULL)
        result = RTOS_ERROR_ID;
    else if (pool->free != NULL) {
        received = pool->free;
        pool->free = pool->free->next;
        --pool->available;
        uint32_t index = index_of(pool, received);
        pool->allocated[index / 32] |= 1u << index % 32;
    } else {
        result = wait_allowed(timeout_us);
        if (result == RTOS_OK)
            result = wait_in(&pool->waiters, timeout_us);
        if (result == RTOS_OK)
            received = task_current->wait.received;
    }
    rtos_arch_irq_restore(state);
    *block = received;
    return result;
}

/* A block that somebody waits for goes to him directly and stays marked. */
RTOS_SERVICE_TEXT static void give(struct pool *pool, void *block, uint32_t index)
{
    struct task *waiter = wait_first(&pool->waiters);
    if (waiter != NULL) {
        waiter->wait.received = block;
        wait_end(waiter, RTOS_OK);
        scheduler_reschedule();
        return;
    }
    struct free_block *freed = block;
    freed->next = pool->free;
    pool->free = freed;
    ++pool->available;
    pool->allocated[index / 32] &= ~(1u << index % 32);
}

RTOS_SERVICE_TEXT rtos_status rtos_k_pool_free(rtos_id id, void *block)
{
    rtos_irq_state state = rtos_arch_irq_disable();
    struct pool *pool = OBJECT_FIND(pools, id);
    rtos_status result = RTOS_ERROR_ID;
    if (pool != NULL) {
        uint32_t index = index_of(pool, block);
        result = RTOS_ERROR_PARAMETER;
        if (index < pool->count && (pool->allocated[index / 32] >> index % 32 & 1) != 0) {
            give(pool, block, index);
            result = RTOS_OK;
        }
    }
    rtos_arch_irq_restore(state);
    return result;
}

rtos_status rtos_k_pool_available(rtos_id id)
{
    rtos_irq_state state = rtos_arch_irq_disable();
    const struct pool *pool = OBJECT_FIND(pools, id);
    rtos_status result = pool != NULL ? (rtos_status)pool->available : RTOS_ERROR_ID;
    rtos_arch_irq_restore(state);
    return result;
}

rtos_status rtos_k_pool_delete(rtos_id id)
{
    if (rtos_interrupt_nesting != 0)
        return RTOS_ERROR_CONTEXT;
    rtos_irq_state state = rtos_arch_irq_disable();
    struct pool *pool = OBJECT_FIND(pools, id);
    char *blocks = NULL;
    if (pool != NULL) {
        blocks = pool->blocks;
        wait_end_all(&pool->waiters, RTOS_ERROR_DELETED);
        object_free(&objects, &pool->object);
        scheduler_reschedule();
    }
    rtos_arch_irq_restore(state);
    if (blocks == NULL)
        return RTOS_ERROR_ID;
    heap_give(&heap_kernel, blocks);
    return RTOS_OK;
}

#endif
