/* The way out: pieces of the queues to the driver, flow characters first, then echo, then what was written. */
#include "tty.h"

#include <errno.h>
#include <rtos/section.h>

/* Writers that wait go on when so much of the queue is free. */
#define WRITER_ROOM (TTY_OUTPUT_SIZE / 2)

RTOS_FAST_TEXT uint32_t tty_output_next(struct tty *tty, const uint8_t **piece)
{
    if (tty->flow_character != 0) {
        tty->sending_flow = tty->flow_character;
        tty->flow_character = 0;
        tty->sending = NULL;
        *piece = &tty->sending_flow;
        return 1;
    }
    if (tty->output_stopped)
        return 0;
    tty->sending = ring_used(&tty->echo) != 0 ? &tty->echo : &tty->output;
    return ring_piece(tty->sending, piece);
}

RTOS_FAST_TEXT void tty_output_done(struct tty *tty, uint32_t sent)
{
    tty->counters.sent += sent;
    if (tty->sending == NULL)
        return;
    ring_skip(tty->sending, sent);
    if (ring_room(&tty->output) >= WRITER_ROOM)
        io_wake(&tty->writers);
}

void tty_output_sent(struct tty *tty)
{
    tty->finishing = 0;
    io_wake(&tty->writers);
}

void tty_start_output(struct tty *tty)
{
    rtos_irq_state state = rtos_interrupt_lock();
    tty->driver->start_output(tty);
    rtos_interrupt_unlock(state);
}

void tty_send_flow_character(struct tty *tty, uint8_t character)
{
    rtos_irq_state state = rtos_interrupt_lock();
    tty->flow_character = character;
    tty->driver->start_output(tty);
    rtos_interrupt_unlock(state);
}

void tty_stop_output(struct tty *tty, int stop)
{
    rtos_irq_state state = rtos_interrupt_lock();
    tty->output_stopped = (uint8_t)stop;
    if (!stop)
        tty->driver->start_output(tty);
    rtos_interrupt_unlock(state);
}

/* True when nothing is left to send; otherwise the driver will tell. */
static int sent(struct tty *tty)
{
    rtos_irq_state state = rtos_interrupt_lock();
    int done = ring_used(&tty->output) == 0 && ring_used(&tty->echo) == 0;
    if (done) {
        tty->finishing = 1;
        done = tty->driver->finish_output(tty);
        if (done)
            tty->finishing = 0;
    }
    rtos_interrupt_unlock(state);
    return done;
}

int tty_drain(struct tty *tty)
{
    struct io_wait wait;
    int error = 0;

    io_wait_begin(&wait, &tty->writers);
    while (error == 0 && !sent(tty))
        error = io_wait_sleep(&wait, RTOS_WAIT_FOREVER);
    io_wait_end(&wait);
    return error;
}
