/* Reading: lines, or raw bytes by VMIN and VTIME. */
#include "n_tty.h"

#include <errno.h>
#include <fcntl.h>

#define VTIME_UNIT_US 100000u

uint32_t n_tty_readable(struct tty *tty)
{
    if (tty->modes.c_lflag & ICANON)
        return n_tty_state(tty)->line_start - tty->input.tail;
    return ring_used(&tty->input);
}

/* Takes a line, or as much of it as was asked for. */
static int take_line(struct tty *tty, uint8_t *to, uint32_t size)
{
    struct n_tty_state *state = n_tty_state(tty);
    uint32_t count = 0;

    while (count < size && tty->input.tail != state->line_start) {
        uint32_t position = tty->input.tail;
        int ends = n_tty_is_delimiter(tty, position);
        uint32_t at = position & (TTY_INPUT_SIZE - 1);
        state->delimiter[at / 8] &= (uint8_t) ~(1u << (at % 8));
        uint8_t character = ring_get(&tty->input);
        if (ends && character == N_TTY_END_OF_FILE)
            break;
        to[count++] = character;
        if (ends)
            break;
    }
    return (int)count;
}

/* Waits until `count` bytes are there: 0, -EINTR or -EAGAIN. */
static int await(struct tty *tty, uint32_t count, uint32_t timeout_us)
{
    struct io_wait wait;
    int error = 0;

    if (n_tty_readable(tty) >= count)
        return 0;
    io_wait_begin(&wait, &tty->readers);
    while (error == 0 && n_tty_readable(tty) < count)
        error = io_wait_sleep(&wait, timeout_us);
    io_wait_end(&wait);
    return error;
}

/* POSIX, "Non-Canonical Mode Input Processing", cases A to D. */
static int await_raw(struct tty *tty, uint32_t size)
{
    uint32_t minimum = tty->modes.c_cc[VMIN];
    uint32_t time_us = tty->modes.c_cc[VTIME] * VTIME_UNIT_US;

    if (minimum == 0) {
        int error = time_us == 0 ? 0 : await(tty, 1, time_us);
        return error == -EAGAIN ? 0 : error;
    }
    if (minimum > size)
        minimum = size;
    if (time_us == 0)
        return await(tty, minimum, RTOS_WAIT_FOREVER);
    int error = await(tty, 1, RTOS_WAIT_FOREVER);
    while (error == 0 && n_tty_readable(tty) < minimum)
        error = await(tty, n_tty_readable(tty) + 1, time_us);
    return error == -EAGAIN ? 0 : error;
}

int n_tty_read(struct tty *tty, struct file *file, void *to, uint32_t size)
{
    int canonical = (tty->modes.c_lflag & ICANON) != 0;
    int error = 0;

    if (size == 0)
        return 0;
    if (n_tty_readable(tty) == 0 && (file->flags & O_NONBLOCK))
        return -EAGAIN;
    if (!(file->flags & O_NONBLOCK))
        error = canonical ? await(tty, 1, RTOS_WAIT_FOREVER) : await_raw(tty, size);
    if (error != 0)
        return error;
    /* The modes may have changed during the wait. */
    int count = tty->modes.c_lflag & ICANON ? take_line(tty, to, size) : (int)ring_get_bytes(&tty->input, to, size);
    n_tty_resume_input(tty);
    return count;
}
