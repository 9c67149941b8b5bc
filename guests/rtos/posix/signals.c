/* Pending signals and the alarm. They end waits; the program then takes them, and the C library's table in it decides
   what each one does. */
#include <errno.h>
#include <signal.h>

#include "calls.h"
#include "process.h"

int process_signal(int id, int signal)
{
    struct process *process = process_find(id);

    if (process == NULL || process->state != PROCESS_RUNS)
        return -ESRCH;
    if (signal <= 0 || signal >= NSIG)
        return signal == 0 ? 0 : -EINVAL;
    rtos_irq_state state = rtos_interrupt_lock();
    process->pending |= 1u << signal;
    rtos_interrupt_unlock(state);
    rtos_k_event_set(process->event, WAIT_FLAG_SIGNAL);
    return 0;
}

int posix_take_signal(void)
{
    struct process *self = process_self();

    if (self == NULL)
        return 0;
    if (rtos_k_event_clear(self->event, WAIT_FLAG_ALARM) & WAIT_FLAG_ALARM)
        return SIGALRM;
    rtos_irq_state state = rtos_interrupt_lock();
    int signal = self->pending != 0 ? __builtin_ctz(self->pending) : 0;
    self->pending &= ~(1u << signal);
    if (self->pending == 0)
        rtos_k_event_clear(self->event, WAIT_FLAG_SIGNAL);
    rtos_interrupt_unlock(state);
    return signal;
}

int posix_kill(int id, int signal)
{
    struct process *process = process_find(id);
    if (process == NULL || process->state != PROCESS_RUNS)
        return -ESRCH;
    if (signal == SIGKILL && process != process_self()) {
        rtos_k_task_delete(process->task);
        return 0;
    }
    if (signal == SIGKILL)
        process_exit(EXIT_BY_SIGNAL(SIGKILL));
    return process_signal(id, signal);
}

int posix_alarm(uint32_t seconds)
{
    struct process *self = process_self();
    if (self == NULL)
        return -ESRCH;
    uint32_t frequency_hz = (uint32_t)rtos_k_time_frequency();
    rtos_status left = rtos_k_timer_remaining(self->alarm);
    rtos_k_timer_stop(self->alarm);
    rtos_k_event_clear(self->event, WAIT_FLAG_ALARM);
    if (seconds > UINT32_MAX / frequency_hz)
        seconds = UINT32_MAX / frequency_hz;
    if (seconds > 0)
        rtos_k_timer_start(self->alarm, seconds * frequency_hz, 0);
    return left > 0 ? (int)(((uint32_t)left + frequency_hz - 1) / frequency_hz) : 0;
}
