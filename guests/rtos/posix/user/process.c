/* Memory, time and the end of a program, for newlib. */
#include <errno.h>
#include <reent.h>
#include <sys/time.h>
#include <sys/times.h>
#include <unistd.h>

#include "../syscalls.h"
#include "result.h"

extern char program_heap_start[], program_heap_end[];

void *_sbrk(ptrdiff_t change)
{
    static char *end = program_heap_start; /* In the data area: starts over with each program. */
    char *former = end;

    if (change > program_heap_end - end || change < program_heap_start - end) {
        errno = ENOMEM;
        return (void *)-1;
    }
    end += change;
    return former;
}

void _exit(int status)
{
    sys_exit(status & 0xff);
}

int _getpid(void)
{
    return sys_process_id();
}

int _gettimeofday(struct timeval *now, void *zone)
{
    (void)zone;
    return user_result(sys_time(now));
}

/* Programs are not charged for time one by one: the clock counts for them. */
clock_t _times(struct tms *times)
{
    struct timeval now;
    sys_time(&now);
    clock_t clock = (clock_t)now.tv_sec * CLOCKS_PER_SEC + now.tv_usec / (1000000 / CLOCKS_PER_SEC);
    *times = (struct tms){.tms_utime = clock};
    return clock;
}
