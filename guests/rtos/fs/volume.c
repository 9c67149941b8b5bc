/* Making and mounting a file system. */
#include <errno.h>
#include <string.h>

#include "internal.h"

static uint32_t blocks_for_bits(uint32_t bits)
{
    return (bits + 8 * FS_BLOCK_SIZE - 1) / (8 * FS_BLOCK_SIZE);
}

int fs_store_superblock(struct fs_volume *volume)
{
    return volume->device->write(volume->device, 0, &volume->super, sizeof volume->super);
}

static int plan(struct fs_superblock *super, const struct block_device *device, uint32_t inode_count)
{
    const uint32_t inodes_a_block = FS_BLOCK_SIZE / sizeof(struct fs_inode);

    if (device->block_size != FS_BLOCK_SIZE || inode_count < 2)
        return -EINVAL;
    memset(super, 0, sizeof *super);
    super->magic = FS_MAGIC;
    super->version = FS_VERSION;
    super->block_size = FS_BLOCK_SIZE;
    super->block_count = device->block_count;
    super->inode_count = (inode_count + inodes_a_block - 1) / inodes_a_block * inodes_a_block;
    super->inode_bitmap = 1;
    super->block_bitmap = super->inode_bitmap + blocks_for_bits(super->inode_count);
    super->inode_table = super->block_bitmap + blocks_for_bits(super->block_count);
    super->data = super->inode_table + super->inode_count / inodes_a_block;
    if (super->data >= super->block_count)
        return -ENOSPC;
    super->free_blocks = super->block_count - super->data;
    super->free_inodes = super->inode_count - 1;
    return 0;
}

static int clear_blocks(struct block_device *device, uint32_t first, uint32_t end)
{
    static const uint8_t zeros[FS_BLOCK_SIZE];

    for (uint32_t block = first; block < end; block++) {
        int error = device->write(device, block * FS_BLOCK_SIZE, zeros, sizeof zeros);
        if (error != 0)
            return error;
    }
    return 0;
}

/* The bitmaps number inodes and device blocks from 0: inode 0 and the blocks before the data area are taken. */
static int take_reserved(struct fs_volume *volume)
{
    for (uint32_t block = 0; block < volume->super.data; block++) {
        int64_t taken = fs_bitmap_take(volume, volume->super.block_bitmap, volume->super.block_count);
        if (taken != (int64_t)block)
            return taken < 0 ? (int)taken : -EIO;
    }
    int64_t inode = fs_bitmap_take(volume, volume->super.inode_bitmap, volume->super.inode_count);
    return inode == 0 ? 0 : -EIO;
}

static int make_root(struct fs_volume *volume)
{
    struct fs_node *root;
    int error = fs_node_create(volume, FS_TYPE_DIRECTORY, &root);
    if (error != 0)
        return error;
    if (root->number != FS_ROOT)
        return -EIO;
    root->inode.links = 2;
    error = fs_directory_add(volume, root, ".", 1, FS_ROOT);
    if (error == 0)
        error = fs_directory_add(volume, root, "..", 2, FS_ROOT);
    fs_release(volume, root);
    return error;
}

int fs_format(struct fs_volume *volume, struct block_device *device, uint32_t inode_count, uint32_t (*now_s)(void))
{
    memset(volume, 0, sizeof *volume);
    volume->device = device;
    volume->now_s = now_s;
    int error = plan(&volume->super, device, inode_count);
    if (error == 0)
        error = clear_blocks(device, 0, volume->super.data);
    if (error == 0)
        error = take_reserved(volume);
    if (error == 0)
        error = make_root(volume);
    return error != 0 ? error : fs_store_superblock(volume);
}

int fs_mount(struct fs_volume *volume, struct block_device *device, uint32_t (*now_s)(void))
{
    memset(volume, 0, sizeof *volume);
    volume->device = device;
    volume->now_s = now_s;
    if (device->block_size != FS_BLOCK_SIZE)
        return -EINVAL;
    int error = device->read(device, 0, &volume->super, sizeof volume->super);
    if (error != 0)
        return error;
    const struct fs_superblock *super = &volume->super;
    struct fs_superblock expected;
    if (super->magic != FS_MAGIC || super->version != FS_VERSION || plan(&expected, device, super->inode_count) != 0)
        return -EINVAL;
    if (super->block_count != expected.block_count || super->inode_count != expected.inode_count ||
        super->data != expected.data || super->free_blocks > expected.free_blocks ||
        super->free_inodes > expected.free_inodes)
        return -EINVAL;
    return 0;
}
