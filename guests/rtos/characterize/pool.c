/* Memory pools. */
#include "characterize.h"

/* So many that the last one's number takes longer to multiply. */
#define BLOCK 8
#define COUNT 300
#define LAST (COUNT - 1)
/* A size by which the divisions take longest: found by trying those up to 1200. */
#define SLOWEST 24
/* Larger than the free segments in front. */
#define BEFORE 16

static rtos_id pool;
static void *blocks[COUNT];

static void take(uint32_t count)
{
    for (uint32_t index = 0; index < count; ++index)
        characterize_expect(rtos_pool_alloc(pool, &blocks[index], RTOS_NO_WAIT), RTOS_OK);
}

static int alloc(void *argument)
{
    void *block;
    (void)argument;
    rtos_status status = rtos_pool_alloc(pool, &block, LONG_US);
    END();
    characterize_expect(status, RTOS_OK);
    characterize_expect((int32_t)(uintptr_t)block, (int32_t)(uintptr_t)blocks[LAST]);
    return 0;
}

/* Parameters: pairs of segments in the kernel heap, blocks. */
void case_pool_create(const uint32_t *parameters)
{
    characterize_fragment(RTOS_HEAP_KERNEL, parameters[0]);
    BEGIN();
    pool = rtos_pool_create(SLOWEST, parameters[1]);
    END();
    characterize_expect(rtos_pool_available(pool), (int32_t)parameters[1]);
}

void case_pool_alloc(const uint32_t *parameters)
{
    (void)parameters;
    pool = rtos_pool_create(BLOCK, COUNT);
    take(LAST);
    BEGIN();
    rtos_status status = rtos_pool_alloc(pool, &blocks[LAST], LONG_US);
    END();
    characterize_expect(status, RTOS_OK);
    characterize_expect(rtos_pool_available(pool), 0);
}

void case_pool_alloc_empty(const uint32_t *parameters)
{
    void *block;
    (void)parameters;
    pool = rtos_pool_create(BLOCK, COUNT);
    take(COUNT);
    BEGIN();
    characterize_result = rtos_pool_alloc(pool, &block, RTOS_NO_WAIT);
    END();
}

/* Parameters: tasks that wait already, time-outs that end before this one. */
void case_pool_alloc_blocks(const uint32_t *parameters)
{
    void *block;
    pool = rtos_pool_create(BLOCK, COUNT);
    take(COUNT);
    characterize_waiters_ahead(alloc, parameters[0]);
    characterize_timeouts(parameters[1]);
    characterize_peers_go_on(RTOS_STATE_WAITING);
    BEGIN();
    rtos_pool_alloc(pool, &block, LONG_US);
}

void case_pool_free(const uint32_t *parameters)
{
    (void)parameters;
    pool = rtos_pool_create(BLOCK, COUNT);
    take(COUNT);
    BEGIN();
    rtos_status status = rtos_pool_free(pool, blocks[LAST]);
    END();
    characterize_expect(status, RTOS_OK);
    characterize_expect(rtos_pool_available(pool), 1);
}

void case_pool_free_switches(const uint32_t *parameters)
{
    (void)parameters;
    pool = rtos_pool_create(BLOCK, COUNT);
    take(COUNT);
    characterize_spawn(alloc, NULL, HIGH);
    characterize_peer();
    BEGIN();
    characterize_expect(rtos_pool_free(pool, blocks[LAST]), RTOS_OK);
}

/* Parameter: time-outs that end before the main task's slice, which begins. */
void case_pool_free_wakes_peer(const uint32_t *parameters)
{
    pool = rtos_pool_create(BLOCK, COUNT);
    take(COUNT);
    rtos_id peer = characterize_spawn_waiting_peer(alloc, parameters[0]);
    BEGIN();
    rtos_status status = rtos_pool_free(pool, blocks[LAST]);
    END();
    characterize_expect(status, RTOS_OK);
    characterize_expect_state(peer, RTOS_STATE_READY);
}

void case_pool_available(const uint32_t *parameters)
{
    (void)parameters;
    pool = rtos_pool_create(BLOCK, COUNT);
    BEGIN();
    rtos_status available = rtos_pool_available(pool);
    END();
    characterize_expect(available, COUNT);
}

static int alloc_later(void *argument)
{
    void *block;
    (void)argument;
    rtos_pool_alloc(pool, &block, LONG_US);
    return 0;
}

/* Parameters: waiting tasks, pairs of segments in the kernel heap, time-outs that end before the main task's slice. The tasks are peers: one that is more urgent would run
   in the middle of the call. */
void case_pool_delete(const uint32_t *parameters)
{
    void *before;
    characterize_fragment(RTOS_HEAP_KERNEL, parameters[1]);
    rtos_heap_alloc(RTOS_HEAP_KERNEL, BEFORE, &before);
    pool = rtos_pool_create(BLOCK, COUNT);
    rtos_heap_free(RTOS_HEAP_KERNEL, before);
    take(COUNT);
    for (uint32_t index = 0; index < parameters[0]; ++index)
        characterize_spawn_waiting(alloc_later, NULL, MAIN);
    characterize_timeouts(parameters[2]);
    BEGIN();
    rtos_status status = rtos_pool_delete(pool);
    END();
    characterize_expect(status, RTOS_OK);
    characterize_expect(rtos_pool_available(pool), RTOS_ERROR_ID);
}
