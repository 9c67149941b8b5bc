/* A workload of kernel services for benches, the same on every board: tasks that answer each other by semaphores, messages
   through a queue, a mutex in dispute, files written and read back, and a timer that wakes a task each millisecond.
   Marks 1 and 2 enclose it; what does not depend on the timer is summed up. */
#include <board.h>
#include <rtos/board.h>
#include <rtos/kernel.h>
#include <rtos/rtos.h>

#include "../drivers/ram_disk.h"
#include "../fs/fs.h"
#include "../system/marks.h"

#ifndef BENCH_ROUNDS
#define BENCH_ROUNDS 1
#endif

#define EXCHANGES 64  /* Of each kind in a round. */
#define CHUNK 256     /* Bytes of a file that are written at once. */
#define FILE_CHUNKS 12
#define STACK_SIZE 2048
#define PRIORITY 10

struct message {
    uint32_t number;
    uint32_t check;
    uint32_t filling[6];
};

/* What a debugger or simulator may read at mark 2. */
uint32_t bench_result;

static rtos_id ping, pong, queue, mutex, tick, done;
static uint32_t queue_sum, answers, shared, ticks;
static struct fs_volume volume;
static uint8_t chunk[CHUNK];

static void must(const char *what, int error)
{
    if (error >= 0)
        return;
    rtos_k_printf("bench: %s: error %d\n", what, -error);
    rtos_board_halt(1);
}

static int answer(void *argument)
{
    (void)argument;
    for (uint32_t count = 0; count < BENCH_ROUNDS * EXCHANGES; count++) {
        rtos_semaphore_wait(ping, RTOS_WAIT_FOREVER);
        answers++;
        rtos_semaphore_post(pong);
    }
    return 0;
}

static int receive(void *argument)
{
    struct message message;
    (void)argument;
    for (uint32_t count = 0; count < BENCH_ROUNDS * EXCHANGES; count++) {
        rtos_queue_receive(queue, &message, RTOS_WAIT_FOREVER);
        queue_sum = queue_sum * 31 + (message.number ^ message.check);
    }
    rtos_semaphore_post(done);
    return 0;
}

/* Of the main task's priority, so that time slices and a yield inside the lock make both want the mutex. */
static int dispute(void *argument)
{
    (void)argument;
    for (uint32_t count = 0; count < BENCH_ROUNDS * EXCHANGES; count++) {
        rtos_mutex_lock(mutex, RTOS_WAIT_FOREVER);
        shared++;
        rtos_task_yield();
        rtos_mutex_unlock(mutex);
        rtos_task_yield();
    }
    rtos_semaphore_post(done);
    return 0;
}

static int count_ticks(void *argument)
{
    (void)argument;
    for (;;) {
        rtos_semaphore_wait(tick, RTOS_WAIT_FOREVER);
        ticks++;
    }
    return 0;
}

static void exchange(uint32_t round)
{
    struct message message = {.number = round};
    for (uint32_t count = 0; count < EXCHANGES; count++) {
        rtos_semaphore_post(ping);
        rtos_semaphore_wait(pong, RTOS_WAIT_FOREVER);
        message.check = count * 2654435761u;
        rtos_queue_send(queue, &message, RTOS_WAIT_FOREVER);
        message.number++;
        rtos_mutex_lock(mutex, RTOS_WAIT_FOREVER);
        shared++;
        rtos_mutex_unlock(mutex);
    }
}

static uint32_t no_clock(void)
{
    return 0;
}

/* Writes a file, reads it back, forgets it. Privileged, as the system's calls are. */
static uint32_t use_files(uint32_t round)
{
    struct fs_node *node;
    uint32_t sum = 0;
    char name[] = "/a/file0";
    name[7] = (char)('0' + round % 8);
    must("create", fs_create(&volume, FS_ROOT, name, 1, &node));
    for (uint32_t index = 0; index < FILE_CHUNKS; index++) {
        for (uint32_t byte = 0; byte < CHUNK; byte++)
            chunk[byte] = (uint8_t)(round + index * 7 + byte);
        must("write", fs_write(&volume, node, index * CHUNK, chunk, CHUNK));
    }
    fs_release(&volume, node);
    must("look up", fs_lookup(&volume, FS_ROOT, name, &node));
    for (uint32_t index = 0; index < FILE_CHUNKS; index++) {
        must("read", fs_read(&volume, node, index * CHUNK, chunk, CHUNK));
        for (uint32_t byte = 0; byte < CHUNK; byte += 16)
            sum = sum * 31 + chunk[byte];
    }
    fs_release(&volume, node);
    if (round % 8 == 7) {
        for (char file = '0'; file < '8'; file++) {
            name[7] = file;
            must("unlink", fs_unlink(&volume, FS_ROOT, name));
        }
    }
    return sum;
}

static rtos_id spawn(rtos_task_entry entry, const char *name, uint32_t priority, uint32_t flags)
{
    const struct rtos_task_attributes attributes = {
        .name = name,
        .entry = entry,
        .priority = priority,
        .flags = flags,
        .stack_size = STACK_SIZE,
    };
    rtos_id task = rtos_k_task_create(&attributes);
    must(name, task);
    return task;
}

/* The file system's share of a round, on request of the user task. */
static rtos_id files_wanted, files_done;
static uint32_t files_sum;

static int serve_files(void *argument)
{
    (void)argument;
    for (uint32_t round = 0; round < BENCH_ROUNDS; round++) {
        rtos_k_semaphore_wait(files_wanted, RTOS_WAIT_FOREVER);
        files_sum = files_sum * 31 + use_files(round);
        rtos_k_semaphore_post(files_done);
    }
    return 0;
}

static int work(void *argument)
{
    (void)argument;
    for (uint32_t round = 0; round < BENCH_ROUNDS; round++) {
        exchange(round);
        rtos_semaphore_post(files_wanted);
        rtos_semaphore_wait(files_done, RTOS_WAIT_FOREVER);
    }
    rtos_semaphore_wait(done, RTOS_WAIT_FOREVER);
    rtos_semaphore_wait(done, RTOS_WAIT_FOREVER);
    return 0;
}

static int supervise(void *argument)
{
    struct rtos_timer_attributes wake = {.action = RTOS_TIMER_POST};
    int status;
    (void)argument;
    must("disk", fs_format(&volume, ram_disk_device(), BOARD_DISK_FILES, no_clock));
    must("directory", fs_make_directory(&volume, FS_ROOT, "/a"));
    ping = rtos_k_semaphore_create(0, 1);
    pong = rtos_k_semaphore_create(0, 1);
    tick = rtos_k_semaphore_create(0, 100);
    done = rtos_k_semaphore_create(0, 2);
    files_wanted = rtos_k_semaphore_create(0, 1);
    files_done = rtos_k_semaphore_create(0, 1);
    mutex = rtos_k_mutex_create(0);
    queue = rtos_k_queue_create(sizeof(struct message), 8);
    wake.target = tick;
    rtos_id timer = rtos_k_timer_create(&wake);
    must("timer", timer);
    uint32_t period = (uint32_t)rtos_k_ticks_from_us(1000);

    MARK(1);
    spawn(count_ticks, "ticks", PRIORITY + 4, 0);
    spawn(answer, "answer", PRIORITY + 2, 0);
    spawn(receive, "receive", PRIORITY - 1, 0);
    spawn(dispute, "dispute", PRIORITY, 0);
    spawn(serve_files, "files", PRIORITY + 1, RTOS_TASK_PRIVILEGED);
    rtos_k_timer_start(timer, period, period);
    rtos_k_task_join(spawn(work, "work", PRIORITY, 0), &status, RTOS_WAIT_FOREVER);
    rtos_k_timer_stop(timer);
    bench_result = queue_sum ^ files_sum ^ answers << 8 ^ shared;
    MARK(2);
    rtos_k_printf("%08x\n", (unsigned)bench_result);
    rtos_board_halt(BENCH_ROUNDS >= 100 && ticks == 0);
    return 0;
}

void rtos_application_start(void)
{
    spawn(supervise, "supervisor", RTOS_CONFIG_PRIORITIES - 1, RTOS_TASK_PRIVILEGED);
}
