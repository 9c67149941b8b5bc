/* Receiving, in the driver's interrupt: mapping, signals, flow control, editing of lines, echo. */
#include "n_tty.h"

#include <rtos/section.h>
#include <signal.h>

#include "../posix/process.h"

/* Marks of the input queue where flow control stops and resumes the sender. */
#define STOP_ABOVE (TTY_INPUT_SIZE / 4 * 3)
#define RESUME_BELOW (TTY_INPUT_SIZE / 4)

static void set_bit(uint32_t map[8], uint8_t character)
{
    map[character / 32] |= 1u << (character % 32);
}

static void set_control(struct tty *tty, uint32_t map[8], int index)
{
    if (tty->modes.c_cc[index] != _POSIX_VDISABLE)
        set_bit(map, tty->modes.c_cc[index]);
}

void n_tty_set_special(struct tty *tty)
{
    struct n_tty_state *state = n_tty_state(tty);
    const struct termios *modes = &tty->modes;
    uint32_t map[8] = {0};

    if (modes->c_iflag & IXON) {
        set_control(tty, map, VSTART);
        set_control(tty, map, VSTOP);
    }
    if (modes->c_lflag & ISIG) {
        set_control(tty, map, VINTR);
        set_control(tty, map, VQUIT);
        set_control(tty, map, VSUSP);
    }
    if (modes->c_iflag & (ICRNL | IGNCR))
        set_bit(map, '\r');
    if (modes->c_iflag & INLCR)
        set_bit(map, '\n');
    if (modes->c_iflag & PARMRK)
        set_bit(map, 0xff);
    /* These need a look at every character. */
    state->one_by_one = (modes->c_lflag & (ICANON | ECHO | ECHONL)) != 0 || (modes->c_iflag & (ISTRIP | IXANY)) != 0;
    for (uint32_t i = 0; i < 8; i++)
        state->special[i] = map[i];
}

void n_tty_mark_lines(struct tty *tty)
{
    struct n_tty_state *state = n_tty_state(tty);
    state->line_start = tty->input.tail;
    for (uint32_t position = tty->input.tail; position != tty->input.head; position++) {
        uint32_t at = position & (TTY_INPUT_SIZE - 1);
        if (tty->input.bytes[at] == '\n') {
            state->delimiter[at / 8] |= (uint8_t)(1u << (at % 8));
            state->line_start = position + 1;
        }
    }
}

void n_tty_resume_input(struct tty *tty)
{
    if (tty->input_stopped && ring_used(&tty->input) <= RESUME_BELOW) {
        tty->input_stopped = 0;
        tty_send_flow_character(tty, tty->modes.c_cc[VSTART]);
    }
}

static void stop_input(struct tty *tty)
{
    if ((tty->modes.c_iflag & IXOFF) && !tty->input_stopped && ring_used(&tty->input) >= STOP_ABOVE) {
        tty->input_stopped = 1;
        tty_send_flow_character(tty, tty->modes.c_cc[VSTOP]);
    }
}

static void send_signal(struct tty *tty, int signal)
{
    /* Only the line being typed goes: the reader owns the rest. */
    if ((tty->modes.c_lflag & (ICANON | NOFLSH)) == ICANON)
        tty->input.head = n_tty_state(tty)->line_start;
    if (tty->foreground != 0)
        process_signal(tty->foreground, signal);
}

/* Signals and flow control; 1 when the character was one of theirs. */
static int control(struct tty *tty, uint8_t character)
{
    static const struct {
        uint8_t index;
        uint8_t signal;
    } signals[] = {{VINTR, SIGINT}, {VQUIT, SIGQUIT}, {VSUSP, SIGTSTP}};
    tcflag_t input = tty->modes.c_iflag;

    if ((input & IXON) && n_tty_is_control(tty, VSTOP, character)) {
        tty_stop_output(tty, 1);
        return 1;
    }
    if ((input & IXON) && n_tty_is_control(tty, VSTART, character)) {
        tty_stop_output(tty, 0);
        return 1;
    }
    if ((input & (IXON | IXANY)) == (IXON | IXANY) && tty->output_stopped)
        tty_stop_output(tty, 0);
    if (!(tty->modes.c_lflag & ISIG))
        return 0;
    for (uint32_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        if (n_tty_is_control(tty, signals[i].index, character)) {
            n_tty_echo(tty, character);
            send_signal(tty, signals[i].signal);
            return 1;
        }
    }
    return 0;
}

static void receive_one(struct tty *tty, uint8_t character)
{
    tcflag_t input = tty->modes.c_iflag;

    if (input & ISTRIP)
        character &= 0x7f;
    if (control(tty, character))
        return;
    if (character == '\r') {
        if (input & IGNCR)
            return;
        if (input & ICRNL)
            character = '\n';
    } else if (character == '\n' && (input & INLCR)) {
        character = '\r';
    } else if (character == 0xff && (input & PARMRK) && !(tty->modes.c_lflag & ICANON)) {
        n_tty_insert(tty, 0xff);
    }
    if (tty->modes.c_lflag & ICANON)
        n_tty_edit(tty, character);
    else
        n_tty_insert(tty, character);
}

/* POSIX, IGNPAR, PARMRK, IGNBRK, BRKINT. */
static void receive_damaged(struct tty *tty, uint8_t character, enum tty_damage damage)
{
    tcflag_t input = tty->modes.c_iflag;

    if (damage == TTY_BREAK) {
        if (input & IGNBRK)
            return;
        if (input & BRKINT) {
            send_signal(tty, SIGINT);
            return;
        }
        character = 0;
    } else if (damage == TTY_PARITY && !(input & INPCK)) {
        receive_one(tty, character);
        return;
    } else if (input & IGNPAR) {
        return;
    }
    if (input & PARMRK) {
        n_tty_insert(tty, 0xff);
        n_tty_insert(tty, 0);
        n_tty_insert(tty, character);
    } else {
        n_tty_insert(tty, 0);
    }
}

/* Bytes up to the next special one. */
RTOS_FAST_TEXT static uint32_t plain_run(const struct n_tty_state *state, const uint8_t *bytes, uint32_t size)
{
    uint32_t count = 0;
    while (count < size && !((state->special[bytes[count] / 32] >> (bytes[count] % 32)) & 1))
        count++;
    return count;
}

RTOS_FAST_TEXT static void receive_intact(struct tty *tty, const uint8_t *bytes, uint32_t size)
{
    struct n_tty_state *state = n_tty_state(tty);

    while (size > 0) {
        uint32_t run = state->one_by_one ? 0 : plain_run(state, bytes, size);
        if (run > 0)
            tty->counters.dropped += run - ring_put_bytes(&tty->input, bytes, run);
        if (run < size)
            receive_one(tty, bytes[run++]);
        bytes += run;
        size -= run;
    }
}

RTOS_FAST_TEXT void n_tty_receive(struct tty *tty, const uint8_t *bytes, uint32_t size, enum tty_damage damage)
{
    int damaged_byte = (damage == TTY_FRAMING || damage == TTY_PARITY) && size > 0;

    receive_intact(tty, bytes, damaged_byte ? size - 1 : size);
    if (damaged_byte)
        receive_damaged(tty, bytes[size - 1], damage);
    else if (damage == TTY_BREAK)
        receive_damaged(tty, 0, damage);
    stop_input(tty);
    if (ring_used(&tty->echo) != 0)
        tty_start_output(tty);
    if (n_tty_readable(tty) != 0)
        io_wake(&tty->readers);
}
