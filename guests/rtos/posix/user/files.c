/* Files for newlib: the hooks that its reentrant functions call, and what it leaves to the system. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../syscalls.h"
#include "result.h"

int _open(const char *path, int flags, ...)
{
    return USER_RETRY(sys_open(path, flags));
}

int _close(int fd)
{
    return user_result(sys_close(fd));
}

ssize_t _read(int fd, void *to, size_t size)
{
    return USER_RETRY(sys_read(fd, to, size));
}

ssize_t _write(int fd, const void *from, size_t size)
{
    return USER_RETRY(sys_write(fd, from, size));
}

off_t _lseek(int fd, off_t offset, int whence)
{
    return user_result(sys_seek(fd, (int32_t)offset, whence));
}

int _fstat(int fd, struct stat *status)
{
    return user_result(sys_status(fd, status));
}

int _stat(const char *path, struct stat *status)
{
    return user_result(sys_status_of(path, status));
}

int _isatty(int fd)
{
    struct stat status;
    if (_fstat(fd, &status) < 0)
        return 0;
    if (S_ISCHR(status.st_mode))
        return 1;
    errno = ENOTTY;
    return 0;
}

int _link(const char *from, const char *to)
{
    return user_result(sys_link(from, to));
}

int _unlink(const char *path)
{
    return user_result(sys_unlink(path));
}

/* newlib would link and unlink. */
int rename(const char *from, const char *to)
{
    return user_result(sys_rename(from, to));
}

int mkdir(const char *path, mode_t mode)
{
    (void)mode;
    return user_result(sys_make_directory(path));
}

int rmdir(const char *path)
{
    return user_result(sys_remove_directory(path));
}

/* Everyone may read and write every file. */
int access(const char *path, int mode)
{
    struct stat status;
    if (_stat(path, &status) < 0)
        return -1;
    if ((mode & X_OK) && !S_ISDIR(status.st_mode)) {
        errno = EACCES;
        return -1;
    }
    return 0;
}

int dup(int fd)
{
    return user_result(sys_duplicate(fd, ~0));
}

int dup2(int fd, int to)
{
    return user_result(to < 0 ? -EBADF : sys_duplicate(fd, to));
}

int fcntl(int fd, int command, ...)
{
    va_list list;
    va_start(list, command);
    int argument = va_arg(list, int);
    va_end(list);

    switch (command) {
    case F_DUPFD:
        return user_result(argument < 0 ? -EINVAL : sys_duplicate(fd, ~argument));
    case F_GETFL:
        return user_result(sys_set_flags(fd, 0, 0));
    case F_SETFL: {
        int flags = sys_set_flags(fd, O_APPEND | O_NONBLOCK, argument);
        return user_result(flags < 0 ? flags : 0);
    }
    case F_GETFD:
    case F_SETFD:
        return 0; /* No program replaces another. */
    default:
        return user_result(-EINVAL);
    }
}

int select(int count, fd_set *read, fd_set *write, fd_set *except, struct timeval *timeout)
{
    struct select_request request = {.timeout_us = -1};

    for (int fd = 0; fd < count && fd < 32; fd++) {
        if (read != NULL && FD_ISSET(fd, read))
            request.read |= 1u << fd;
        if (write != NULL && FD_ISSET(fd, write))
            request.write |= 1u << fd;
    }
    if (timeout != NULL)
        request.timeout_us = (int32_t)(timeout->tv_sec * 1000000 + timeout->tv_usec);
    int ready = sys_select(&request);
    if (ready == -EINTR)
        user_interrupted(ready);
    if (ready < 0)
        return user_result(ready);
    for (int fd = 0; fd < count && fd < 32; fd++) {
        if (read != NULL && !(request.read >> fd & 1))
            FD_CLR(fd, read);
        if (write != NULL && !(request.write >> fd & 1))
            FD_CLR(fd, write);
    }
    if (except != NULL)
        FD_ZERO(except);
    return ready;
}
