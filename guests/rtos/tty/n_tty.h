/* State of the usual discipline, and what its files share. */
#ifndef TTY_N_TTY_H
#define TTY_N_TTY_H

#include "tty.h"

struct n_tty_state {
    /* Characters that the receiver must look at one by one; the others only pass. */
    uint32_t special[8];
    uint8_t one_by_one; /* All of them: lines, echo, stripping. */
    uint8_t column;     /* Of the output, for erasing tabs and for ONOCR. */
    uint8_t line_column; /* Where the line being typed began. */
    uint32_t line_start; /* Canonical: input position after the last complete line. */
    uint8_t delimiter[TTY_INPUT_SIZE / 8]; /* Canonical: which bytes of the input queue end a line. */
};

static inline struct n_tty_state *n_tty_state(struct tty *tty)
{
    return tty->discipline_data;
}

static inline int n_tty_is_delimiter(struct tty *tty, uint32_t position)
{
    uint32_t at = position & (TTY_INPUT_SIZE - 1);
    return (n_tty_state(tty)->delimiter[at / 8] >> (at % 8)) & 1;
}

static inline int n_tty_is_control(const struct tty *tty, int index, uint8_t character)
{
    return character == tty->modes.c_cc[index] && character != _POSIX_VDISABLE;
}

/* A delimiter of this value is an end of file: it ends a line and is not part of it. */
#define N_TTY_END_OF_FILE 0

/* n_tty_receive.c */
void n_tty_receive(struct tty *tty, const uint8_t *bytes, uint32_t size, enum tty_damage damage);
void n_tty_set_special(struct tty *tty);
void n_tty_mark_lines(struct tty *tty);
/* Sends XON again when the reader has made room. */
void n_tty_resume_input(struct tty *tty);

/* n_tty_edit.c */
void n_tty_echo(struct tty *tty, uint8_t character);
/* Appends a character to the input and shows it. */
void n_tty_insert(struct tty *tty, uint8_t character);
/* Does what a character typed in canonical mode asks for. */
void n_tty_edit(struct tty *tty, uint8_t character);

/* n_tty_write.c */
int n_tty_write(struct tty *tty, struct file *file, const void *from, uint32_t size);
/* Puts a character with output processing into a queue; 0 when there is no room for it. */
int n_tty_put(struct tty *tty, struct ring *ring, uint8_t character);

/* n_tty_read.c */
int n_tty_read(struct tty *tty, struct file *file, void *to, uint32_t size);
uint32_t n_tty_readable(struct tty *tty);

#endif
