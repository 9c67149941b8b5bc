/* Block devices: storage in numbered blocks, transfers of any byte range of them. */
#ifndef DRIVERS_BLOCK_H
#define DRIVERS_BLOCK_H

#include <stdint.h>

struct block_device {
    const char *name;
    uint32_t block_size;
    uint32_t block_count;
    /* Moves `size` bytes from byte `offset` of the device; 0 or -errno. Ranges outside give -EIO. */
    int (*read)(struct block_device *device, uint32_t offset, void *to, uint32_t size);
    int (*write)(struct block_device *device, uint32_t offset, const void *from, uint32_t size);
    void *data;
};

#endif
