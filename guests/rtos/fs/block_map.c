/* From a block index in a file to a block of the device: direct, indirect and double indirect. */
#include <errno.h>

#include "internal.h"

static int block_alloc(struct fs_volume *volume, enum fs_map_mode mode, uint32_t *block)
{
    static const uint8_t zeros[FS_BLOCK_SIZE];

    int64_t taken = fs_bitmap_take(volume, volume->super.block_bitmap, volume->super.block_count);
    if (taken < 0)
        return (int)taken;
    *block = (uint32_t)taken;
    volume->super.free_blocks--;
    int error = fs_store_superblock(volume);
    if (error != 0 || mode == FS_MAP_OVERWRITE)
        return error;
    return volume->device->write(volume->device, *block * FS_BLOCK_SIZE, zeros, sizeof zeros);
}

static int block_free(struct fs_volume *volume, uint32_t block)
{
    if (block < volume->super.data || block >= volume->super.block_count)
        return -EIO;
    int error = fs_bitmap_give(volume, volume->super.block_bitmap, block);
    if (error != 0)
        return error;
    volume->super.free_blocks++;
    return fs_store_superblock(volume);
}

/* Follows the pointer at byte `offset` of the device, or sets it to a new block. */
static int follow(struct fs_volume *volume, uint32_t offset, enum fs_map_mode mode, uint32_t *block)
{
    struct block_device *device = volume->device;
    int error = device->read(device, offset, block, 4);
    if (error != 0 || *block != 0 || mode == FS_MAP_FIND)
        return error;
    error = block_alloc(volume, mode, block);
    return error != 0 ? error : device->write(device, offset, block, 4);
}

/* The same for a pointer inside the node. */
static int follow_in_node(struct fs_volume *volume, uint32_t *pointer, enum fs_map_mode mode, uint32_t *block)
{
    if (*pointer == 0 && mode != FS_MAP_FIND) {
        int error = block_alloc(volume, mode, pointer);
        if (error != 0) {
            *pointer = 0;
            return error;
        }
    }
    *block = *pointer;
    return 0;
}

int fs_block_map(struct fs_volume *volume, struct fs_node *node, uint32_t index, enum fs_map_mode mode,
                 uint32_t *block)
{
    /* Blocks of pointers always start as zeros. */
    enum fs_map_mode pointers = mode == FS_MAP_FIND ? FS_MAP_FIND : FS_MAP_ZERO;

    if (index < FS_DIRECT_BLOCKS)
        return follow_in_node(volume, &node->inode.direct[index], mode, block);
    index -= FS_DIRECT_BLOCKS;
    if (index < FS_POINTERS) {
        int error = follow_in_node(volume, &node->inode.indirect, pointers, block);
        if (error != 0 || *block == 0)
            return error;
        return follow(volume, *block * FS_BLOCK_SIZE + 4 * index, mode, block);
    }
    index -= FS_POINTERS;
    if (index >= FS_POINTERS * FS_POINTERS)
        return -EFBIG;
    int error = follow_in_node(volume, &node->inode.double_indirect, pointers, block);
    if (error != 0 || *block == 0)
        return error;
    error = follow(volume, *block * FS_BLOCK_SIZE + 4 * (index / FS_POINTERS), pointers, block);
    if (error != 0 || *block == 0)
        return error;
    return follow(volume, *block * FS_BLOCK_SIZE + 4 * (index % FS_POINTERS), mode, block);
}

/* Frees the tree of blocks below a pointer, from leaf `first` on; the tree itself when all of it went. */
static int free_tree(struct fs_volume *volume, uint32_t *root, uint32_t depth, uint32_t leaves, uint32_t first)
{
    struct block_device *device = volume->device;

    if (*root == 0 || first >= leaves)
        return 0;
    uint32_t below = depth == 0 ? 0 : leaves / FS_POINTERS;
    for (uint32_t i = depth == 0 ? FS_POINTERS : first / below; i < FS_POINTERS; i++) {
        uint32_t pointer;
        uint32_t skip = first > i * below ? first - i * below : 0;
        uint32_t offset = *root * FS_BLOCK_SIZE + 4 * i;
        int error = device->read(device, offset, &pointer, 4);
        if (error == 0)
            error = free_tree(volume, &pointer, depth - 1, below, skip);
        if (error == 0)
            error = device->write(device, offset, &pointer, 4);
        if (error != 0)
            return error;
    }
    if (first > 0)
        return 0;
    int error = block_free(volume, *root);
    *root = 0;
    return error;
}

int fs_block_unmap(struct fs_volume *volume, struct fs_node *node, uint32_t first_index)
{
    int error = 0;
    for (uint32_t i = first_index; i < FS_DIRECT_BLOCKS && error == 0; i++)
        error = free_tree(volume, &node->inode.direct[i], 0, 1, 0);
    uint32_t first = first_index > FS_DIRECT_BLOCKS ? first_index - FS_DIRECT_BLOCKS : 0;
    if (error == 0)
        error = free_tree(volume, &node->inode.indirect, 1, FS_POINTERS, first);
    first = first > FS_POINTERS ? first - FS_POINTERS : 0;
    if (error == 0)
        error = free_tree(volume, &node->inode.double_indirect, 2, FS_POINTERS * FS_POINTERS, first);
    return error;
}
