/* Semaphores. */
#include "characterize.h"

static rtos_id semaphore;

static int wait(void *argument)
{
    (void)argument;
    rtos_status status = rtos_semaphore_wait(semaphore, LONG_US);
    END();
    characterize_expect(status, RTOS_OK);
    return 0;
}

void case_semaphore_post(const uint32_t *parameters)
{
    (void)parameters;
    semaphore = rtos_semaphore_create(0, 1);
    BEGIN();
    rtos_status status = rtos_semaphore_post(semaphore);
    END();
    characterize_expect(status, RTOS_OK);
    characterize_expect(rtos_semaphore_value(semaphore), 1);
}

/* With a peer, the main task's slice is measured when it is preempted. */
void case_semaphore_post_switch(const uint32_t *parameters)
{
    (void)parameters;
    semaphore = rtos_semaphore_create(0, 1);
    characterize_spawn(wait, NULL, HIGH);
    characterize_peer();
    BEGIN();
    characterize_expect(rtos_semaphore_post(semaphore), RTOS_OK);
}
