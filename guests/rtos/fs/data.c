/* The bytes of a file. */
#include <errno.h>
#include <string.h>

#include "internal.h"

/* Bytes of a transfer that lie in the block where it starts. */
static uint32_t part(uint32_t offset, uint32_t size)
{
    uint32_t room = FS_BLOCK_SIZE - offset % FS_BLOCK_SIZE;
    return size < room ? size : room;
}

int fs_read(struct fs_volume *volume, struct fs_node *node, uint32_t offset, void *to, uint32_t size)
{
    struct block_device *device = volume->device;
    uint8_t *next = to;

    if (offset >= node->inode.size)
        return 0;
    if (size > node->inode.size - offset)
        size = node->inode.size - offset;
    for (uint32_t left = size; left > 0;) {
        uint32_t count = part(offset, left);
        uint32_t block;
        int error = fs_block_map(volume, node, offset / FS_BLOCK_SIZE, FS_MAP_FIND, &block);
        if (error == 0 && block != 0)
            error = device->read(device, block * FS_BLOCK_SIZE + offset % FS_BLOCK_SIZE, next, count);
        else if (error == 0)
            memset(next, 0, count);
        if (error != 0)
            return error;
        next += count;
        offset += count;
        left -= count;
    }
    return (int)size;
}

int fs_write(struct fs_volume *volume, struct fs_node *node, uint32_t offset, const void *from, uint32_t size)
{
    struct block_device *device = volume->device;
    const uint8_t *next = from;
    int error = 0;
    uint32_t left = size;

    if (offset > FS_SIZE_MAX || size > FS_SIZE_MAX - offset)
        return -EFBIG;
    while (left > 0) {
        uint32_t count = part(offset, left);
        uint32_t block;
        enum fs_map_mode mode = count == FS_BLOCK_SIZE ? FS_MAP_OVERWRITE : FS_MAP_ZERO;
        error = fs_block_map(volume, node, offset / FS_BLOCK_SIZE, mode, &block);
        if (error == 0)
            error = device->write(device, block * FS_BLOCK_SIZE + offset % FS_BLOCK_SIZE, next, count);
        if (error != 0)
            break;
        next += count;
        offset += count;
        left -= count;
        if (offset > node->inode.size)
            node->inode.size = offset;
    }
    node->inode.modified_s = volume->now_s();
    int stored = fs_node_store(volume, node);
    if (left == size && error != 0)
        return error;
    return stored != 0 ? stored : (int)(size - left);
}

int fs_truncate(struct fs_volume *volume, struct fs_node *node, uint32_t size)
{
    if (size > FS_SIZE_MAX)
        return -EFBIG;
    int error = fs_block_unmap(volume, node, (size + FS_BLOCK_SIZE - 1) / FS_BLOCK_SIZE);
    if (error != 0)
        return error;
    /* The rest of the last block must read as zeros when the file grows again. */
    uint32_t tail = size % FS_BLOCK_SIZE;
    if (size < node->inode.size && tail != 0) {
        static const uint8_t zeros[FS_BLOCK_SIZE];
        struct block_device *device = volume->device;
        uint32_t block;
        error = fs_block_map(volume, node, size / FS_BLOCK_SIZE, FS_MAP_FIND, &block);
        if (error == 0 && block != 0)
            error = device->write(device, block * FS_BLOCK_SIZE + tail, zeros, FS_BLOCK_SIZE - tail);
        if (error != 0)
            return error;
    }
    node->inode.size = size;
    node->inode.modified_s = volume->now_s();
    return fs_node_store(volume, node);
}
