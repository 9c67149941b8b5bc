/* Inodes in use: fetched from the table once, shared by their users, stored after each change. */
#include <errno.h>
#include <string.h>

#include "internal.h"

static uint32_t inode_offset(const struct fs_volume *volume, uint32_t number)
{
    return volume->super.inode_table * FS_BLOCK_SIZE + number * sizeof(struct fs_inode);
}

static struct fs_node *free_slot(struct fs_volume *volume)
{
    for (uint32_t i = 0; i < FS_NODES_MAX; i++)
        if (volume->nodes[i].number == 0)
            return &volume->nodes[i];
    return NULL;
}

int fs_node_get(struct fs_volume *volume, uint32_t number, struct fs_node **node)
{
    for (uint32_t i = 0; i < FS_NODES_MAX; i++) {
        if (volume->nodes[i].number == number) {
            volume->nodes[i].users++;
            *node = &volume->nodes[i];
            return 0;
        }
    }
    if (number == 0 || number >= volume->super.inode_count)
        return -EIO;
    struct fs_node *slot = free_slot(volume);
    if (slot == NULL)
        return -ENFILE;
    int error =
        volume->device->read(volume->device, inode_offset(volume, number), &slot->inode, sizeof slot->inode);
    if (error != 0)
        return error;
    if (slot->inode.type == FS_TYPE_FREE)
        return -EIO;
    slot->number = number;
    slot->users = 1;
    *node = slot;
    return 0;
}

int fs_node_store(struct fs_volume *volume, struct fs_node *node)
{
    return volume->device->write(volume->device, inode_offset(volume, node->number), &node->inode,
                                 sizeof node->inode);
}

int fs_node_create(struct fs_volume *volume, uint16_t type, struct fs_node **node)
{
    struct fs_node *slot = free_slot(volume);
    if (slot == NULL)
        return -ENFILE;
    int64_t number = fs_bitmap_take(volume, volume->super.inode_bitmap, volume->super.inode_count);
    if (number < 0)
        return (int)number;
    memset(slot, 0, sizeof *slot);
    slot->number = (uint32_t)number;
    slot->users = 1;
    slot->inode.type = type;
    slot->inode.modified_s = volume->now_s();
    volume->super.free_inodes--;
    int error = fs_store_superblock(volume);
    if (error == 0)
        error = fs_node_store(volume, slot);
    *node = slot;
    return error;
}

/* Frees an unlinked inode with all its blocks. */
static void destroy(struct fs_volume *volume, struct fs_node *node)
{
    fs_block_unmap(volume, node, 0);
    node->inode.type = FS_TYPE_FREE;
    fs_node_store(volume, node);
    fs_bitmap_give(volume, volume->super.inode_bitmap, node->number);
    volume->super.free_inodes++;
    fs_store_superblock(volume);
}

void fs_release(struct fs_volume *volume, struct fs_node *node)
{
    if (--node->users > 0)
        return;
    if (node->inode.links == 0)
        destroy(volume, node);
    node->number = 0;
}

void fs_get_status(const struct fs_node *node, struct fs_status *status)
{
    status->inode = node->number;
    status->type = node->inode.type;
    status->links = node->inode.links;
    status->size = node->inode.size;
    status->modified_s = node->inode.modified_s;
    status->blocks = (node->inode.size + FS_BLOCK_SIZE - 1) / FS_BLOCK_SIZE;
}
