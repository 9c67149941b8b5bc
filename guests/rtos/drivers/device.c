/* The table of devices. */
#include "device.h"

#include <errno.h>
#include <string.h>

#define DEVICES_MAX 8

static struct device *devices[DEVICES_MAX];

int device_register(struct device *device)
{
    for (uint32_t i = 0; i < DEVICES_MAX; i++) {
        if (devices[i] == NULL) {
            devices[i] = device;
            return 0;
        }
        if (strcmp(devices[i]->name, device->name) == 0)
            return -EEXIST;
    }
    return -ENOSPC;
}

struct device *device_find(const char *name)
{
    for (uint32_t i = 0; i < DEVICES_MAX && devices[i] != NULL; i++)
        if (strcmp(devices[i]->name, name) == 0)
            return devices[i];
    return NULL;
}

struct device *device_at(uint32_t index)
{
    return index < DEVICES_MAX ? devices[index] : NULL;
}

int device_open(struct device *device, struct file *file)
{
    file->operations = device->operations;
    file->object = device;
    return device->open != NULL ? device->open(device, file) : 0;
}
