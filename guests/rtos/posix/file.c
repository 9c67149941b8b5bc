/* The table of open files. */
#include "file.h"

#include <string.h>

#include "tables.h"

static struct file files[POSIX_FILES_MAX];

struct file *file_alloc(void)
{
    struct file *found = NULL;
    rtos_irq_state state = rtos_interrupt_lock();
    for (uint32_t i = 0; i < POSIX_FILES_MAX; i++) {
        if (files[i].users == 0) {
            found = &files[i];
            found->users = 1;
            break;
        }
    }
    rtos_interrupt_unlock(state);
    if (found != NULL) {
        found->operations = NULL;
        found->object = NULL;
        found->position = 0;
        found->flags = 0;
    }
    return found;
}

void file_add_user(struct file *file)
{
    rtos_irq_state state = rtos_interrupt_lock();
    file->users++;
    rtos_interrupt_unlock(state);
}

void file_release(struct file *file)
{
    rtos_irq_state state = rtos_interrupt_lock();
    int last = file->users == 1;
    if (!last)
        file->users--;
    rtos_interrupt_unlock(state);
    if (!last)
        return;
    if (file->operations != NULL && file->operations->close != NULL)
        file->operations->close(file);
    file->users = 0;
}

void file_poll_add(struct file_poll *poll, struct io_queue *queue)
{
    if (poll == NULL || poll->extra_left == 0)
        return;
    poll->extra_left--;
    io_wait_add(poll->extra++, poll->wait, queue);
}
