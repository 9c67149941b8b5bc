/* Memory pools: blocks of one size, in constant time. */
#ifndef RTOS_POOL_H
#define RTOS_POOL_H

#include <rtos/types.h>

/* Creates a pool of `count` blocks of at least `block_size` bytes; the storage comes from the kernel heap. */
rtos_id rtos_pool_create(uint32_t block_size, uint32_t count);
/* Takes a block; waits for one. With RTOS_NO_WAIT allowed in interrupt handlers. */
rtos_status rtos_pool_alloc(rtos_id pool, void **block, uint32_t timeout_us);
/* Gives a block back; RTOS_ERROR_PARAMETER if it is not an allocated block of this pool. Allowed in interrupt
   handlers. */
rtos_status rtos_pool_free(rtos_id pool, void *block);
/* Returns the free blocks. */
rtos_status rtos_pool_available(rtos_id pool);
/* Deletes it with all its blocks. */
rtos_status rtos_pool_delete(rtos_id pool);

#endif
