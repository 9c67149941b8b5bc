/* Terminal modes, as POSIX names them; shared by programs and the tty layer. */
#ifndef _SYS_TERMIOS_H
#define _SYS_TERMIOS_H

typedef unsigned int tcflag_t;
typedef unsigned int speed_t; /* Bits a second. */
typedef unsigned char cc_t;

#define NCCS 12
#define _POSIX_VDISABLE 0

struct termios {
    tcflag_t c_iflag;
    tcflag_t c_oflag;
    tcflag_t c_cflag;
    tcflag_t c_lflag;
    cc_t c_cc[NCCS];
    speed_t c_ispeed;
    speed_t c_ospeed;
};

/* c_cc */
#define VEOF 0
#define VEOL 1
#define VERASE 2
#define VINTR 3
#define VKILL 4
#define VMIN 5
#define VQUIT 6
#define VSTART 7
#define VSTOP 8
#define VSUSP 9
#define VTIME 10

/* c_iflag */
#define IGNBRK 0x0001
#define BRKINT 0x0002
#define IGNPAR 0x0004
#define PARMRK 0x0008
#define INPCK 0x0010
#define ISTRIP 0x0020
#define INLCR 0x0040
#define IGNCR 0x0080
#define ICRNL 0x0100
#define IXON 0x0200
#define IXANY 0x0400
#define IXOFF 0x0800

/* c_oflag */
#define OPOST 0x0001
#define ONLCR 0x0002
#define OCRNL 0x0004
#define ONOCR 0x0008
#define ONLRET 0x0010

/* c_cflag */
#define CSIZE 0x0003
#define CS5 0x0000
#define CS6 0x0001
#define CS7 0x0002
#define CS8 0x0003
#define CSTOPB 0x0004
#define CREAD 0x0008
#define PARENB 0x0010
#define PARODD 0x0020
#define HUPCL 0x0040
#define CLOCAL 0x0080

/* c_lflag */
#define ISIG 0x0001
#define ICANON 0x0002
#define ECHO 0x0004
#define ECHOE 0x0008
#define ECHOK 0x0010
#define ECHONL 0x0020
#define NOFLSH 0x0040
#define TOSTOP 0x0080
#define IEXTEN 0x0100
#define ECHOCTL 0x0200

/* tcsetattr */
#define TCSANOW 0
#define TCSADRAIN 1
#define TCSAFLUSH 2

/* tcflush */
#define TCIFLUSH 1
#define TCOFLUSH 2
#define TCIOFLUSH 3

/* tcflow */
#define TCOOFF 0
#define TCOON 1
#define TCIOFF 2
#define TCION 3

#define B0 0
#define B300 300
#define B1200 1200
#define B2400 2400
#define B4800 4800
#define B9600 9600
#define B19200 19200
#define B38400 38400
#define B57600 57600
#define B115200 115200

int tcgetattr(int fd, struct termios *modes);
int tcsetattr(int fd, int when, const struct termios *modes);
int tcdrain(int fd);
int tcflush(int fd, int queue);
int tcflow(int fd, int action);
int tcsendbreak(int fd, int duration);

static inline speed_t cfgetispeed(const struct termios *modes)
{
    return modes->c_ispeed;
}

static inline speed_t cfgetospeed(const struct termios *modes)
{
    return modes->c_ospeed;
}

static inline int cfsetispeed(struct termios *modes, speed_t speed)
{
    modes->c_ispeed = speed;
    return 0;
}

static inline int cfsetospeed(struct termios *modes, speed_t speed)
{
    modes->c_ospeed = speed;
    return 0;
}

#endif
