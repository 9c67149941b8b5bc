/* Reading lines, cutting them into words, finding the command; the commands given at build time come first. */
#include "shell.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>

#include "../posix/process.h"

/* Text of the boot script, one command a line; see system.mk. */
extern const char system_boot_script[];

static const struct command *const tables[] = {
    file_commands, text_commands, system_commands, terminal_commands, program_commands,
};

static const struct command *find_command(const char *name)
{
    for (uint32_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        for (const struct command *command = tables[i]; command->name != NULL; command++)
            if (strcmp(command->name, name) == 0)
                return command;
    return NULL;
}

int shell_help(void)
{
    for (uint32_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        for (const struct command *command = tables[i]; command->name != NULL; command++)
            print("%-8s %-24s %s\n", command->name, command->arguments, command->help);
    print("Output goes to a file with > or >>. A program with & at the end runs in the background.\n");
    return 0;
}

/* Cuts a line at blanks; text in quotes stays together. Returns the number of words, -1 for too many. */
static int cut(char *line, char **words)
{
    int count = 0;

    for (;;) {
        while (*line == ' ' || *line == '\t')
            line++;
        if (*line == '\0' || *line == '#')
            break;
        if (count == SHELL_WORDS_MAX)
            return -1;
        char quote = *line == '"' || *line == '\'' ? *line++ : '\0';
        words[count++] = line;
        while (*line != '\0' && (quote != '\0' ? *line != quote : *line != ' ' && *line != '\t'))
            line++;
        if (*line != '\0')
            *line++ = '\0';
    }
    words[count] = NULL;
    return count;
}

/* Takes "> file" or ">> file" off the words: the descriptor to write to, or -errno. */
static int redirect(int *count, char **words, int output)
{
    if (*count < 2 || words[*count - 2][0] != '>')
        return output;
    int append = strcmp(words[*count - 2], ">>") == 0;
    if (!append && strcmp(words[*count - 2], ">") != 0)
        return output;
    int fd = sys_open(words[*count - 1], O_WRONLY | O_CREAT | (append ? O_APPEND : O_TRUNC));
    *count -= 2;
    words[*count] = NULL;
    return fd;
}

int shell_run_words(int count, char **words)
{
    const struct command *command = find_command(words[0]);

    shell_background = count > 1 && strcmp(words[count - 1], "&") == 0;
    if (shell_background)
        words[--count] = NULL;
    const char *last = count > 1 ? words[count - 1] : "";
    int output = redirect(&count, words, shell_output);
    if (output < 0)
        return shell_failed("shell", last, output);
    int status;
    if (count == 0) {
        status = 0;
    } else if (command != NULL) {
        int former = shell_output;
        shell_output = output;
        status = command->run(count, words);
        print_flush();
        shell_output = former;
    } else {
        status = shell_run_program(words, 0, output);
    }
    if (output != shell_output)
        sys_close(output);
    return status;
}

int shell_run_line(char *line)
{
    char *words[SHELL_WORDS_MAX + 1];
    int count = cut(line, words);

    if (count < 0)
        return shell_failed("shell", "too many words", -E2BIG);
    return count == 0 ? 0 : shell_run_words(count, words);
}

static void show_status(int status)
{
    if (status != 0)
        print("exit %d\n", status);
    print_flush();
}

static void run_boot_script(void)
{
    char line[SHELL_LINE_MAX];

    for (const char *next = system_boot_script; *next != '\0';) {
        uint32_t length = strcspn(next, "\n");
        uint32_t kept = length < sizeof line - 1 ? length : sizeof line - 1;
        memcpy(line, next, kept);
        line[kept] = '\0';
        next += length + (next[length] == '\n');
        if (kept == 0 || line[0] == '#')
            continue;
        print("$ %s\n", line);
        print_flush();
        show_status(shell_run_line(line));
    }
}

/* A signal at the prompt gives a new line. */
static void drop_signals(void)
{
    while (sys_take_signal() != 0)
        ;
    print("\n");
}

int shell_main(void *argument)
{
    struct process *process = argument;
    char line[SHELL_LINE_MAX];

    sys_control(0, TIOCSPGRP, (void *)(intptr_t)process->id);
    print("\nReady. Type help.\n");
    run_boot_script();
    for (;;) {
        print("$ ");
        print_flush();
        int size = sys_read(0, line, sizeof line - 1);
        if (size == -EINTR) {
            drop_signals();
        } else if (size < 0) {
            return shell_failed("shell", "console", size);
        } else if (size > 0) {
            line[line[size - 1] == '\n' ? size - 1 : size] = '\0';
            show_status(shell_run_line(line));
        } else {
            print("\n");
        }
    }
}
