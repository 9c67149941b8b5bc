/* The usual line discipline on the host: what is read and what is echoed for given input and modes. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "../../posix/process.h"
#include "../../tty/n_tty.h"

static int failures;
static struct tty tty;
static struct file file;

#define CHECK(condition)                                                     \
    do {                                                                     \
        if (!(condition)) {                                                  \
            printf("FAIL %s line %d: %s\n", __func__, __LINE__, #condition); \
            failures++;                                                      \
        }                                                                    \
    } while (0)

/* The parts of the system below and beside the tty layer. */
static int last_signal;

int process_signal(int id, int signal)
{
    CHECK(id == 7);
    last_signal = signal;
    return 0;
}

void io_wait_begin(struct io_wait *wait, struct io_queue *queue)
{
    (void)wait;
    (void)queue;
}

/* Nothing ever comes in a test that waits: the time is over at once. */
int io_wait_sleep(struct io_wait *wait, uint32_t timeout_us)
{
    (void)wait;
    CHECK(timeout_us != RTOS_WAIT_FOREVER);
    return -EAGAIN;
}

void io_wait_end(struct io_wait *wait)
{
    (void)wait;
}

void io_wake(struct io_queue *queue)
{
    (void)queue;
}

void file_poll_add(struct file_poll *poll, struct io_queue *queue)
{
    (void)poll;
    (void)queue;
}

rtos_id rtos_k_mutex_create(uint32_t flags)
{
    return (rtos_id)flags + 1;
}

rtos_status rtos_k_mutex_lock(rtos_id mutex, uint32_t timeout_us)
{
    CHECK(timeout_us == (file.flags & O_NONBLOCK ? RTOS_NO_WAIT : RTOS_WAIT_FOREVER));
    return mutex > 0 ? RTOS_OK : RTOS_ERROR_ID;
}

rtos_status rtos_k_mutex_unlock(rtos_id mutex)
{
    return mutex > 0 ? 0 : -1;
}

rtos_status rtos_k_task_sleep(uint32_t duration_us)
{
    return duration_us > 0 ? 0 : -1;
}

static struct device *registered;

int device_register(struct device *device)
{
    registered = device;
    return 0;
}

/* A driver that sends at once, or holds everything back. */
static uint8_t sent[20000];
static uint32_t sent_size;
static int hold;
static int breaks;

static int driver_set_modes(struct tty *tty, const struct termios *modes)
{
    (void)tty;
    return modes->c_ospeed == 1 ? -EINVAL : 0;
}

static void driver_start(struct tty *tty)
{
    const uint8_t *piece;
    uint32_t size;
    while (!hold && (size = tty_output_next(tty, &piece)) != 0) {
        memcpy(sent + sent_size, piece, size);
        sent_size += size;
        tty_output_done(tty, size);
    }
}

static uint32_t driver_stop(struct tty *tty)
{
    (void)tty;
    return 0;
}

static int driver_finish(struct tty *tty)
{
    (void)tty;
    return 1;
}

static void driver_break(struct tty *tty, int on)
{
    (void)tty;
    breaks += on;
}

static const struct tty_driver driver = {driver_set_modes, driver_start, driver_stop, driver_finish, driver_break};

static uint8_t input_bytes[TTY_INPUT_SIZE];
static uint8_t output_bytes[TTY_OUTPUT_SIZE];
static uint8_t echo_bytes[TTY_ECHO_SIZE];

/* A new terminal with the usual modes. */
static void begin(void)
{
    if (tty.discipline != NULL)
        tty.discipline->close(&tty);
    memset(&tty, 0, sizeof tty);
    tty.device.name = "tty";
    tty.driver = &driver;
    tty.first_speed = B115200;
    tty.foreground = 7;
    tty.input = (struct ring){.bytes = input_bytes, .size = TTY_INPUT_SIZE};
    tty.output = (struct ring){.bytes = output_bytes, .size = TTY_OUTPUT_SIZE};
    tty.echo = (struct ring){.bytes = echo_bytes, .size = TTY_ECHO_SIZE};
    CHECK(tty_register(&tty) == 0);
    file = (struct file){.operations = registered->operations, .object = registered, .flags = O_RDWR | O_NONBLOCK};
    sent_size = 0;
    last_signal = 0;
    hold = 0;
}

static void set_modes(tcflag_t input, tcflag_t output, tcflag_t local)
{
    struct termios modes = tty.modes;
    modes.c_iflag = input;
    modes.c_oflag = output;
    modes.c_lflag = local;
    CHECK(file.operations->control(&file, TCSETS, &modes) == 0);
}

static void type(const char *text)
{
    tty_receive(&tty, (const uint8_t *)text, (uint32_t)strlen(text), TTY_INTACT);
}

static int reads(const char *expected)
{
    char bytes[TTY_INPUT_SIZE];
    int size = file.operations->read(&file, bytes, sizeof bytes);
    return size == (int)strlen(expected) && memcmp(bytes, expected, (size_t)size) == 0;
}

static int nothing_to_read(void)
{
    char byte;
    return file.operations->read(&file, &byte, 1) == -EAGAIN;
}

static int shows(const char *expected)
{
    int same = sent_size == strlen(expected) && memcmp(sent, expected, sent_size) == 0;
    sent_size = 0;
    return same;
}

static void test_lines(void)
{
    begin();
    type("ab");
    CHECK(nothing_to_read());
    CHECK(shows("ab"));
    type("c\rnext\r");
    CHECK(shows("c\r\nnext\r\n"));
    CHECK(reads("abc\n"));
    CHECK(reads("next\n"));
    CHECK(nothing_to_read());
    type("half\004");
    CHECK(reads("half"));
    type("\004");
    CHECK(reads(""));
    CHECK(nothing_to_read());
    char bytes[3];
    type("abcdef\r");
    CHECK(file.operations->read(&file, bytes, 3) == 3 && memcmp(bytes, "abc", 3) == 0);
    CHECK(reads("def\n"));
}

static void test_editing(void)
{
    begin();
    type("\177abX\177\001\177\r");
    CHECK(shows("abX\b \b^A\b \b\b \b\r\n"));
    CHECK(reads("ab\n"));
    type("a\tb\177\177c\r");
    CHECK(reads("ac\n"));
    CHECK(shows("a\tb\b \b\b \b\b \b\b \b\b \b\b \b\b \b\b \bc\r\n"));
    type("wrong\025right\r");
    CHECK(reads("right\n"));
    type("done\r\177x\r");
    CHECK(reads("done\n"));
    CHECK(reads("x\n"));
}

static void test_signals(void)
{
    begin();
    type("abc\003");
    CHECK(last_signal == SIGINT);
    CHECK(shows("abc^C"));
    type("d\r");
    CHECK(reads("d\n"));
    type("\034");
    CHECK(last_signal == SIGQUIT);
    type("\032");
    CHECK(last_signal == SIGTSTP);
    set_modes(ICRNL, OPOST | ONLCR, ICANON);
    last_signal = 0;
    type("\003\r");
    CHECK(last_signal == 0 && reads("\003\n"));
}

static void test_raw(void)
{
    begin();
    set_modes(0, 0, 0);
    type("a\rb\003\021\023\n");
    CHECK(reads("a\rb\003\021\023\n"));
    CHECK(shows(""));
    CHECK(file.operations->write(&file, "x\ny", 3) == 3);
    CHECK(shows("x\ny"));
    /* VMIN 0 polls, also without O_NONBLOCK. */
    tty.modes.c_cc[VMIN] = 0;
    file.flags = O_RDWR;
    CHECK(reads(""));
    tty.modes.c_cc[VTIME] = 1;
    CHECK(reads(""));
    type("z");
    CHECK(reads("z"));
    tty.modes.c_cc[VMIN] = 4;
    type("ab");
    CHECK(reads("ab")); /* The time between bytes is over. */
}

static void test_change_of_modes(void)
{
    begin();
    type("part");
    set_modes(0, 0, 0);
    CHECK(reads("part"));
    type("one\ntwo");
    set_modes(0, 0, ICANON);
    CHECK(reads("one\n"));
    CHECK(nothing_to_read());
    type("\n");
    CHECK(reads("two\n"));
    struct termios modes = tty.modes;
    modes.c_ospeed = 1;
    CHECK(file.operations->control(&file, TCSETS, &modes) == -EINVAL);
    CHECK(tty.modes.c_ospeed == B115200);
}

static void test_mapping(void)
{
    begin();
    set_modes(INLCR, 0, 0);
    type("a\nb");
    CHECK(reads("a\rb"));
    set_modes(IGNCR | ISTRIP, 0, 0);
    type("\xe1\r\x62");
    CHECK(reads("ab"));
    set_modes(0, OPOST | OCRNL | ONLCR, 0);
    CHECK(file.operations->write(&file, "a\rb\n", 4) == 4);
    CHECK(shows("a\nb\r\n"));
    set_modes(0, OPOST | ONOCR, 0);
    CHECK(file.operations->write(&file, "\ra\r", 3) == 3);
    CHECK(shows("a\r"));
}

static void test_output_flow(void)
{
    begin();
    set_modes(IXON, 0, 0);
    type("a\023b");
    CHECK(file.operations->write(&file, "held", 4) == 4);
    CHECK(shows(""));
    CHECK(reads("ab"));
    type("\021");
    CHECK(shows("held"));
    set_modes(IXON | IXANY, 0, 0);
    type("\023");
    CHECK(file.operations->write(&file, "x", 1) == 1);
    type("k");
    CHECK(shows("x"));
    CHECK(reads("k"));
    type("\023");
    CHECK(file.operations->write(&file, "y", 1) == 1);
    set_modes(0, 0, 0);
    CHECK(shows("y"));
}

static void test_input_flow(void)
{
    char line[65];
    begin();
    set_modes(IXOFF, 0, 0);
    memset(line, 'l', 64);
    line[64] = '\0';
    uint32_t typed = 0;
    while (sent_size == 0 && typed < TTY_INPUT_SIZE) {
        type(line);
        typed += 64;
    }
    CHECK(shows("\023") && typed == TTY_INPUT_SIZE / 4 * 3);
    char bytes[TTY_INPUT_SIZE];
    CHECK(file.operations->read(&file, bytes, typed / 2) == (int)typed / 2);
    CHECK(shows(""));
    CHECK(file.operations->read(&file, bytes, sizeof bytes) == (int)typed / 2);
    CHECK(shows("\021"));
}

static void test_overflow(void)
{
    char many[TTY_INPUT_SIZE + 100];
    memset(many, 'm', sizeof many);
    begin();
    set_modes(0, 0, 0);
    tty_receive(&tty, (uint8_t *)many, sizeof many, TTY_INTACT);
    CHECK(tty.counters.dropped == 100);
    CHECK(file.operations->read(&file, many, sizeof many) == TTY_INPUT_SIZE);
    begin();
    set_modes(0, 0, ICANON);
    memset(many, 'm', sizeof many);
    tty_receive(&tty, (uint8_t *)many, sizeof many, TTY_INTACT);
    type("\n");
    CHECK(file.operations->read(&file, many, sizeof many) == TTY_INPUT_SIZE && many[TTY_INPUT_SIZE - 1] == '\n');
    hold = 1;
    CHECK(file.operations->write(&file, many, sizeof many) == TTY_OUTPUT_SIZE);
    CHECK(file.operations->write(&file, many, 1) == -EAGAIN);
    int queued;
    CHECK(file.operations->control(&file, TIOCOUTQ, &queued) == 0 && queued == TTY_OUTPUT_SIZE);
    CHECK(file.operations->control(&file, TCFLSH, (void *)TCOFLUSH) == 0);
    CHECK(file.operations->control(&file, TIOCOUTQ, &queued) == 0 && queued == 0);
}

static void damaged(const char *text, enum tty_damage damage)
{
    tty_receive(&tty, (const uint8_t *)text, (uint32_t)strlen(text), damage);
}

static void test_damage(void)
{
    char bytes[16];
    begin();
    set_modes(0, 0, 0);
    damaged("ab!", TTY_FRAMING);
    CHECK(file.operations->read(&file, bytes, 16) == 3 && memcmp(bytes, "ab\0", 3) == 0);
    damaged("c!", TTY_PARITY);
    CHECK(reads("c!")); /* Parity is not looked at without INPCK. */
    set_modes(IGNPAR | INPCK, 0, 0);
    damaged("ab!", TTY_FRAMING);
    damaged("c!", TTY_PARITY);
    CHECK(reads("abc"));
    set_modes(PARMRK | INPCK, 0, 0);
    damaged("a!", TTY_PARITY);
    CHECK(file.operations->read(&file, bytes, 16) == 4 && memcmp(bytes, "a\377\0!", 4) == 0);
    damaged("\377", TTY_INTACT);
    CHECK(reads("\377\377"));
    damaged("x", TTY_OVERRUN);
    CHECK(reads("x"));
    damaged("y", TTY_BREAK);
    CHECK(file.operations->read(&file, bytes, 16) == 4 && memcmp(bytes, "y\377\0\0", 4) == 0);
    set_modes(BRKINT, 0, 0);
    damaged("", TTY_BREAK);
    CHECK(last_signal == SIGINT && nothing_to_read());
    last_signal = 0;
    set_modes(IGNBRK | BRKINT, 0, 0);
    damaged("", TTY_BREAK);
    CHECK(last_signal == 0 && nothing_to_read());
}

static void test_disciplines(void)
{
    static struct line_discipline other;
    int number = -1;
    begin();
    other = n_tty;
    other.number = N_IRDA;
    CHECK(file.operations->control(&file, TIOCSETD, (void *)N_IRDA) == -EINVAL);
    CHECK(tty_add_discipline(&other) == 0);
    CHECK(tty_add_discipline(&other) == -EEXIST);
    CHECK(file.operations->control(&file, TIOCSETD, (void *)N_IRDA) == 0);
    CHECK(file.operations->control(&file, TIOCGETD, &number) == 0 && number == N_IRDA);
    type("a\r");
    CHECK(reads("a\n"));
    CHECK(file.operations->control(&file, TIOCSETD, (void *)N_TTY) == 0);
    CHECK(file.operations->control(&file, TCSBRK, (void *)1) == 0 && breaks == 1);
    CHECK(file.operations->control(&file, 12345, NULL) == -ENOTTY);
}

int main(void)
{
    test_lines();
    test_editing();
    test_signals();
    test_raw();
    test_change_of_modes();
    test_mapping();
    test_output_flow();
    test_input_flow();
    test_overflow();
    test_damage();
    test_disciplines();
    printf("tty_test: %s\n", failures == 0 ? "passed" : "failed");
    return failures != 0;
}
