/* Device controls beyond read and write. */
#ifndef _SYS_IOCTL_H
#define _SYS_IOCTL_H

#define TCGETS 0x5401   /* struct termios * */
#define TCSETS 0x5402   /* const struct termios *; then after output, and with input thrown away. */
#define TCSETSW 0x5403
#define TCSETSF 0x5404
#define TCSBRK 0x5409   /* Sends a break of so many milliseconds, 0 for a quarter of a second. */
#define TCXONC 0x540A   /* TCOOFF ... */
#define TCFLSH 0x540B   /* TCIFLUSH ... */
#define TCDRAIN 0x540C
#define TIOCOUTQ 0x5411 /* int *: bytes not yet sent. */
#define TIOCGPGRP 0x540F /* int *: the process that gets the terminal's signals. */
#define TIOCSPGRP 0x5410 /* Sets it, by value; 0 for none. */
#define FIONREAD 0x541B /* int *: bytes to read. */
#define TIOCSETD 0x5423 /* Number of a line discipline, by value. */
#define TIOCGETD 0x5424 /* int * */
#define TIOCGICOUNT 0x545D /* struct serial_counters * */

#define N_TTY 0
#define N_IRDA 11

/* What happened on a serial line since its driver started. */
struct serial_counters {
    unsigned int received;
    unsigned int sent;
    unsigned int overruns;
    unsigned int framing_errors;
    unsigned int parity_errors;
    unsigned int breaks;
    unsigned int dropped; /* Received with no room in the input queue. */
};

int ioctl(int fd, int request, ...);

#endif
