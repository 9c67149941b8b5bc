/* Terminals: a character driver below, a line discipline above, queues and modes between them. */
#ifndef TTY_TTY_H
#define TTY_TTY_H

#include "../drivers/device.h"
#include "ring.h"

#include <sys/ioctl.h>
#include <sys/termios.h>

struct tty;

#ifndef TTY_INPUT_SIZE
#define TTY_INPUT_SIZE 4096 /* Powers of two. */
#endif
#ifndef TTY_OUTPUT_SIZE
#define TTY_OUTPUT_SIZE 2048
#endif
#ifndef TTY_ECHO_SIZE
#define TTY_ECHO_SIZE 256
#endif

/* What the tty layer asks of a driver. */
struct tty_driver {
    /* Sets rate and format; -EINVAL when the line cannot do that. */
    int (*set_modes)(struct tty *tty, const struct termios *modes);
    /* Begins to send when idle: takes pieces from tty_output_next. Interrupts disabled, or in the driver's handler. */
    void (*start_output)(struct tty *tty);
    /* Gives up the piece being sent. Interrupts disabled. Returns how much of it was sent. */
    uint32_t (*stop_output)(struct tty *tty);
    /* Asks for tty_output_sent once the last bit has left; 1 when it has already. Interrupts disabled. */
    int (*finish_output)(struct tty *tty);
    void (*set_break)(struct tty *tty, int on);
};

/* How the last byte of received bytes was damaged. */
enum tty_damage {
    TTY_INTACT,
    TTY_BREAK,   /* No byte belongs to it. */
    TTY_FRAMING,
    TTY_PARITY,
    TTY_OVERRUN, /* Bytes are missing after the last one. */
};

/* A line discipline gives the bytes of a line their meaning. Calls give 0, a count, or -errno. */
struct line_discipline {
    int number; /* N_TTY, N_IRDA ... */
    const char *name;
    int (*open)(struct tty *tty);
    void (*close)(struct tty *tty);
    int (*read)(struct tty *tty, struct file *file, void *to, uint32_t size);
    int (*write)(struct tty *tty, struct file *file, const void *from, uint32_t size);
    int (*control)(struct tty *tty, int request, void *argument); /* -ENOTTY: left to the tty layer. */
    int (*poll)(struct tty *tty, struct file_poll *poll);
    void (*modes_changed)(struct tty *tty, const struct termios *former);
    void (*flush_input)(struct tty *tty);
    /* Received bytes, from the driver's interrupt handler. */
    void (*receive)(struct tty *tty, const uint8_t *bytes, uint32_t size, enum tty_damage damage);
};

struct tty {
    struct device device;
    const struct tty_driver *driver;
    speed_t first_speed; /* Until someone sets another. */
    void *unit; /* The driver's. */
    struct termios modes;
    const struct line_discipline *discipline;
    void *discipline_data;

    struct ring input;
    struct ring output;       /* From writers. */
    struct ring echo;         /* From the discipline's receive. */
    struct ring *sending;     /* Whose piece the driver is sending; NULL for the flow character. */
    uint8_t flow_character;   /* XON or XOFF to be sent next, 0 for none. */
    uint8_t sending_flow;
    uint8_t output_stopped;   /* By a received XOFF or by tcflow. */
    uint8_t input_stopped;    /* XOFF was sent. */
    uint8_t finishing;        /* tty_output_sent was asked for. */

    struct io_queue readers;
    struct io_queue writers;
    rtos_id read_lock;
    rtos_id write_lock;
    int foreground; /* Process that gets signals, 0 for none. */
    struct serial_counters counters;
};

/* Makes a tty of a driver's unit, with queues and the usual modes, and enters it as a device. */
int tty_register(struct tty *tty);
/* The tty of an open file, NULL for other files. */
struct tty *tty_of(const struct file *file);

/* Adds a discipline to the table that TIOCSETD looks into. */
int tty_add_discipline(const struct line_discipline *discipline);

/* For drivers. */
static inline void tty_receive(struct tty *tty, const uint8_t *bytes, uint32_t size, enum tty_damage damage)
{
    tty->discipline->receive(tty, bytes, size, damage);
}
/* Next piece to send, 0 when there is none; it stays in place until tty_output_done says how much was sent. */
uint32_t tty_output_next(struct tty *tty, const uint8_t **piece);
void tty_output_done(struct tty *tty, uint32_t sent);
/* The last bit has left. */
void tty_output_sent(struct tty *tty);

/* For disciplines. */
void tty_start_output(struct tty *tty);
/* Waits until all output has left. */
int tty_drain(struct tty *tty);
void tty_send_flow_character(struct tty *tty, uint8_t character);
void tty_stop_output(struct tty *tty, int stop);

/* The usual discipline. */
extern const struct line_discipline n_tty;

#endif
