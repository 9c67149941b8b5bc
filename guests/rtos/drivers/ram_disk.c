/* A disk in memory: transfers are copies. */
#include "ram_disk.h"

#include <board.h>
#include <errno.h>
#include <string.h>

#define BLOCK_SIZE 512u

/* Not cleared at start: the file system writes what it reads. */
static uint8_t storage[BOARD_DISK_BLOCKS * BLOCK_SIZE] __attribute__((section(".noinit.disk"), aligned(8)));

static int check(uint32_t offset, uint32_t size)
{
    return offset > sizeof storage || size > sizeof storage - offset ? -EIO : 0;
}

static int disk_read(struct block_device *device, uint32_t offset, void *to, uint32_t size)
{
    (void)device;
    int error = check(offset, size);
    if (error == 0)
        memcpy(to, storage + offset, size);
    return error;
}

static int disk_write(struct block_device *device, uint32_t offset, const void *from, uint32_t size)
{
    (void)device;
    int error = check(offset, size);
    if (error == 0)
        memcpy(storage + offset, from, size);
    return error;
}

static struct block_device device = {
    .name = "ram0",
    .block_size = BLOCK_SIZE,
    .block_count = BOARD_DISK_BLOCKS,
    .read = disk_read,
    .write = disk_write,
};

struct block_device *ram_disk_device(void)
{
    return &device;
}
