/* The usual line discipline: lines with editing, or raw bytes. */
#include "n_tty.h"

#include <errno.h>
#include <string.h>

#define TTYS_MAX 4

static struct n_tty_state states[TTYS_MAX];
static struct tty *owners[TTYS_MAX];

static int n_tty_open(struct tty *tty)
{
    for (uint32_t i = 0; i < TTYS_MAX; i++) {
        if (owners[i] != NULL)
            continue;
        owners[i] = tty;
        memset(&states[i], 0, sizeof states[i]);
        states[i].line_start = tty->input.head;
        tty->discipline_data = &states[i];
        n_tty_set_special(tty);
        return 0;
    }
    return -ENOMEM;
}

static void n_tty_close(struct tty *tty)
{
    for (uint32_t i = 0; i < TTYS_MAX; i++)
        if (owners[i] == tty)
            owners[i] = NULL;
    tty->discipline_data = NULL;
}

static void n_tty_flush_input(struct tty *tty)
{
    struct n_tty_state *state = n_tty_state(tty);
    ring_skip(&tty->input, ring_used(&tty->input));
    state->line_start = tty->input.head;
    memset(state->delimiter, 0, sizeof state->delimiter);
    n_tty_resume_input(tty);
}

static int n_tty_control(struct tty *tty, int request, void *argument)
{
    if (request != FIONREAD)
        return -ENOTTY;
    *(int *)argument = (int)n_tty_readable(tty);
    return 0;
}

static int n_tty_poll(struct tty *tty, struct file_poll *poll)
{
    file_poll_add(poll, &tty->readers);
    file_poll_add(poll, &tty->writers);
    return (n_tty_readable(tty) != 0 ? FILE_READABLE : 0) | (ring_room(&tty->output) != 0 ? FILE_WRITABLE : 0);
}

static void n_tty_modes_changed(struct tty *tty, const struct termios *former)
{
    if ((tty->modes.c_lflag & ICANON) && !(former->c_lflag & ICANON))
        n_tty_mark_lines(tty);
    n_tty_set_special(tty);
    if (!(tty->modes.c_iflag & IXON) && tty->output_stopped)
        tty_stop_output(tty, 0);
    io_wake(&tty->readers);
}

const struct line_discipline n_tty = {
    .number = N_TTY,
    .name = "n_tty",
    .open = n_tty_open,
    .close = n_tty_close,
    .read = n_tty_read,
    .write = n_tty_write,
    .control = n_tty_control,
    .poll = n_tty_poll,
    .modes_changed = n_tty_modes_changed,
    .flush_input = n_tty_flush_input,
    .receive = n_tty_receive,
};
