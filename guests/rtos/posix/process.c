/* The table of processes, their creation and end. */
#include "process.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "syscalls.h"

static struct process processes[POSIX_PROCESSES_MAX];
static int last_id;

struct process *process_self(void)
{
    return rtos_k_task_get_slot(RTOS_SELF, PROCESS_SLOT);
}

int process_self_id(void)
{
    struct process *self = process_self();
    return self != NULL ? self->id : 0;
}

struct process *process_find(int id)
{
    for (uint32_t i = 0; i < POSIX_PROCESSES_MAX; i++)
        if (processes[i].state != PROCESS_FREE && processes[i].id == id)
            return &processes[i];
    return NULL;
}

struct file *process_file(int fd)
{
    struct process *self = process_self();
    return self != NULL && fd >= 0 && fd < POSIX_DESCRIPTORS_MAX ? self->descriptors[fd] : NULL;
}

int process_install(struct process *process, struct file *file, int first)
{
    if (first < 0)
        return -EINVAL;
    for (int fd = first; fd < POSIX_DESCRIPTORS_MAX; fd++) {
        if (process->descriptors[fd] == NULL) {
            process->descriptors[fd] = file;
            return fd;
        }
    }
    return -EMFILE;
}

static void close_all(struct process *process)
{
    for (int fd = 0; fd < POSIX_DESCRIPTORS_MAX; fd++) {
        struct file *file = process->descriptors[fd];
        process->descriptors[fd] = NULL;
        if (file != NULL)
            file_release(file);
    }
}

/* What the exit hook must not do, as it cannot wait. */
static void free_process(struct process *process)
{
    close_all(process);
    rtos_k_timer_delete(process->alarm);
    rtos_k_event_delete(process->event);
    process->state = PROCESS_FREE;
}

static void exit_hook(rtos_id task, int status)
{
    struct process *process = rtos_k_task_get_slot(task, PROCESS_SLOT);

    if (process == NULL) {
        /* A system task: only the flags object that its waits made. */
        rtos_id event = (rtos_id)(intptr_t)rtos_k_task_get_slot(task, WAIT_SLOT);
        if (event > 0)
            rtos_k_event_delete(event);
        return;
    }
    process->status = status == RTOS_EXIT_FAULT    ? EXIT_BY_SIGNAL(SIGSEGV)
                      : status == RTOS_EXIT_STACK  ? EXIT_BY_SIGNAL(SIGBUS)
                      : status == RTOS_EXIT_KILLED ? EXIT_BY_SIGNAL(SIGKILL)
                                                   : status;
    process->state = PROCESS_ENDED;
    rtos_k_timer_stop(process->alarm);
}

int process_initialise(void)
{
    return rtos_k_task_add_exit_hook(exit_hook) == RTOS_OK ? 0 : -ENOMEM;
}

static int copy_arguments(struct process *process, const char *const *arguments)
{
    uint32_t used = 0;

    process->argument_count = 0;
    for (; arguments != NULL && *arguments != NULL; arguments++) {
        uint32_t size = strlen(*arguments) + 1;
        if (process->argument_count == POSIX_ARGUMENTS_MAX || size > POSIX_ARGUMENT_BYTES - used)
            return -E2BIG;
        memcpy(process->argument_bytes + used, *arguments, size);
        process->arguments[process->argument_count++] = process->argument_bytes + used;
        used += size;
    }
    process->arguments[process->argument_count] = NULL;
    return 0;
}

/* A free slot, if need be that of a process whose end nobody asked for. */
static struct process *free_slot(void)
{
    struct process *ended = NULL;

    for (uint32_t i = 0; i < POSIX_PROCESSES_MAX; i++) {
        if (processes[i].state == PROCESS_FREE)
            return &processes[i];
        if (processes[i].state == PROCESS_ENDED && !processes[i].waited_for)
            ended = &processes[i];
    }
    if (ended != NULL)
        process_wait(ended->id, 0);
    return ended;
}

int process_create(const struct process_attributes *attributes)
{
    struct process *process = free_slot();
    if (process == NULL)
        return -EAGAIN;
    memset(process, 0, sizeof *process);
    int error = copy_arguments(process, attributes->arguments);
    if (error != 0)
        return error;
    process->id = ++last_id;
    process->program = attributes->program;
    const struct rtos_task_attributes task = {
        .name = attributes->name,
        .entry = attributes->entry,
        .argument = process,
        .priority = attributes->priority,
        .flags = RTOS_TASK_SUSPENDED,
        .stack_size = attributes->stack_size,
        .kernel_stack_size = POSIX_KERNEL_STACK_SIZE,
    };
    process->event = rtos_k_event_create(0);
    const struct rtos_timer_attributes alarm = {
        .action = RTOS_TIMER_SET,
        .target = process->event,
        .flags = WAIT_FLAG_ALARM,
    };
    process->alarm = rtos_k_timer_create(&alarm);
    process->task = process->event > 0 && process->alarm > 0 ? rtos_k_task_create(&task) : RTOS_ERROR_MEMORY;
    if (process->task < 0) {
        rtos_k_timer_delete(process->alarm);
        rtos_k_event_delete(process->event);
        return -ENOMEM;
    }
    process->state = PROCESS_RUNS;
    for (int fd = 0; fd < 3; fd++) {
        process->descriptors[fd] = attributes->files[fd];
        file_add_user(attributes->files[fd]);
    }
    rtos_k_task_set_slot(process->task, PROCESS_SLOT, process);
    rtos_k_task_set_slot(process->task, WAIT_SLOT, (void *)(intptr_t)process->event);
    rtos_k_task_resume(process->task);
    return process->id;
}

int process_wait(int id, int now_only)
{
    struct process *process = process_find(id);
    if (process == NULL || process == process_self() || process->waited_for)
        return -ECHILD;
    if (now_only && process->state != PROCESS_ENDED)
        return -EAGAIN;
    process->waited_for = 1;
    rtos_status status = rtos_k_task_join(process->task, NULL, RTOS_WAIT_FOREVER);
    process->waited_for = 0;
    if (status == RTOS_ERROR_INTERRUPTED)
        return -EINTR;
    int result = process->status;
    free_process(process);
    return result;
}

void process_exit(int status)
{
    close_all(process_self());
    rtos_k_task_exit(status);
    __builtin_unreachable();
}
