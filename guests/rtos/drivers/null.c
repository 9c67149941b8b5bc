/* /dev/null: swallows all, gives nothing. */
#include "null.h"

#include "device.h"

static int null_read(struct file *file, void *to, uint32_t size)
{
    (void)file;
    (void)to;
    (void)size;
    return 0;
}

static int null_write(struct file *file, const void *from, uint32_t size)
{
    (void)file;
    (void)from;
    return (int)size;
}

static const struct file_operations operations = {.read = null_read, .write = null_write};

static struct device device = {.name = "null", .operations = &operations, .major = DEVICE_MAJOR_MEMORY, .minor = 3};

int null_register(void)
{
    return device_register(&device);
}
