/* Open files: what a descriptor stands for, whether a file of the file system or a device. */
#ifndef POSIX_FILE_H
#define POSIX_FILE_H

#include <fcntl.h>
#include <stdint.h>

#include "io_wait.h"

struct file;
struct stat;

/* What can be waited for with select. */
enum file_ready { FILE_READABLE = 1, FILE_WRITABLE = 2 };

/* Waits of a select under way: `add` puts it on a queue whose wake-ups matter. */
struct file_poll {
    struct io_wait *wait;
    struct io_wait *extra;
    uint32_t extra_left;
};

/* Calls give 0, a count or a position, or -errno. A missing one means that the file does not know the operation. */
struct file_operations {
    int (*read)(struct file *file, void *to, uint32_t size);
    int (*write)(struct file *file, const void *from, uint32_t size);
    int (*seek)(struct file *file, int32_t offset, int whence);
    int (*control)(struct file *file, int request, void *argument);
    int (*status)(struct file *file, struct stat *status);
    int (*poll)(struct file *file, struct file_poll *poll); /* Of `enum file_ready`. */
    void (*close)(struct file *file);
};

struct file {
    const struct file_operations *operations; /* NULL: slot free. */
    void *object;                             /* The node, or the device's. */
    uint32_t position;
    int flags; /* O_... */
    uint32_t users;
};

/* An empty open file with one user, NULL when the table is full. */
struct file *file_alloc(void);
void file_add_user(struct file *file);
/* Closes it with its last user. */
void file_release(struct file *file);

void file_poll_add(struct file_poll *poll, struct io_queue *queue);

static inline int file_readable(const struct file *file)
{
    return (file->flags & O_ACCMODE) != O_WRONLY;
}

static inline int file_writable(const struct file *file)
{
    return (file->flags & O_ACCMODE) != O_RDONLY;
}

#endif
