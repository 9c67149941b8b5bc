/* Starting programs and waiting for them. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>

#include "shell.h"

#define CONSOLE 0

int shell_background;

static void set_foreground(int process)
{
    sys_control(CONSOLE, TIOCSPGRP, (void *)(intptr_t)process);
}

static int wait_for(const char *name, int process)
{
    int status;

    do
        status = sys_wait(process, 0);
    while (status == -EINTR && sys_take_signal() != 0);
    if (status < 0)
        return shell_failed(name, "", status);
    if (status >= EXIT_BY_SIGNAL(0))
        print("%s: ended by signal %d\n", name, status - EXIT_BY_SIGNAL(0));
    else
        print("%s: exit %d\n", name, status);
    print_flush();
    return status >= EXIT_BY_SIGNAL(0) ? 128 + status - EXIT_BY_SIGNAL(0) : status;
}

int shell_run_program(char **words, int input, int output)
{
    const struct spawn_request request = {words[0], (const char *const *)words, {input, output, 2}};

    print_flush();
    int process = sys_spawn(&request);
    if (process == -ENOENT) {
        print("%s: no such command; try help\n", words[0]);
        print_flush();
        return 127;
    }
    if (process < 0)
        return shell_failed(words[0], "", process);
    if (shell_background) {
        print("[%d]\n", process);
        return 0;
    }
    set_foreground(process);
    int status = wait_for(words[0], process);
    set_foreground(sys_process_id());
    return status;
}

/* kermit: the program on the link instead of the console; its messages stay on the console. */
static int run_kermit(int count, char **words)
{
    (void)count;
    static const char link[] = "/dev/tty1";
    int input = sys_open(link, O_RDWR);
    int output = sys_open(link, O_RDWR);
    int status;

    if (input < 0 || output < 0)
        status = shell_failed(words[0], link, input < 0 ? input : output);
    else
        status = shell_run_program(words, input, output);
    if (input >= 0)
        sys_close(input);
    if (output >= 0)
        sys_close(output);
    return status;
}

static int number(const char *text)
{
    int value = 0;
    for (; *text >= '0' && *text <= '9'; text++)
        value = 10 * value + (*text - '0');
    return value;
}

static int run_wait(int count, char **words)
{
    return count == 2 ? wait_for(words[1], number(words[1])) : shell_failed(words[0], "", -EINVAL);
}

static int run_kill(int count, char **words)
{
    int signal = count == 3 && words[1][0] == '-' ? number(words[1] + 1) : SIGTERM;
    int error = count == 2 || count == 3 ? sys_kill(number(words[count - 1]), signal) : -EINVAL;
    return error != 0 ? shell_failed(words[0], count > 1 ? words[count - 1] : "", error) : 0;
}

const struct command program_commands[] = {
    {"kermit", "-r | -s FILE ...", "run G-Kermit on the link, /dev/tty1", run_kermit},
    {"wait", "ID", "wait for a program in the background", run_wait},
    {"kill", "[-SIGNAL] ID", "send a signal to a program", run_kill},
    {NULL, NULL, NULL, NULL},
};
