/* What runs before and below a program's main. */
#include "../program.h"

#include <stdlib.h>
#include <string.h>

#include "../process.h"

/* From the linker script: the data of programs and of the C library. */
extern char program_data_load[], program_data_start[], program_data_end[];
extern char program_bss_start[], program_bss_end[];

int program_start(void *argument)
{
    struct process *process = argument;

    memcpy(program_data_start, program_data_load, (size_t)(program_data_end - program_data_start));
    memset(program_bss_start, 0, (size_t)(program_bss_end - program_bss_start));
    exit(process->program->main(process->argument_count, process->arguments));
}
