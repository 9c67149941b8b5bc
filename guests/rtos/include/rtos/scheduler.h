/* Scheduler lock: keeps other tasks from running; interrupts go on. */
#ifndef RTOS_SCHEDULER_H
#define RTOS_SCHEDULER_H

#include <rtos/types.h>

/* Forbids task switches until the matching unlock; nests. Blocking calls then give RTOS_ERROR_CONTEXT. */
rtos_status rtos_scheduler_lock(void);
/* Undoes one lock; RTOS_ERROR_STATE when the scheduler is not locked. */
rtos_status rtos_scheduler_unlock(void);

#endif
