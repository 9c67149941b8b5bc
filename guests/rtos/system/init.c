/* The system: devices, file system, then a shell on the console for ever. */
#include <board.h>
#include <errno.h>
#include <fcntl.h>
#include <rtos/board.h>
#include <rtos/kernel.h>
#include <string.h>

#include "../drivers/at91_usart.h"
#include "../drivers/device.h"
#include "../drivers/null.h"
#include "../drivers/ram_disk.h"
#include "../posix/calls.h"
#include "../posix/fs_file.h"
#include "../posix/process.h"
#include "../shell/shell.h"

#define INIT_PRIORITY 20
#define INIT_STACK_SIZE 4096
#define SHELL_PRIORITY 12
#define SHELL_STACK_SIZE 4096

static const char console[] = "tty0";

static void must(const char *what, int error)
{
    if (error >= 0)
        return;
    rtos_k_printf("start of the system: %s: error %d\n", what, -error);
    rtos_board_halt(1);
}

static struct file *open_console(void)
{
    struct device *device = device_find(console);
    struct file *file = file_alloc();

    must(console, device == NULL ? -ENODEV : file == NULL ? -ENFILE : 0);
    file->flags = O_RDWR;
    must(console, device_open(device, file));
    return file;
}

static int run_shell(void)
{
    static const char *const arguments[] = {"shell", NULL};
    struct file *file = open_console();
    const struct process_attributes attributes = {
        .name = "shell",
        .entry = shell_main,
        .priority = SHELL_PRIORITY,
        .stack_size = SHELL_STACK_SIZE,
        .arguments = arguments,
        .files = {file, file, file},
    };
    int shell = process_create(&attributes);

    must("shell", shell);
    file_release(file);
    return process_wait(shell, 0);
}

/* Names for the devices; what is opened below /dev is found in the table of devices. */
static int make_device_names(void)
{
    char path[32] = "/dev/";
    int error = posix_make_directory("/dev");

    for (uint32_t i = 0; error == 0 && device_at(i) != NULL; i++) {
        struct fs_node *node;
        strcpy(path + 5, device_at(i)->name);
        fs_lock();
        error = fs_create(&fs_root_volume, FS_ROOT, path, 0, &node);
        if (error == 0)
            fs_release(&fs_root_volume, node);
        fs_unlock();
    }
    return error;
}

static int init_main(void *argument)
{
    (void)argument;
    must("processes", process_initialise());
    posix_set_calls();
    must("null device", null_register());
    must("serial lines", at91_usart_register());
    must("disk", fs_root_mount(ram_disk_device(), BOARD_DISK_FILES));
    must("device names", make_device_names());
    for (;;)
        rtos_k_printf("shell ended with status %d\n", run_shell());
    return 0;
}

void rtos_application_start(void)
{
    const struct rtos_task_attributes init = {
        .name = "init",
        .entry = init_main,
        .priority = INIT_PRIORITY,
        .flags = RTOS_TASK_PRIVILEGED,
        .stack_size = INIT_STACK_SIZE,
    };

    must("init", rtos_k_task_create(&init));
}
