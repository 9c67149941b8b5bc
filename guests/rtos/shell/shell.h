/* The shell: one process in user mode on the console. It uses system calls only, as the C library belongs to the
   program that runs. */
#ifndef SHELL_SHELL_H
#define SHELL_SHELL_H

#include "../posix/syscalls.h"

#define SHELL_WORDS_MAX 14
#define SHELL_LINE_MAX 256

struct command {
    const char *name;
    const char *arguments; /* For the help. */
    const char *help;
    /* Gives the exit status; words[0] is the name. */
    int (*run)(int count, char **words);
};

/* Tables of commands, each ended by one without a name. */
extern const struct command file_commands[];
extern const struct command text_commands[];
extern const struct command system_commands[];
extern const struct command terminal_commands[];
extern const struct command program_commands[];

/* shell.c: runs one line and gives its exit status. */
int shell_run_line(char *line);
int shell_run_words(int count, char **words);
int shell_help(void);
/* Body of the shell's task. */
int shell_main(void *process);

/* run.c: starts a program; waits for its end unless the line says that it runs in the background. */
int shell_run_program(char **words, int input, int output);
extern int shell_background;

/* print.c: text to descriptor 1, or to the one that stands for it. */
extern int shell_output;
void print(const char *format, ...) __attribute__((format(printf, 1, 2)));
void print_bytes(const void *bytes, uint32_t size);
void print_flush(void);
/* Prints "name: object: why" and gives the status 1. */
int shell_failed(const char *name, const char *object, int error);
/* What a negative result means. */
const char *shell_error_text(int error);

#endif
