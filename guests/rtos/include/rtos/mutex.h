/* Mutexes with transitive priority inheritance. */
#ifndef RTOS_MUTEX_H
#define RTOS_MUTEX_H

#include <rtos/types.h>

enum rtos_mutex_flag {
    RTOS_MUTEX_RECURSIVE = 1, /* The owner may lock again (RTOS_CONFIG_MUTEX_RECURSIVE). */
};

rtos_id rtos_mutex_create(uint32_t flags);
/* Locks; while it waits, every owner along the chain runs at least at the caller's priority. */
rtos_status rtos_mutex_lock(rtos_id mutex, uint32_t timeout_us);
/* Unlocks, hands over to the most urgent waiter, and drops the priority inherited through this mutex. */
rtos_status rtos_mutex_unlock(rtos_id mutex);
/* Returns the owner's handle, 0 when unlocked. */
rtos_id rtos_mutex_owner(rtos_id mutex);
/* Deletes it, locked or not; waiters get RTOS_ERROR_DELETED. */
rtos_status rtos_mutex_delete(rtos_id mutex);

#endif
