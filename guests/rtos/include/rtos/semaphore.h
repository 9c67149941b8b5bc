/* Counting semaphores. */
#ifndef RTOS_SEMAPHORE_H
#define RTOS_SEMAPHORE_H

#include <rtos/types.h>

/* Creates a semaphore with `initial` <= `maximum` units, `maximum` from 1 to INT32_MAX. */
rtos_id rtos_semaphore_create(uint32_t initial, uint32_t maximum);
/* Takes a unit; waits for one by priority, then by age. */
rtos_status rtos_semaphore_wait(rtos_id semaphore, uint32_t timeout_us);
/* Gives a unit; RTOS_ERROR_LIMIT at the maximum. Allowed in interrupt handlers. */
rtos_status rtos_semaphore_post(rtos_id semaphore);
/* Returns the units available. */
rtos_status rtos_semaphore_value(rtos_id semaphore);
/* Deletes it; waiters get RTOS_ERROR_DELETED. */
rtos_status rtos_semaphore_delete(rtos_id semaphore);

#endif
