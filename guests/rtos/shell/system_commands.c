/* Commands about the system: tasks, memory, time. */
#include <errno.h>
#include <rtos/rtos.h>
#include <sys/ioctl.h>

#include "shell.h"

static int run_help(int count, char **words)
{
    (void)count;
    (void)words;
    return shell_help();
}

static int run_ps(int count, char **words)
{
    static const char *const states[] = {"ready", "waiting", "stopped", "ended"};
    struct rtos_task_info info;

    (void)count;
    (void)words;
    print("task       name             state    prio  user stack    kernel stack  switches\n");
    for (rtos_id task = rtos_task_next(0); task > 0; task = rtos_task_next(task)) {
        if (rtos_task_get_info(task, &info) != RTOS_OK)
            continue;
        print("%08x   %-15s  %-7s  %2u    %5u/%-5u   %5u/%-5u   %u\n", (unsigned)info.id, info.name,
              states[info.state & 3], (unsigned)info.priority, (unsigned)info.stack_used, (unsigned)info.stack_size,
              (unsigned)info.kernel_stack_used, (unsigned)info.kernel_stack_size, (unsigned)info.switches);
    }
    return 0;
}

static void show_heap(const char *name, rtos_id heap)
{
    struct rtos_heap_info info;
    if (rtos_heap_get_info(heap, &info) == RTOS_OK)
        print("%-12s %8u bytes, %8u free, largest %8u, %u segments, %u free\n", name, (unsigned)info.size,
              (unsigned)info.free, (unsigned)info.largest, (unsigned)info.segments, (unsigned)info.free_segments);
}

static int run_mem(int count, char **words)
{
    struct volume_info info;

    (void)count;
    show_heap("kernel heap", RTOS_HEAP_KERNEL);
    show_heap("stacks", RTOS_HEAP_STACKS);
    int error = sys_volume_info(&info);
    if (error != 0)
        return shell_failed(words[0], "/", error);
    print("%-12s %8u bytes, %8u free, %u files, %u free\n", "disk", (unsigned)(info.blocks * info.block_size),
          (unsigned)(info.free_blocks * info.block_size), (unsigned)(info.inodes - info.free_inodes),
          (unsigned)info.free_inodes);
    return 0;
}

static uint32_t elapsed_ms(const rtos_ticks *from)
{
    rtos_ticks now;
    rtos_time_get(&now);
    return (uint32_t)((now - *from) * 1000 / (uint32_t)rtos_time_frequency());
}

static int run_uptime(int count, char **words)
{
    static const rtos_ticks start = 0;
    struct rtos_system_info info;
    uint32_t ms = elapsed_ms(&start);

    (void)count;
    (void)words;
    print("up %u.%03u s", (unsigned)(ms / 1000), (unsigned)(ms % 1000));
    if (rtos_system_get_info(&info) == RTOS_OK)
        print(", %u task switches, %u interrupts, %u spurious", (unsigned)info.context_switches,
              (unsigned)info.interrupts, (unsigned)info.spurious_interrupts);
    print("\n");
    return 0;
}

static int run_time(int count, char **words)
{
    rtos_ticks start;

    if (count < 2)
        return shell_failed(words[0], "missing command", -EINVAL);
    rtos_time_get(&start);
    int status = shell_run_words(count - 1, words + 1);
    uint32_t ms = elapsed_ms(&start);
    print("%u.%03u s\n", (unsigned)(ms / 1000), (unsigned)(ms % 1000));
    return status;
}

static int run_date(int count, char **words)
{
    struct timeval now = {0, 0};

    if (count == 2) {
        for (const char *digit = words[1]; *digit >= '0' && *digit <= '9'; digit++)
            now.tv_sec = 10 * now.tv_sec + (*digit - '0');
        int error = sys_set_time(&now);
        if (error != 0)
            return shell_failed(words[0], words[1], error);
    }
    sys_time(&now);
    print("%u s since 1970\n", (unsigned)now.tv_sec);
    return 0;
}

static int run_sleep(int count, char **words)
{
    uint32_t ms = 0;

    for (const char *digit = count == 2 ? words[1] : ""; *digit >= '0' && *digit <= '9'; digit++)
        ms = 10 * ms + (uint32_t)(*digit - '0');
    if (sys_sleep(1000 * ms) == 0)
        return 0;
    while (sys_take_signal() != 0)
        ;
    return shell_failed(words[0], "", -EINTR);
}

static int run_halt(int count, char **words)
{
    (void)count;
    (void)words;
    print_flush();
    sys_control(shell_output, TCDRAIN, 0);
    sys_halt();
    return 0;
}

const struct command system_commands[] = {
    {"help", "", "list the commands", run_help},
    {"ps", "", "list the tasks: state, priority, most stack used", run_ps},
    {"mem", "", "show heaps and disk", run_mem},
    {"uptime", "", "time since the start, switches, interrupts", run_uptime},
    {"time", "COMMAND ...", "run a command and tell how long it took", run_time},
    {"date", "[SECONDS]", "show or set the time, in seconds since 1970", run_date},
    {"sleep", "MILLISECONDS", "wait", run_sleep},
    {"halt", "", "stop the machine", run_halt},
    {NULL, NULL, NULL, NULL},
};
