/* The line being typed: insertion, erasing, its end, and what the typist sees of it. */
#include "n_tty.h"

static void echo_raw(struct tty *tty, uint8_t character)
{
    n_tty_put(tty, &tty->echo, character);
}

static int shown_as_control(const struct tty *tty, uint8_t character)
{
    return (tty->modes.c_lflag & ECHOCTL) && (character < ' ' || character == 0x7f) && character != '\t' &&
           character != '\n';
}

void n_tty_echo(struct tty *tty, uint8_t character)
{
    if (!(tty->modes.c_lflag & ECHO) && !((tty->modes.c_lflag & ECHONL) && character == '\n'))
        return;
    if (shown_as_control(tty, character)) {
        echo_raw(tty, '^');
        character ^= 0x40;
    }
    echo_raw(tty, character);
}

static void echo_rub(struct tty *tty, uint32_t columns)
{
    for (; columns > 0; columns--) {
        echo_raw(tty, '\b');
        echo_raw(tty, ' ');
        echo_raw(tty, '\b');
    }
}

/* Column at which the line being typed ends, from its characters. */
static uint32_t line_width(struct tty *tty)
{
    uint32_t column = n_tty_state(tty)->line_column;
    for (uint32_t position = n_tty_state(tty)->line_start; position != tty->input.head; position++) {
        uint8_t character = tty->input.bytes[position & (TTY_INPUT_SIZE - 1)];
        if (character == '\t')
            column = (column / 8 + 1) * 8;
        else
            column += shown_as_control(tty, character) ? 2 : 1;
    }
    return column;
}

static void erase(struct tty *tty)
{
    if (tty->input.head == n_tty_state(tty)->line_start)
        return;
    uint32_t before = line_width(tty);
    tty->input.head--;
    if ((tty->modes.c_lflag & (ECHO | ECHOE)) == (ECHO | ECHOE))
        echo_rub(tty, before - line_width(tty));
    else
        n_tty_echo(tty, tty->modes.c_cc[VERASE]);
}

static void kill_line(struct tty *tty)
{
    struct n_tty_state *state = n_tty_state(tty);
    uint32_t width = line_width(tty) - state->line_column;
    tty->input.head = state->line_start;
    if ((tty->modes.c_lflag & (ECHO | ECHOE)) == (ECHO | ECHOE))
        echo_rub(tty, width);
    else if (tty->modes.c_lflag & ECHOK)
        n_tty_echo(tty, '\n');
}

/* Ends the line being typed; always finds the byte of room that `n_tty_insert` keeps for it. */
static void end_line(struct tty *tty, uint8_t character)
{
    struct n_tty_state *state = n_tty_state(tty);
    uint32_t at = tty->input.head & (TTY_INPUT_SIZE - 1);

    if (ring_room(&tty->input) == 0) {
        tty->counters.dropped++;
        return;
    }
    state->delimiter[at / 8] |= (uint8_t)(1u << (at % 8));
    ring_put(&tty->input, character);
    state->line_start = tty->input.head;
    state->line_column = 0;
}

void n_tty_insert(struct tty *tty, uint8_t character)
{
    uint32_t kept = tty->modes.c_lflag & ICANON ? 1 : 0;
    if (ring_room(&tty->input) <= kept) {
        tty->counters.dropped++;
        return;
    }
    if (tty->input.head == n_tty_state(tty)->line_start)
        n_tty_state(tty)->line_column = n_tty_state(tty)->column;
    ring_put(&tty->input, character);
    n_tty_echo(tty, character);
}

void n_tty_edit(struct tty *tty, uint8_t character)
{
    if (n_tty_is_control(tty, VERASE, character) || character == '\b') {
        erase(tty);
    } else if (n_tty_is_control(tty, VKILL, character)) {
        kill_line(tty);
    } else if (n_tty_is_control(tty, VEOF, character)) {
        end_line(tty, N_TTY_END_OF_FILE);
    } else if (character == '\n' || n_tty_is_control(tty, VEOL, character)) {
        n_tty_echo(tty, character);
        end_line(tty, character);
    } else {
        n_tty_insert(tty, character);
    }
}
