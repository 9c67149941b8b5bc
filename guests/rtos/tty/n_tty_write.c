/* Writing: output processing and the wait for room. */
#include "n_tty.h"

#include <errno.h>
#include <fcntl.h>

#define TAB_STOP 8

int n_tty_put(struct tty *tty, struct ring *ring, uint8_t character)
{
    struct n_tty_state *state = n_tty_state(tty);
    tcflag_t flags = tty->modes.c_oflag;

    if (!(flags & OPOST)) {
        if (ring_room(ring) < 1)
            return 0;
        ring_put(ring, character);
        return 1;
    }
    if (ring_room(ring) < 2)
        return 0;
    switch (character) {
    case '\n':
        if (flags & ONLCR)
            ring_put(ring, '\r');
        if (flags & (ONLCR | ONLRET))
            state->column = 0;
        break;
    case '\r':
        if ((flags & ONOCR) && state->column == 0)
            return 1;
        state->column = 0;
        if (flags & OCRNL)
            character = '\n';
        break;
    case '\t':
        state->column = (uint8_t)((state->column / TAB_STOP + 1) * TAB_STOP);
        break;
    case '\b':
        if (state->column > 0)
            state->column--;
        break;
    default:
        if (character >= ' ')
            state->column++;
        break;
    }
    ring_put(ring, character);
    return 1;
}

static uint32_t put_bytes(struct tty *tty, const uint8_t *from, uint32_t size)
{
    if (!(tty->modes.c_oflag & OPOST))
        return ring_put_bytes(&tty->output, from, size);
    uint32_t count = 0;
    while (count < size && n_tty_put(tty, &tty->output, from[count]))
        count++;
    return count;
}

int n_tty_write(struct tty *tty, struct file *file, const void *from, uint32_t size)
{
    struct io_wait wait;
    uint32_t done = 0;
    int error = 0;

    for (;;) {
        done += put_bytes(tty, (const uint8_t *)from + done, size - done);
        tty_start_output(tty);
        if (done == size)
            break;
        if (file->flags & O_NONBLOCK) {
            error = -EAGAIN;
            break;
        }
        io_wait_begin(&wait, &tty->writers);
        while (error == 0 && ring_room(&tty->output) < 2)
            error = io_wait_sleep(&wait, RTOS_WAIT_FOREVER);
        io_wait_end(&wait);
        if (error != 0)
            break;
    }
    return done > 0 ? (int)done : error;
}
