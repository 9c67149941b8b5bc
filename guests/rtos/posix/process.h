/* Processes: tasks in user mode with descriptors, signals and an alarm. */
#ifndef POSIX_PROCESS_H
#define POSIX_PROCESS_H

#include "file.h"
#include "tables.h"

struct program;

enum process_state { PROCESS_FREE, PROCESS_RUNS, PROCESS_ENDED };

struct process {
    int id; /* Positive, never used twice. */
    uint8_t state;
    uint8_t waited_for; /* Someone is in process_wait. */
    rtos_id task;
    int status;
    const struct program *program;
    struct file *descriptors[POSIX_DESCRIPTORS_MAX];
    volatile uint32_t pending; /* Signals, by bit. */
    rtos_id alarm;             /* Timer. */
    rtos_id event;             /* Wakes it from waits. */
    int argument_count;
    char *arguments[POSIX_ARGUMENTS_MAX + 1];
    char argument_bytes[POSIX_ARGUMENT_BYTES];
};

/* Registers with the kernel; before any process. */
int process_initialise(void);
struct process_attributes {
    const char *name;
    rtos_task_entry entry; /* Runs in user mode; its argument is the process. */
    uint32_t priority;
    uint32_t stack_size;
    const char *const *arguments;  /* NULL-terminated; copied. */
    struct file *files[3];         /* Descriptors 0 to 2; each gets one more user. */
    const struct program *program; /* NULL: code of the system. */
};

int process_create(const struct process_attributes *attributes);
/* Waits for its end, frees it, returns its status. */
int process_wait(int id, int now_only);
/* Ends the caller. */
void process_exit(int status) __attribute__((noreturn));

/* The caller's process, NULL for other tasks. */
struct process *process_self(void);
/* Its id, 0 for other tasks. */
int process_self_id(void);
/* The process of an id, NULL when there is none. */
struct process *process_find(int id);

/* Makes a signal pending and wakes the process. Allowed in interrupt handlers. */
int process_signal(int id, int signal);

/* The caller's open file of a descriptor, NULL when there is none. */
struct file *process_file(int fd);
/* Puts a file into the lowest free descriptor from `first` on; -EMFILE. */
int process_install(struct process *process, struct file *file, int first);

#endif
