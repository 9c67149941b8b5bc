/* System calls on descriptors. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/termios.h>

#include "../drivers/device.h"
#include "../tty/tty.h"
#include "calls.h"
#include "fs_file.h"
#include "process.h"

static const char device_directory[] = "/dev/";

static int path_error(const char *path)
{
    return rtos_k_string_readable(path, POSIX_PATH_MAX) ? 0 : -EFAULT;
}

/* The device that a path names, NULL when it names none. /dev/tty is the terminal that the caller's signals come from,
   else the one of its descriptor 2, 1 or 0. */
static struct device *device_of_path(const char *path)
{
    if (strncmp(path, device_directory, sizeof device_directory - 1) != 0)
        return NULL;
    path += sizeof device_directory - 1;
    if (strcmp(path, "tty") != 0)
        return device_find(path);
    for (int fd = 2; fd >= 0; fd--) {
        struct file *file = process_file(fd);
        if (file != NULL && tty_of(file) != NULL)
            return &tty_of(file)->device;
    }
    return NULL;
}

static int open_path(struct file *file, const char *path, int flags)
{
    struct device *device = device_of_path(path);

    if (device != NULL)
        return device_open(device, file);
    return fs_file_open(file, path, flags);
}

int posix_open(const char *path, int flags)
{
    struct process *self = process_self();
    int error = path_error(path);
    if (error != 0 || self == NULL)
        return error != 0 ? error : -ESRCH;
    if ((flags & O_ACCMODE) == O_ACCMODE)
        return -EINVAL;
    struct file *file = file_alloc();
    if (file == NULL)
        return -ENFILE;
    file->flags = flags & (O_ACCMODE | O_APPEND | O_NONBLOCK);
    int fd = open_path(file, path, flags);
    if (fd == 0)
        fd = process_install(self, file, 0);
    if (fd < 0)
        file_release(file);
    return fd;
}

int posix_close(int fd)
{
    struct file *file = process_file(fd);
    if (file == NULL)
        return -EBADF;
    process_self()->descriptors[fd] = NULL;
    file_release(file);
    return 0;
}

int posix_read(int fd, void *to, uint32_t size)
{
    struct file *file = process_file(fd);
    if (file == NULL || !file_readable(file))
        return -EBADF;
    if (size > INT32_MAX || !rtos_k_writable(to, size))
        return -EFAULT;
    if (file->operations->read == NULL)
        return -EINVAL;
    return process_self()->pending != 0 ? -EINTR : file->operations->read(file, to, size);
}

int posix_write(int fd, const void *from, uint32_t size)
{
    struct file *file = process_file(fd);
    if (file == NULL || !file_writable(file))
        return -EBADF;
    if (size > INT32_MAX || !rtos_k_readable(from, size))
        return -EFAULT;
    if (file->operations->write == NULL)
        return -EINVAL;
    return process_self()->pending != 0 ? -EINTR : file->operations->write(file, from, size);
}

int posix_seek(int fd, int32_t offset, int whence)
{
    struct file *file = process_file(fd);
    if (file == NULL)
        return -EBADF;
    return file->operations->seek != NULL ? file->operations->seek(file, offset, whence) : -ESPIPE;
}

/* Bytes behind the pointer of a request; 0 for requests with a plain value. */
static uint32_t control_size(int request)
{
    switch (request) {
    case TCGETS:
    case TCSETS:
    case TCSETSW:
    case TCSETSF:
        return sizeof(struct termios);
    case TIOCOUTQ:
    case FIONREAD:
    case TIOCGETD:
    case TIOCGPGRP:
        return sizeof(int);
    case TIOCGICOUNT:
        return sizeof(struct serial_counters);
    default:
        return 0;
    }
}

int posix_control(int fd, int request, void *argument)
{
    struct file *file = process_file(fd);
    if (file == NULL)
        return -EBADF;
    int reads = request == TCSETS || request == TCSETSW || request == TCSETSF;
    uint32_t size = control_size(request);
    if (((uintptr_t)argument % 4 != 0 && size != 0) ||
        !(reads ? rtos_k_readable(argument, size) : rtos_k_writable(argument, size)))
        return -EFAULT;
    return file->operations->control != NULL ? file->operations->control(file, request, argument) : -ENOTTY;
}

static void device_status(const struct device *device, struct stat *status)
{
    memset(status, 0, sizeof *status);
    status->st_mode = S_IFCHR | 0666;
    status->st_nlink = 1;
    status->st_rdev = (dev_t)(device->major << 8 | device->minor);
}

int posix_status(int fd, struct stat *status)
{
    struct file *file = process_file(fd);
    if (file == NULL)
        return -EBADF;
    if (!rtos_k_writable(status, sizeof *status))
        return -EFAULT;
    if (file->operations->status != NULL)
        return file->operations->status(file, status);
    device_status(file->object, status);
    return 0;
}

int posix_status_of(const char *path, struct stat *status)
{
    int error = path_error(path);
    if (error == 0 && !rtos_k_writable(status, sizeof *status))
        error = -EFAULT;
    if (error != 0)
        return error;
    struct device *device = device_of_path(path);
    if (device != NULL) {
        device_status(device, status);
        return 0;
    }
    struct fs_node *node;
    fs_lock();
    error = fs_lookup(&fs_root_volume, FS_ROOT, path, &node);
    if (error == 0) {
        fs_file_status(node, status);
        fs_release(&fs_root_volume, node);
    }
    fs_unlock();
    return error;
}

int posix_duplicate(int fd, int to)
{
    struct process *self = process_self();
    struct file *file = process_file(fd);
    if (file == NULL || to >= POSIX_DESCRIPTORS_MAX)
        return -EBADF;
    if (to < 0) {
        to = process_install(self, file, ~to);
        if (to >= 0)
            file_add_user(file);
        return to;
    }
    if (to == fd)
        return to;
    file_add_user(file);
    if (self->descriptors[to] != NULL)
        file_release(self->descriptors[to]);
    self->descriptors[to] = file;
    return to;
}

int posix_set_flags(int fd, int mask, int flags)
{
    struct file *file = process_file(fd);
    if (file == NULL)
        return -EBADF;
    mask &= O_APPEND | O_NONBLOCK;
    file->flags = (file->flags & ~mask) | (flags & mask);
    return file->flags;
}
