/* Waiting for one of several descriptors. */
#include <errno.h>

#include "calls.h"
#include "process.h"

#define EXTRA_WAITS 8

/* Looks at all descriptors once; puts the wait on their queues when `poll` is given. Counts what is ready. */
static int look(const struct select_request *request, struct select_request *ready, struct file_poll *poll)
{
    int count = 0;

    ready->read = ready->write = 0;
    for (int fd = 0; fd < POSIX_DESCRIPTORS_MAX; fd++) {
        uint32_t bit = 1u << fd;
        if (!((request->read | request->write) & bit))
            continue;
        struct file *file = process_file(fd);
        if (file == NULL)
            return -EBADF;
        int state = FILE_READABLE | FILE_WRITABLE;
        if (file->operations->poll != NULL)
            state = file->operations->poll(file, poll);
        if ((request->read & bit) && (state & FILE_READABLE)) {
            ready->read |= bit;
            count++;
        }
        if ((request->write & bit) && (state & FILE_WRITABLE)) {
            ready->write |= bit;
            count++;
        }
    }
    return count;
}

int posix_select(struct select_request *request)
{
    struct io_queue nobody = {NULL};
    struct io_wait wait;
    struct io_wait extra[EXTRA_WAITS];
    struct select_request ready = {0, 0, 0};
    uint32_t timeout_us;

    if (!rtos_k_writable(request, sizeof *request))
        return -EFAULT;
    timeout_us = request->timeout_us < 0 ? RTOS_WAIT_FOREVER : (uint32_t)request->timeout_us;
    struct file_poll poll = {.wait = &wait, .extra = extra, .extra_left = EXTRA_WAITS};
    io_wait_begin(&wait, &nobody);
    int count = look(request, &ready, &poll);
    while (count == 0) {
        int error = io_wait_sleep(&wait, timeout_us);
        if (error != 0) {
            count = error == -EAGAIN ? 0 : error;
            break;
        }
        count = look(request, &ready, NULL);
    }
    for (uint32_t i = 0; i < EXTRA_WAITS - poll.extra_left; i++)
        io_wait_end(&extra[i]);
    io_wait_end(&wait);
    if (count >= 0) {
        request->read = ready.read;
        request->write = ready.write;
    }
    return count;
}
