/* Commands about terminals. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/termios.h>

#include "shell.h"

static const struct {
    const char *name;
    char member; /* Of struct termios: i, o, c or l. */
    tcflag_t flag;
} mode_names[] = {
    {"ixon", 'i', IXON},     {"ixoff", 'i', IXOFF},   {"icrnl", 'i', ICRNL},   {"istrip", 'i', ISTRIP},
    {"inpck", 'i', INPCK},   {"opost", 'o', OPOST},   {"onlcr", 'o', ONLCR},   {"cstopb", 'c', CSTOPB},
    {"parenb", 'c', PARENB}, {"parodd", 'c', PARODD}, {"icanon", 'l', ICANON}, {"echo", 'l', ECHO},
    {"isig", 'l', ISIG},
};

static tcflag_t *member(struct termios *modes, char name)
{
    switch (name) {
    case 'i':
        return &modes->c_iflag;
    case 'o':
        return &modes->c_oflag;
    case 'c':
        return &modes->c_cflag;
    default:
        return &modes->c_lflag;
    }
}

static int set_mode(struct termios *modes, const char *word)
{
    int off = *word == '-';

    for (uint32_t i = 0; i < sizeof mode_names / sizeof mode_names[0]; i++) {
        if (strcmp(mode_names[i].name, word + off) != 0)
            continue;
        tcflag_t *flags = member(modes, mode_names[i].member);
        *flags = off ? *flags & ~mode_names[i].flag : *flags | mode_names[i].flag;
        return 0;
    }
    speed_t speed = 0;
    for (; *word >= '0' && *word <= '9'; word++)
        speed = 10 * speed + (speed_t)(*word - '0');
    if (*word != '\0' || speed == 0)
        return -EINVAL;
    modes->c_ispeed = modes->c_ospeed = speed;
    return 0;
}

static void show_modes(struct termios *modes, const struct serial_counters *counters)
{
    print("%u", modes->c_ospeed);
    for (uint32_t i = 0; i < sizeof mode_names / sizeof mode_names[0]; i++)
        print(" %s%s", *member(modes, mode_names[i].member) & mode_names[i].flag ? "" : "-", mode_names[i].name);
    print("\nreceived %u, sent %u, overruns %u, framing errors %u, parity errors %u, breaks %u, dropped %u\n",
          counters->received, counters->sent, counters->overruns, counters->framing_errors, counters->parity_errors,
          counters->breaks, counters->dropped);
}

static int run_stty(int count, char **words)
{
    struct termios modes;
    struct serial_counters counters;

    if (count < 2)
        return shell_failed(words[0], "missing device", -EINVAL);
    int fd = sys_open(words[1], O_RDWR);
    int error = fd < 0 ? fd : sys_control(fd, TCGETS, &modes);
    for (int i = 2; error == 0 && i < count; i++)
        error = set_mode(&modes, words[i]);
    if (error == 0 && count > 2)
        error = sys_control(fd, TCSETSW, &modes);
    if (error == 0)
        error = sys_control(fd, TIOCGICOUNT, &counters);
    if (error == 0 && count == 2)
        show_modes(&modes, &counters);
    if (fd >= 0)
        sys_close(fd);
    return error != 0 ? shell_failed(words[0], words[1], error) : 0;
}

const struct command terminal_commands[] = {
    {"stty", "DEVICE [MODE ...]", "show or set modes: speed, ixon, -ixon ...", run_stty},
    {NULL, NULL, NULL, NULL},
};
