/* The kernel as a whole, and the scheduler lock. */
#include "characterize.h"

#include "../board/at91/usart.h"

#define TEXT_MAX 256
/* The console sends a bit each cycle: the kernel never finds it busy. */
#define SYNCHRONOUS (1u << 8)

static rtos_id semaphore;

void case_system_get_info(const uint32_t *parameters)
{
    struct rtos_system_info info;
    (void)parameters;
    BEGIN();
    rtos_status status = rtos_system_get_info(&info);
    END();
    characterize_expect(status, RTOS_OK);
    characterize_expect((int32_t)info.tasks_max, RTOS_CONFIG_TASKS);
}

/* Parameter: characters. */
void case_system_print(const uint32_t *parameters)
{
    static char text[TEXT_MAX + 1];
    for (uint32_t index = 0; index < parameters[0] && index < TEXT_MAX; ++index)
        text[index] = '.';
    AT91_USART0->mr |= SYNCHRONOUS;
    AT91_USART0->brgr = 1;
    BEGIN();
    characterize_result = rtos_system_print(text);
    END();
}

void case_scheduler_lock(const uint32_t *parameters)
{
    (void)parameters;
    BEGIN();
    characterize_result = rtos_scheduler_lock();
    END();
}

void case_scheduler_unlock(const uint32_t *parameters)
{
    (void)parameters;
    rtos_scheduler_lock();
    BEGIN();
    characterize_result = rtos_scheduler_unlock();
    END();
}

static int wait(void *argument)
{
    (void)argument;
    rtos_status status = rtos_semaphore_wait(semaphore, RTOS_WAIT_FOREVER);
    END();
    characterize_expect(status, RTOS_OK);
    characterize_done();
}

/* Parameter: time-outs that end before the time slice. Two tasks were woken under the lock: the one that goes on shares
   its priority with the other. */
void case_scheduler_unlock_switches(const uint32_t *parameters)
{
    semaphore = rtos_semaphore_create(0, 2);
    characterize_spawn(wait, NULL, HIGH);
    characterize_spawn(wait, NULL, HIGH);
    characterize_timeouts(parameters[0]);
    characterize_peer();
    rtos_scheduler_lock();
    rtos_semaphore_post(semaphore);
    rtos_semaphore_post(semaphore);
    BEGIN();
    rtos_scheduler_unlock();
}
