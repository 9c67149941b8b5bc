/* Character driver of the AT91 USART.

   Receiver: the PDC has one pointer and one counter, so two buffers take turns by software. At the end of a buffer
   (ENDRX) the handler gives the PDC the other one within a character time, then hands the full one to the tty; after
   some silence (TIMEOUT) it does the same with a buffer filled in part. A damaged character (FRAME, PARE, OVRE) ends
   the buffer too, so that it is the last one in it.
   Transmitter: the PDC reads the tty's queue in place, piece by piece. */
#include "at91_usart.h"

#include <errno.h>

#include "../board/at91/at91.h"
#include "../board/at91/registers.h"
#include "../tty/tty.h"
#include <rtos/interrupt.h>
#include <rtos/section.h>

#define UNITS 2
#define INTERRUPT_PRIORITY 5
#define RECEIVE_ERRORS (US_OVRE | US_FRAME | US_PARE | US_RXBRK)

_Static_assert(AT91_USART_TIMEOUT_BITS >= 4 && AT91_USART_TIMEOUT_BITS <= 1020, "RTOR counts 4 to 1020 bit times");
_Static_assert(AT91_USART_RECEIVE_LENGTH >= 1 && AT91_USART_RECEIVE_LENGTH <= 65535, "RCR has 16 bits");
_Static_assert(AT91_USART_TRANSMIT_LENGTH >= 1 && AT91_USART_TRANSMIT_LENGTH <= 65535, "TCR has 16 bits");

struct unit {
    struct at91_usart *usart;
    uint32_t line; /* Of the interrupt controller. */
    struct tty tty;
    uint32_t filling;      /* Buffer that the PDC fills. */
    uint32_t sending_size; /* Of the piece that the PDC sends, 0 when idle. */
    uint8_t in_break;
    uint8_t receive_buffer[2][AT91_USART_RECEIVE_LENGTH];
};

static struct unit units[UNITS] = {
    {.usart = AT91_USART0, .line = AIC_SOURCE_US0},
    {.usart = AT91_USART1, .line = AIC_SOURCE_US1},
};

static uint8_t input_bytes[UNITS][TTY_INPUT_SIZE];
static uint8_t output_bytes[UNITS][TTY_OUTPUT_SIZE];
static uint8_t echo_bytes[UNITS][TTY_ECHO_SIZE];

static struct unit *unit_of(const struct tty *tty)
{
    return tty->unit;
}

/* Takes what the PDC has received and lets it fill the other buffer. Returns the size. */
RTOS_FAST_TEXT static uint32_t swap_buffers(struct unit *unit, const uint8_t **bytes)
{
    struct at91_usart *usart = unit->usart;
    const uint8_t *buffer = unit->receive_buffer[unit->filling];

    usart->rcr = 0; /* Holds the PDC; a character that comes now waits in RHR. */
    uint32_t size = usart->rpr - (uint32_t)buffer;
    unit->filling ^= 1;
    usart->rpr = (uint32_t)unit->receive_buffer[unit->filling];
    usart->rcr = AT91_USART_RECEIVE_LENGTH;
    *bytes = buffer;
    return size;
}

/* Names the damage and counts it. A break shows at its beginning and at its end. */
static enum tty_damage damage_of(struct unit *unit, uint32_t status)
{
    struct serial_counters *counters = &unit->tty.counters;

    if (status & US_RXBRK) {
        unit->in_break = !unit->in_break;
        if (!unit->in_break)
            return TTY_INTACT;
        counters->breaks++;
        return TTY_BREAK;
    }
    if (status & US_OVRE) {
        counters->overruns++;
        return TTY_OVERRUN;
    }
    if (status & US_FRAME) {
        counters->framing_errors++;
        return TTY_FRAMING;
    }
    if (status & US_PARE) {
        counters->parity_errors++;
        return TTY_PARITY;
    }
    return TTY_INTACT;
}

RTOS_FAST_TEXT static void receive_interrupt(struct unit *unit, uint32_t status)
{
    const uint8_t *bytes;
    enum tty_damage damage = TTY_INTACT;
    uint32_t size = swap_buffers(unit, &bytes);

    if (status & US_TIMEOUT)
        unit->usart->cr = US_CR_STTTO;
    if (status & RECEIVE_ERRORS) {
        unit->usart->cr = US_CR_RSTSTA;
        damage = damage_of(unit, status);
        /* The character of zeros that the break began with is not data. */
        if ((status & US_RXBRK) && size > 0 && bytes[size - 1] == 0)
            size--;
    } else if (size > 0) {
        unit->in_break = 0; /* Beginning and end may have shown as one. */
    }
    unit->tty.counters.received += size;
    if (size > 0 || damage != TTY_INTACT)
        tty_receive(&unit->tty, bytes, size, damage);
}

RTOS_FAST_TEXT static void send_piece(struct unit *unit)
{
    struct at91_usart *usart = unit->usart;
    const uint8_t *piece;
    uint32_t size = tty_output_next(&unit->tty, &piece);

    if (size > AT91_USART_TRANSMIT_LENGTH)
        size = AT91_USART_TRANSMIT_LENGTH;
    unit->sending_size = size;
    if (size == 0) {
        usart->idr = US_ENDTX;
        if (unit->tty.finishing)
            usart->ier = US_TXEMPTY;
        return;
    }
    usart->tpr = (uint32_t)piece;
    usart->tcr = size;
}

RTOS_FAST_TEXT static void transmit_interrupt(struct unit *unit)
{
    tty_output_done(&unit->tty, unit->sending_size);
    send_piece(unit);
}

RTOS_FAST_TEXT static void handler(void *argument)
{
    struct unit *unit = argument;
    uint32_t status = unit->usart->csr & unit->usart->imr;

    if (status & (US_ENDRX | US_TIMEOUT | RECEIVE_ERRORS))
        receive_interrupt(unit, status);
    if (status & US_ENDTX)
        transmit_interrupt(unit);
    if (status & US_TXEMPTY) {
        unit->usart->idr = US_TXEMPTY;
        tty_output_sent(&unit->tty);
    }
}

static void start_output(struct tty *tty)
{
    struct unit *unit = unit_of(tty);

    if (unit->sending_size != 0)
        return;
    send_piece(unit);
    if (unit->sending_size != 0)
        unit->usart->ier = US_ENDTX;
}

static uint32_t stop_output(struct tty *tty)
{
    struct unit *unit = unit_of(tty);
    uint32_t left = unit->usart->tcr;

    unit->usart->tcr = 0;
    uint32_t sent = unit->sending_size - left;
    unit->sending_size = 0;
    unit->usart->idr = US_ENDTX;
    return sent;
}

static int finish_output(struct tty *tty)
{
    struct unit *unit = unit_of(tty);

    if (unit->sending_size != 0)
        return 0;
    if (unit->usart->csr & US_TXEMPTY)
        return 1;
    unit->usart->ier = US_TXEMPTY;
    return 0;
}

static void set_break(struct tty *tty, int on)
{
    unit_of(tty)->usart->cr = on ? US_CR_STTBRK : US_CR_STPBRK;
}

static uint32_t mode_register(const struct termios *modes)
{
    uint32_t bits = 5u + (modes->c_cflag & CSIZE);
    uint32_t parity = !(modes->c_cflag & PARENB)  ? US_MR_PARITY_NONE
                      : (modes->c_cflag & PARODD) ? US_MR_PARITY_ODD
                                                  : US_MR_PARITY_EVEN;
    return US_MR_CLOCK_MCK | US_MR_BITS(bits) | parity | (modes->c_cflag & CSTOPB ? US_MR_STOP_2 : US_MR_STOP_1);
}

/* The divisor of a rate, 0 when none comes near enough. */
static uint32_t divisor_of(uint32_t rate)
{
    if (rate == 0 || rate > BOARD_MCK_HZ / 16)
        return 0;
    uint32_t divisor = board_baud_divisor(rate);
    return divisor <= 0xffff && board_baud_fits(rate) ? divisor : 0;
}

static int set_modes(struct tty *tty, const struct termios *modes)
{
    struct at91_usart *usart = unit_of(tty)->usart;
    uint32_t divisor = divisor_of(modes->c_ospeed);

    if (divisor == 0 || modes->c_ispeed != modes->c_ospeed)
        return -EINVAL;
    usart->mr = mode_register(modes);
    usart->brgr = divisor;
    usart->cr = modes->c_cflag & CREAD ? US_CR_RXEN : US_CR_RXDIS;
    return 0;
}

static const struct tty_driver driver = {
    .set_modes = set_modes,
    .start_output = start_output,
    .stop_output = stop_output,
    .finish_output = finish_output,
    .set_break = set_break,
};

static int start_unit(uint32_t index)
{
    static const char *const names[UNITS] = {"tty0", "tty1"};
    struct unit *unit = &units[index];
    struct at91_usart *usart = unit->usart;
    struct tty *tty = &unit->tty;
    const uint8_t *nothing;

    tty->device.name = names[index];
    tty->device.minor = index;
    tty->driver = &driver;
    tty->first_speed = BOARD_SERIAL_RATE;
    tty->unit = unit;
    tty->input = (struct ring){.bytes = input_bytes[index], .size = TTY_INPUT_SIZE};
    tty->output = (struct ring){.bytes = output_bytes[index], .size = TTY_OUTPUT_SIZE};
    tty->echo = (struct ring){.bytes = echo_bytes[index], .size = TTY_ECHO_SIZE};

    while (index == 0 && (usart->csr & US_TXEMPTY) == 0) /* The polled console may still be sending. */
        ;
    usart->cr = US_CR_RSTRX | US_CR_RSTTX | US_CR_RXDIS | US_CR_TXDIS;
    usart->idr = 0xffffffff;
    usart->tcr = 0;
    usart->ttgr = 0;
    usart->rtor = AT91_USART_TIMEOUT_BITS / 4;
    usart->rpr = (uint32_t)unit->receive_buffer[unit->filling];
    swap_buffers(unit, &nothing);
    int error = tty_register(tty);
    if (error != 0)
        return error;
    if (rtos_interrupt_attach(unit->line, INTERRUPT_PRIORITY, RTOS_TRIGGER_LEVEL_LOW, handler, unit) != RTOS_OK)
        return -EBUSY;
    usart->cr = US_CR_TXEN | US_CR_RSTSTA;
    usart->cr = US_CR_STTTO;
    usart->ier = US_ENDRX | US_TIMEOUT | RECEIVE_ERRORS;
    return 0;
}

int at91_usart_register(void)
{
    int error = 0;
    for (uint32_t i = 0; i < UNITS && error == 0; i++)
        error = start_unit(i);
    return error;
}
