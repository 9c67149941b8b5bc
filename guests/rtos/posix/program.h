/* Programs linked into the system. They share one C library and one data area, which is made afresh for each run: one
   program runs at a time. */
#ifndef POSIX_PROGRAM_H
#define POSIX_PROGRAM_H

#include <stdint.h>

struct program {
    const char *name;
    int (*main)(int argc, char **argv);
    uint32_t stack_size;
};

/* Enters a program into the table, which the linker gathers. */
#define PROGRAM(symbol) static const struct program symbol __attribute__((section(".programs"), used))

/* Body of a program's task: prepares the data area and runs `main`. The argument is the process. */
int program_start(void *process);

#endif
