/* Terminals as devices: opening, the discipline's calls, controls common to all disciplines. */
#include "tty.h"

#include <errno.h>
#include <fcntl.h>

#define DISCIPLINES_MAX 4
#define BREAK_DEFAULT_MS 250

static const struct line_discipline *disciplines[DISCIPLINES_MAX] = {&n_tty};

static const struct termios usual_modes = {
    .c_iflag = BRKINT | ICRNL | IXON,
    .c_oflag = OPOST | ONLCR,
    .c_cflag = CS8 | CREAD | CLOCAL,
    .c_lflag = ISIG | ICANON | ECHO | ECHOE | ECHOK | ECHOCTL | IEXTEN,
    .c_cc =
        {
            [VEOF] = 4,
            [VERASE] = 0x7f,
            [VINTR] = 3,
            [VKILL] = 21,
            [VMIN] = 1,
            [VQUIT] = 28,
            [VSTART] = 17,
            [VSTOP] = 19,
            [VSUSP] = 26,
        },
};

static struct tty *file_tty(struct file *file)
{
    return (struct tty *)((struct device *)file->object)->object;
}

int tty_add_discipline(const struct line_discipline *discipline)
{
    for (uint32_t i = 0; i < DISCIPLINES_MAX; i++) {
        if (disciplines[i] == NULL) {
            disciplines[i] = discipline;
            return 0;
        }
        if (disciplines[i]->number == discipline->number)
            return -EEXIST;
    }
    return -ENOSPC;
}

static int set_discipline(struct tty *tty, int number)
{
    for (uint32_t i = 0; i < DISCIPLINES_MAX && disciplines[i] != NULL; i++) {
        if (disciplines[i]->number != number)
            continue;
        const struct line_discipline *former = tty->discipline;
        int error = tty_drain(tty);
        if (error != 0)
            return error;
        rtos_irq_state state = rtos_interrupt_lock();
        former->close(tty);
        tty->discipline = disciplines[i];
        error = tty->discipline->open(tty);
        if (error != 0) {
            tty->discipline = former;
            former->open(tty);
        }
        rtos_interrupt_unlock(state);
        return error;
    }
    return -EINVAL;
}

static int set_modes(struct tty *tty, const struct termios *modes)
{
    struct termios former = tty->modes;

    if (modes->c_cflag != former.c_cflag || modes->c_ospeed != former.c_ospeed ||
        modes->c_ispeed != former.c_ispeed) {
        int error = tty->driver->set_modes(tty, modes);
        if (error != 0)
            return error;
    }
    rtos_irq_state state = rtos_interrupt_lock();
    tty->modes = *modes;
    tty->discipline->modes_changed(tty, &former);
    rtos_interrupt_unlock(state);
    return 0;
}

static void flush(struct tty *tty, int queue)
{
    rtos_irq_state state = rtos_interrupt_lock();
    if (queue & TCIFLUSH)
        tty->discipline->flush_input(tty);
    if (queue & TCOFLUSH) {
        uint32_t count = tty->driver->stop_output(tty);
        tty_output_done(tty, count);
        ring_skip(&tty->echo, ring_used(&tty->echo));
        ring_skip(&tty->output, ring_used(&tty->output));
        tty->driver->start_output(tty);
    }
    rtos_interrupt_unlock(state);
    if (queue & TCOFLUSH)
        io_wake(&tty->writers);
}

static int flow(struct tty *tty, int action)
{
    switch (action) {
    case TCOOFF:
    case TCOON:
        tty_stop_output(tty, action == TCOOFF);
        return 0;
    case TCIOFF:
    case TCION:
        tty_send_flow_character(tty, tty->modes.c_cc[action == TCIOFF ? VSTOP : VSTART]);
        return 0;
    default:
        return -EINVAL;
    }
}

static int send_break(struct tty *tty, int duration_ms)
{
    int error = tty_drain(tty);
    if (error != 0)
        return error;
    tty->driver->set_break(tty, 1);
    rtos_k_task_sleep(1000u * (uint32_t)(duration_ms > 0 ? duration_ms : BREAK_DEFAULT_MS));
    tty->driver->set_break(tty, 0);
    return 0;
}

/* Pointer arguments have been checked by the system call for the sizes that <sys/ioctl.h> names. */
static int tty_control(struct file *file, int request, void *argument)
{
    struct tty *tty = file_tty(file);
    int error;

    switch (request) {
    case TCGETS:
        *(struct termios *)argument = tty->modes;
        return 0;
    case TCSETSF:
    case TCSETSW:
        error = tty_drain(tty);
        if (error != 0)
            return error;
        if (request == TCSETSF)
            flush(tty, TCIFLUSH);
        return set_modes(tty, argument);
    case TCSETS:
        return set_modes(tty, argument);
    case TCFLSH:
        if ((intptr_t)argument < TCIFLUSH || (intptr_t)argument > TCIOFLUSH)
            return -EINVAL;
        flush(tty, (int)(intptr_t)argument);
        return 0;
    case TCXONC:
        return flow(tty, (int)(intptr_t)argument);
    case TCSBRK:
        return send_break(tty, (int)(intptr_t)argument);
    case TCDRAIN:
        return tty_drain(tty);
    case TIOCGPGRP:
        *(int *)argument = tty->foreground;
        return 0;
    case TIOCSPGRP:
        tty->foreground = (int)(intptr_t)argument;
        return 0;
    case TIOCOUTQ:
        *(int *)argument = (int)(ring_used(&tty->output) + ring_used(&tty->echo));
        return 0;
    case TIOCGETD:
        *(int *)argument = tty->discipline->number;
        return 0;
    case TIOCSETD:
        return set_discipline(tty, (int)(intptr_t)argument);
    case TIOCGICOUNT:
        *(struct serial_counters *)argument = tty->counters;
        return 0;
    default:
        return tty->discipline->control(tty, request, argument);
    }
}

/* Reads and writes of one terminal take turns, so that a write's bytes stay together. */
static int locked(rtos_id lock, struct tty *tty, struct file *file, void *buffer, uint32_t size,
                  int (*transfer)(struct tty *tty, struct file *file, void *buffer, uint32_t size))
{
    rtos_status status = rtos_k_mutex_lock(lock, file->flags & O_NONBLOCK ? RTOS_NO_WAIT : RTOS_WAIT_FOREVER);
    if (status < 0)
        return status == RTOS_ERROR_TIMEOUT ? -EAGAIN : -EINTR;
    int result = transfer(tty, file, buffer, size);
    rtos_k_mutex_unlock(lock);
    return result;
}

static int read_transfer(struct tty *tty, struct file *file, void *buffer, uint32_t size)
{
    return tty->discipline->read(tty, file, buffer, size);
}

static int write_transfer(struct tty *tty, struct file *file, void *buffer, uint32_t size)
{
    return tty->discipline->write(tty, file, buffer, size);
}

static int tty_read(struct file *file, void *to, uint32_t size)
{
    struct tty *tty = file_tty(file);
    return locked(tty->read_lock, tty, file, to, size, read_transfer);
}

static int tty_write(struct file *file, const void *from, uint32_t size)
{
    struct tty *tty = file_tty(file);
    return locked(tty->write_lock, tty, file, (void *)(uintptr_t)from, size, write_transfer);
}

static int tty_poll(struct file *file, struct file_poll *poll)
{
    struct tty *tty = file_tty(file);
    return tty->discipline->poll(tty, poll);
}

static const struct file_operations operations = {
    .read = tty_read,
    .write = tty_write,
    .control = tty_control,
    .poll = tty_poll,
};

struct tty *tty_of(const struct file *file)
{
    return file->operations == &operations ? ((struct device *)file->object)->object : NULL;
}

int tty_register(struct tty *tty)
{
    tty->read_lock = rtos_k_mutex_create(0);
    tty->write_lock = rtos_k_mutex_create(0);
    if (tty->read_lock < 0 || tty->write_lock < 0)
        return -ENOMEM;
    tty->modes = usual_modes;
    tty->modes.c_ispeed = tty->modes.c_ospeed = tty->first_speed;
    tty->discipline = disciplines[0];
    tty->device.operations = &operations;
    tty->device.object = tty;
    tty->device.major = DEVICE_MAJOR_TTY;
    int error = tty->discipline->open(tty);
    if (error == 0)
        error = tty->driver->set_modes(tty, &tty->modes);
    return error != 0 ? error : device_register(&tty->device);
}
