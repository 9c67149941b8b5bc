/* The POSIX-like layer seen from a program: files, errors, signals, time, memory. Run it in the shell: posix_test. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <termios.h>
#include <unistd.h>

#include "../program.h"

static int passed;
static int failed;

#define CHECK(condition)                                                    \
    do {                                                                    \
        if (condition) {                                                    \
            passed++;                                                       \
        } else {                                                            \
            failed++;                                                       \
            printf("FAIL line %d: %s (errno %d)\n", __LINE__, #condition, errno); \
        }                                                                   \
    } while (0)

/* The call fails with that error. */
#define FAILS(call, error) CHECK((errno = 0, (long)(call) == -1 && errno == (error)))

static void test_files(void)
{
    char text[16];
    struct stat status;
    int fd = open("t", O_RDWR | O_CREAT | O_EXCL);
    CHECK(fd >= 3);
    FAILS(open("t", O_RDWR | O_CREAT | O_EXCL), EEXIST);
    CHECK(write(fd, "0123456789", 10) == 10);
    CHECK(lseek(fd, -3, SEEK_END) == 7);
    CHECK(read(fd, text, 16) == 3 && memcmp(text, "789", 3) == 0);
    CHECK(read(fd, text, 16) == 0);
    FAILS(lseek(fd, -1, SEEK_SET), EINVAL);
    CHECK(lseek(fd, 600, SEEK_SET) == 600 && write(fd, "x", 1) == 1);
    CHECK(fstat(fd, &status) == 0 && status.st_size == 601 && S_ISREG(status.st_mode));
    CHECK(lseek(fd, 300, SEEK_SET) == 300 && read(fd, text, 1) == 1 && text[0] == 0);
    CHECK(close(fd) == 0);
    FAILS(close(fd), EBADF);
    FAILS(read(fd, text, 1), EBADF);
    fd = open("t", O_WRONLY | O_TRUNC);
    CHECK(fd >= 0);
    FAILS(read(fd, text, 1), EBADF);
    CHECK(write(fd, "ab", 2) == 2 && close(fd) == 0);
    fd = open("t", O_WRONLY | O_APPEND);
    CHECK(write(fd, "cd", 2) == 2 && close(fd) == 0);
    CHECK(stat("t", &status) == 0 && status.st_size == 4);
    FAILS(open("/nowhere/t", O_RDONLY), ENOENT);
    FAILS(open("t/u", O_RDONLY), ENOTDIR);
    FAILS(open("/dev", O_WRONLY), EISDIR);
    FAILS(access("t", X_OK), EACCES);
    CHECK(access("t", R_OK | W_OK) == 0);
}

static void test_names(void)
{
    struct stat status;
    CHECK(link("t", "u") == 0 && stat("u", &status) == 0 && status.st_nlink == 2);
    FAILS(link("t", "u"), EEXIST);
    CHECK(rename("u", "v") == 0);
    FAILS(unlink("u"), ENOENT);
    CHECK(mkdir("d", 0777) == 0);
    FAILS(mkdir("d", 0777), EEXIST);
    CHECK(rename("v", "d/v") == 0);
    FAILS(rmdir("d"), ENOTEMPTY);
    FAILS(unlink("d"), EISDIR);
    CHECK(unlink("d/v") == 0 && rmdir("d") == 0);
    CHECK(stat("t", &status) == 0 && status.st_nlink == 1);
}

static void test_descriptors(void)
{
    char text[4];
    int fd = open("t", O_RDONLY);
    int twin = dup(fd);
    CHECK(twin > fd && read(fd, text, 2) == 2 && read(twin, text, 4) == 2 && text[0] == 'c');
    CHECK(dup2(fd, 9) == 9 && close(fd) == 0 && close(twin) == 0);
    CHECK(lseek(9, 0, SEEK_SET) == 0 && read(9, text, 4) == 4);
    CHECK(fcntl(9, F_DUPFD, 10) == 10 && close(9) == 0 && close(10) == 0);
    FAILS(dup2(9, 10), EBADF);
    FAILS(dup2(0, 99), EBADF);
    int opened = 0;
    while (open("t", O_RDONLY) >= 0)
        opened++;
    CHECK(errno == EMFILE && opened == 16 - 3);
    for (fd = 3; fd < 16; fd++)
        close(fd);
    CHECK(isatty(0) == 1);
    fd = open("t", O_RDONLY);
    CHECK(isatty(fd) == 0 && errno == ENOTTY);
    FAILS(tcdrain(fd), ENOTTY);
    close(fd);
}

static void test_bad_pointers(void)
{
    char byte = 0;
    int fd = open("t", O_RDWR);
    FAILS(read(fd, (void *)0x50000000, 1), EFAULT);
    FAILS(read(fd, (void *)0x01000000, 1), EFAULT); /* ROM. */
    FAILS(write(fd, (void *)0xffffffff, 2), EFAULT);
    FAILS(write(fd, &byte, 0x7fffffff), EFAULT);
    FAILS(open((const char *)0x50000000, O_RDONLY), EFAULT);
    FAILS(stat("t", (struct stat *)0x50000000), EFAULT);
    FAILS(ioctl(0, TCGETS, (void *)0x50000000), EFAULT);
    FAILS(ioctl(0, TCGETS, &byte + 1), EFAULT);
    close(fd);
}

static volatile int caught;
static jmp_buf place;

static void catch_it(int signal)
{
    caught = signal;
}

static void jump_out(int signal)
{
    longjmp(place, signal);
}

static long elapsed_ms(const struct timeval *from)
{
    struct timeval now;
    gettimeofday(&now, NULL);
    return (now.tv_sec - from->tv_sec) * 1000 + (now.tv_usec - from->tv_usec) / 1000;
}

static void test_signals(void)
{
    struct timeval start;
    char byte;
    int line = open("/dev/tty1", O_RDWR);

    signal(SIGALRM, jump_out);
    gettimeofday(&start, NULL);
    if (setjmp(place) == 0) {
        alarm(1);
        read(line, &byte, 1);
        CHECK(!"the read came back");
    }
    CHECK(elapsed_ms(&start) >= 1000 && elapsed_ms(&start) < 1100);
    signal(SIGALRM, catch_it);
    alarm(1);
    CHECK(sleep(3) == 2 && caught == SIGALRM);
    CHECK(alarm(5) == 0 && alarm(0) == 5 && alarm(0) == 0);
    signal(SIGUSR1, SIG_IGN);
    CHECK(kill(getpid(), SIGUSR1) == 0);
    signal(SIGUSR1, catch_it);
    CHECK(kill(getpid(), SIGUSR1) == 0 && caught == SIGUSR1);
    signal(SIGALRM, catch_it);
    alarm(1);
    FAILS(pause(), EINTR);
    FAILS(kill(999, SIGTERM), ESRCH);
    close(line);
}

static void test_waiting(void)
{
    struct timeval start;
    struct timeval timeout = {0, 200000};
    fd_set set;
    char byte;
    int line = open("/dev/tty1", O_RDWR);

    gettimeofday(&start, NULL);
    FD_ZERO(&set);
    FD_SET(line, &set);
    CHECK(select(line + 1, &set, NULL, NULL, &timeout) == 0 && !FD_ISSET(line, &set));
    CHECK(elapsed_ms(&start) >= 200 && elapsed_ms(&start) < 220);
    FD_SET(line, &set);
    CHECK(select(line + 1, NULL, &set, NULL, NULL) == 1 && FD_ISSET(line, &set));
    CHECK(fcntl(line, F_SETFL, O_NONBLOCK) == 0 && (fcntl(line, F_GETFL) & O_NONBLOCK) != 0);
    FAILS(read(line, &byte, 1), EAGAIN);
    close(line);
    CHECK(usleep(50000) == 0);
}

static void test_terminal(void)
{
    struct termios modes;
    struct termios changed;
    int line = open("/dev/tty1", O_RDWR);

    CHECK(tcgetattr(line, &modes) == 0 && cfgetospeed(&modes) == B115200);
    changed = modes;
    changed.c_lflag &= ~(tcflag_t)ICANON;
    changed.c_cflag = CS7 | PARENB | CREAD;
    cfsetospeed(&changed, B9600);
    cfsetispeed(&changed, B9600);
    CHECK(tcsetattr(line, TCSAFLUSH, &changed) == 0);
    CHECK(tcgetattr(line, &changed) == 0 && cfgetispeed(&changed) == B9600 && (changed.c_cflag & CSIZE) == CS7);
    cfsetospeed(&changed, 3000000);
    FAILS(tcsetattr(line, TCSANOW, &changed), EINVAL);
    CHECK(write(line, "U", 1) == 1 && tcdrain(line) == 0);
    CHECK(tcsendbreak(line, 5) == 0 && tcflush(line, TCIOFLUSH) == 0);
    FAILS(tcflush(line, 9), EINVAL);
    CHECK(tcsetattr(line, TCSADRAIN, &modes) == 0);
    close(line);
}

static int initialised = 42;
static int cleared;

static void test_library(void)
{
    char line[32];
    void *block;
    int blocks = 0;

    CHECK(initialised == 42 && cleared == 0);
    initialised = cleared = 7; /* The next run must not see it. */
    FILE *file = fopen("t", "w");
    CHECK(file != NULL && fprintf(file, "%d %s\n", -12, "x") == 6 && fclose(file) == 0);
    file = fopen("t", "r");
    CHECK(file != NULL && fgets(line, sizeof line, file) != NULL && strcmp(line, "-12 x\n") == 0);
    CHECK(fgetc(file) == EOF && feof(file) && fclose(file) == 0);
    CHECK(fopen("nowhere", "r") == NULL && errno == ENOENT);
    while ((block = malloc(4096)) != NULL) {
        memset(block, 0xa5, 4096);
        blocks++;
    }
    CHECK(blocks >= 4 && errno == ENOMEM);
    CHECK(unlink("t") == 0);
}

static int posix_test(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "fault") == 0)
        *(volatile int *)0x50000000 = 1;
    if (argc > 1 && strcmp(argv[1], "abort") == 0)
        abort();
    test_files();
    test_names();
    test_descriptors();
    test_bad_pointers();
    test_signals();
    test_waiting();
    test_terminal();
    test_library();
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}

PROGRAM(program) = {"posix_test", posix_test, 8192};
