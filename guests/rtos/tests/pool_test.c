#include "test.h"

#define BLOCKS 5

static rtos_id pool;

static void blocks_are_apart_and_come_back(void)
{
    char *blocks[BLOCKS];
    void *more = &more;
    pool = rtos_pool_create(20, BLOCKS);
    CHECK_EQUAL(rtos_pool_available(pool), BLOCKS);
    for (int index = 0; index < BLOCKS; ++index) {
        CHECK_EQUAL(rtos_pool_alloc(pool, (void **)&blocks[index], RTOS_NO_WAIT), RTOS_OK);
        CHECK(((uintptr_t)blocks[index] & 7) == 0);
        __builtin_memset(blocks[index], index, 20);
    }
    CHECK_EQUAL(rtos_pool_alloc(pool, &more, RTOS_NO_WAIT), RTOS_ERROR_TIMEOUT);
    CHECK(more == NULL);
    CHECK_EQUAL(rtos_pool_available(pool), 0);
    for (int index = 0; index < BLOCKS; ++index) {
        CHECK(blocks[index][0] == index && blocks[index][19] == index);
        CHECK_EQUAL(rtos_pool_free(pool, blocks[index]), RTOS_OK);
    }
    CHECK_EQUAL(rtos_pool_available(pool), BLOCKS);
    CHECK_EQUAL(rtos_pool_delete(pool), RTOS_OK);
}

static void refuses_bad_arguments(void)
{
    void *block = NULL;
    CHECK_EQUAL(rtos_pool_create(0, 4), RTOS_ERROR_PARAMETER);
    CHECK_EQUAL(rtos_pool_create(4, 0), RTOS_ERROR_PARAMETER);
    CHECK_EQUAL(rtos_pool_create(0xfffffff9u, 1), RTOS_ERROR_PARAMETER);
    CHECK_EQUAL(rtos_pool_create(0x1000, 0x100000), RTOS_ERROR_PARAMETER);
    CHECK_EQUAL(rtos_pool_create(0x1000, 0x1000), RTOS_ERROR_MEMORY);
    pool = rtos_pool_create(24, 2);
    CHECK_EQUAL(rtos_pool_alloc(pool, (void **)3, RTOS_NO_WAIT), RTOS_ERROR_PARAMETER);
    CHECK_EQUAL(rtos_pool_alloc(pool, &block, RTOS_NO_WAIT), RTOS_OK);
    CHECK_EQUAL(rtos_pool_free(pool, NULL), RTOS_ERROR_PARAMETER);
    CHECK_EQUAL(rtos_pool_free(pool, (char *)block + 4), RTOS_ERROR_PARAMETER);
    CHECK_EQUAL(rtos_pool_free(pool, (char *)block - 24), RTOS_ERROR_PARAMETER);
    CHECK_EQUAL(rtos_pool_free(pool, (char *)block + 24), RTOS_ERROR_PARAMETER);
    CHECK_EQUAL(rtos_pool_free(pool, (char *)block + 48), RTOS_ERROR_PARAMETER);
    CHECK_EQUAL(rtos_pool_free(pool, block), RTOS_OK);
    CHECK_EQUAL(rtos_pool_free(pool, block), RTOS_ERROR_PARAMETER);
    rtos_pool_delete(pool);
    CHECK_EQUAL(rtos_pool_free(pool, block), RTOS_ERROR_ID);
    CHECK_EQUAL(rtos_pool_alloc(pool, &block, RTOS_NO_WAIT), RTOS_ERROR_ID);
    CHECK_EQUAL(rtos_pool_available(pool), RTOS_ERROR_ID);
    CHECK_EQUAL(rtos_pool_delete(pool), RTOS_ERROR_ID);
}

static int take_one(void *timeout_us)
{
    void *block = NULL;
    rtos_status result = rtos_pool_alloc(pool, &block, (uint32_t)(uintptr_t)timeout_us);
    test_trace('t');
    return result == RTOS_OK ? rtos_pool_free(pool, block) : result;
}

static void waiter_gets_the_freed_block(void)
{
    void *block = NULL;
    pool = rtos_pool_create(8, 1);
    rtos_pool_alloc(pool, &block, RTOS_NO_WAIT);
    CHECK_EQUAL(test_join(test_spawn(take_one, (void *)700, TEST_PRIORITY + 1)), RTOS_ERROR_TIMEOUT);
    CHECK_TRACE("t");
    rtos_id waiter = test_spawn(take_one, (void *)RTOS_WAIT_FOREVER, TEST_PRIORITY - 1);
    rtos_task_sleep(100);
    CHECK_TRACE("");
    CHECK_EQUAL(rtos_pool_free(pool, block), RTOS_OK);
    CHECK_EQUAL(rtos_pool_available(pool), 0);
    CHECK_EQUAL(rtos_pool_free(pool, NULL), RTOS_ERROR_PARAMETER);
    CHECK_EQUAL(test_join(waiter), RTOS_OK);
    CHECK_EQUAL(rtos_pool_available(pool), 1);
    rtos_pool_delete(pool);
}

static void delete_wakes_waiters(void)
{
    void *block;
    pool = rtos_pool_create(8, 1);
    rtos_pool_alloc(pool, &block, RTOS_NO_WAIT);
    rtos_id waiter = test_spawn(take_one, (void *)RTOS_WAIT_FOREVER, TEST_PRIORITY + 1);
    CHECK_EQUAL(rtos_pool_delete(pool), RTOS_OK);
    CHECK_EQUAL(test_join(waiter), RTOS_ERROR_DELETED);
}

/* The index of a block comes from a product with a reciprocal: it has to be exact for every size. */
static void every_size_frees_every_block(void)
{
    for (uint32_t size = 8; size <= 200; size += 8) {
        void *blocks[20];
        pool = rtos_pool_create(size, 20);
        for (int index = 0; index < 20; ++index)
            CHECK_EQUAL(rtos_pool_alloc(pool, &blocks[index], RTOS_NO_WAIT), RTOS_OK);
        for (int index = 0; index < 20; ++index)
            CHECK_EQUAL(rtos_pool_free(pool, blocks[index]), RTOS_OK);
        rtos_pool_delete(pool);
    }
}

const struct test tests[] = {
    {"pool blocks are apart and come back", blocks_are_apart_and_come_back},
    {"pool refuses bad arguments", refuses_bad_arguments},
    {"pool waiter gets the freed block", waiter_gets_the_freed_block},
    {"pool delete wakes waiters", delete_wakes_waiters},
    {"pool of every size frees every block", every_size_frees_every_block},
    {NULL, NULL},
};
