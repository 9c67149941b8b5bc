/* <termios.h> and <sys/ioctl.h>. */
#include <errno.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <termios.h>

#include "../syscalls.h"
#include "result.h"

int ioctl(int fd, int request, ...)
{
    va_list list;
    va_start(list, request);
    void *argument = va_arg(list, void *);
    va_end(list);
    return USER_RETRY(sys_control(fd, request, argument));
}

int tcgetattr(int fd, struct termios *modes)
{
    return user_result(sys_control(fd, TCGETS, modes));
}

int tcsetattr(int fd, int when, const struct termios *modes)
{
    static const int requests[] = {TCSETS, TCSETSW, TCSETSF};
    struct termios copy = *modes;
    if (when < TCSANOW || when > TCSAFLUSH)
        return user_result(-EINVAL);
    return USER_RETRY(sys_control(fd, requests[when], &copy));
}

int tcdrain(int fd)
{
    return USER_RETRY(sys_control(fd, TCDRAIN, 0));
}

int tcflush(int fd, int queue)
{
    return user_result(sys_control(fd, TCFLSH, (void *)(intptr_t)queue));
}

int tcflow(int fd, int action)
{
    return user_result(sys_control(fd, TCXONC, (void *)(intptr_t)action));
}

int tcsendbreak(int fd, int duration)
{
    return USER_RETRY(sys_control(fd, TCSBRK, (void *)(intptr_t)duration));
}
