/* Device layer: character drivers under names like /dev/tty0, found when a path below /dev is opened. */
#ifndef DRIVERS_DEVICE_H
#define DRIVERS_DEVICE_H

#include "../posix/file.h"

struct device {
    const char *name; /* Below /dev; the last character may be the unit's digit. */
    const struct file_operations *operations;
    /* Prepares an open file; it may replace operations and object. NULL when there is nothing to do. */
    int (*open)(struct device *device, struct file *file);
    void *object;
    uint32_t major;
    uint32_t minor;
};

/* Enters a device into the table. -ENOSPC when the table is full, -EEXIST when the name is taken. */
int device_register(struct device *device);
/* NULL when there is none of that name. */
struct device *device_find(const char *name);
/* The device of a number in table order, NULL after the last. */
struct device *device_at(uint32_t index);
/* Makes `file` an open file of the device. */
int device_open(struct device *device, struct file *file);

#define DEVICE_MAJOR_MEMORY 1
#define DEVICE_MAJOR_TTY 4

#endif
