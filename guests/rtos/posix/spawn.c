/* Starting programs. */
#include <errno.h>
#include <string.h>

#include "calls.h"
#include "process.h"
#include "program.h"

#define PROGRAM_PRIORITY 10

extern const struct program system_programs[];
extern const struct program system_programs_end[];

static int running_id;

static const struct program *find_program(const char *name)
{
    for (const struct program *program = system_programs; program < system_programs_end; program++)
        if (strcmp(program->name, name) == 0)
            return program;
    return NULL;
}

static int arguments_readable(const char *const *arguments)
{
    for (uint32_t i = 0; rtos_k_readable(&arguments[i], sizeof arguments[i]); i++) {
        if (arguments[i] == NULL)
            return 1;
        if (i > POSIX_ARGUMENTS_MAX || !rtos_k_string_readable(arguments[i], POSIX_ARGUMENT_BYTES))
            return 0;
    }
    return 0;
}

int posix_spawn(const struct spawn_request *request)
{
    struct process_attributes attributes = {.entry = program_start, .priority = PROGRAM_PRIORITY};

    if (!rtos_k_readable(request, sizeof *request) || !rtos_k_string_readable(request->program, POSIX_PATH_MAX) ||
        !arguments_readable(request->arguments))
        return -EFAULT;
    const struct program *program = find_program(request->program);
    if (program == NULL)
        return -ENOENT;
    const struct process *running = process_find(running_id);
    if (running != NULL && running->state == PROCESS_RUNS)
        return -EBUSY;
    for (int fd = 0; fd < 3; fd++) {
        attributes.files[fd] = process_file(request->descriptors[fd]);
        if (attributes.files[fd] == NULL)
            return -EBADF;
    }
    attributes.name = program->name;
    attributes.stack_size = program->stack_size;
    attributes.arguments = request->arguments;
    attributes.program = program;
    int id = process_create(&attributes);
    if (id > 0)
        running_id = id;
    return id;
}
