/* Signals in programs: newlib's table of handlers, fed from the system. */
#include <errno.h>
#include <reent.h>
#include <signal.h>
#include <unistd.h>

#include "../syscalls.h"
#include "result.h"

typedef void (*handler_function)(int signal);

static handler_function handler_of(int signal)
{
    handler_function *table = (handler_function *)_REENT->_sig_func;
    return table == NULL ? SIG_DFL : table[signal];
}

int user_interrupted(int result)
{
    int taken = 0;
    int signal;

    if (result != -EINTR)
        return 0;
    while ((signal = sys_take_signal()) != 0) {
        taken = 1;
        raise(signal); /* The handler may not come back. */
    }
    return taken;
}

int user_result(int result)
{
    if (result >= 0)
        return result;
    errno = -result;
    return -1;
}

/* raise() comes here with signals that have no handler; the action is to end the program. */
int _kill(int process, int signal)
{
    if (process != sys_process_id())
        return user_result(sys_kill(process, signal));
    if (signal > 0 && signal < NSIG && handler_of(signal) != SIG_DFL)
        return raise(signal);
    sys_exit(EXIT_BY_SIGNAL(signal));
}

unsigned alarm(unsigned seconds)
{
    return (unsigned)user_result(sys_alarm(seconds));
}

unsigned sleep(unsigned seconds)
{
    uint32_t left_us = seconds > UINT32_MAX / 1000000u - 1 ? UINT32_MAX - 1 : seconds * 1000000u;
    while (left_us > 0) {
        left_us = (uint32_t)sys_sleep(left_us);
        int signal = left_us > 0 ? sys_take_signal() : 0;
        if (signal == 0)
            continue;
        int caught = handler_of(signal) != SIG_IGN;
        raise(signal);
        if (caught)
            break;
    }
    return (left_us + 999999u) / 1000000u;
}

int usleep(useconds_t duration_us)
{
    return user_result(sys_sleep(duration_us) > 0 ? -EINTR : 0);
}

int pause(void)
{
    struct select_request nothing = {0, 0, -1};
    while (!user_interrupted(sys_select(&nothing)))
        ;
    errno = EINTR;
    return -1;
}
