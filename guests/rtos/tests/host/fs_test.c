/* The file system on the host: rules one by one, then random operations against a plain model. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../fs/fs.h"

#define BLOCKS 2048u

static uint8_t storage[BLOCKS * FS_BLOCK_SIZE];
static struct fs_volume volume;
static int failures;

#define CHECK(condition)                                                     \
    do {                                                                     \
        if (!(condition)) {                                                  \
            printf("FAIL %s line %d: %s\n", __func__, __LINE__, #condition); \
            failures++;                                                      \
        }                                                                    \
    } while (0)

static int device_read(struct block_device *device, uint32_t offset, void *to, uint32_t size)
{
    if (offset + size > device->block_count * FS_BLOCK_SIZE)
        return -EIO;
    memcpy(to, storage + offset, size);
    return 0;
}

static int device_write(struct block_device *device, uint32_t offset, const void *from, uint32_t size)
{
    if (offset + size > device->block_count * FS_BLOCK_SIZE)
        return -EIO;
    memcpy(storage + offset, from, size);
    return 0;
}

static struct block_device device = {"memory", FS_BLOCK_SIZE, BLOCKS, device_read, device_write, NULL};

static uint32_t now_s(void)
{
    return 1000000000u;
}

static uint32_t bits_set(uint32_t first_block, uint32_t count)
{
    uint32_t set = 0;
    for (uint32_t i = 0; i < count; i++)
        set += (storage[first_block * FS_BLOCK_SIZE + i / 8] >> (i % 8)) & 1;
    return set;
}

static uint32_t tree_blocks(uint32_t block, int depth)
{
    if (block == 0)
        return 0;
    uint32_t count = 1;
    if (depth > 0)
        for (uint32_t i = 0; i < FS_POINTERS; i++) {
            uint32_t pointer;
            memcpy(&pointer, storage + block * FS_BLOCK_SIZE + 4 * i, 4);
            count += tree_blocks(pointer, depth - 1);
        }
    return count;
}

/* Bitmaps, counts and the table of inodes agree; nothing leaks. */
static void check_volume(void)
{
    const struct fs_superblock *super = &volume.super;
    uint32_t blocks = super->data;
    uint32_t inodes = 1;
    for (uint32_t n = 1; n < super->inode_count; n++) {
        struct fs_inode inode;
        memcpy(&inode, storage + super->inode_table * FS_BLOCK_SIZE + n * sizeof inode, sizeof inode);
        if (inode.type == FS_TYPE_FREE)
            continue;
        inodes++;
        for (uint32_t i = 0; i < FS_DIRECT_BLOCKS; i++)
            blocks += tree_blocks(inode.direct[i], 0);
        blocks += tree_blocks(inode.indirect, 1) + tree_blocks(inode.double_indirect, 2);
    }
    CHECK(bits_set(super->block_bitmap, super->block_count) == blocks);
    CHECK(bits_set(super->inode_bitmap, super->inode_count) == inodes);
    CHECK(super->free_blocks == super->block_count - blocks);
    CHECK(super->free_inodes == super->inode_count - inodes);
    for (uint32_t i = 0; i < FS_NODES_MAX; i++)
        CHECK(volume.nodes[i].number == 0);
}

static int put_file(const char *path, const void *data, uint32_t size)
{
    struct fs_node *node;
    int error = fs_create(&volume, FS_ROOT, path, 0, &node);
    if (error != 0)
        return error;
    error = fs_truncate(&volume, node, 0);
    int written = error != 0 ? error : fs_write(&volume, node, 0, data, size);
    fs_release(&volume, node);
    return written;
}

static int get_file(const char *path, void *data, uint32_t size)
{
    struct fs_node *node;
    int error = fs_lookup(&volume, FS_ROOT, path, &node);
    if (error != 0)
        return error;
    int count = fs_read(&volume, node, 0, data, size);
    fs_release(&volume, node);
    return count;
}

static void test_names(void)
{
    char text[16];
    struct fs_node *node;

    CHECK(fs_make_directory(&volume, FS_ROOT, "/a") == 0);
    CHECK(fs_make_directory(&volume, FS_ROOT, "a/b/") == 0);
    CHECK(fs_make_directory(&volume, FS_ROOT, "/a") == -EEXIST);
    CHECK(fs_make_directory(&volume, FS_ROOT, "/") == -EEXIST);
    CHECK(put_file("/a/b/f", "hello", 5) == 5);
    CHECK(put_file("/nowhere/f", "x", 1) == -ENOENT);
    CHECK(put_file("/a/b/f/g", "x", 1) == -ENOTDIR);
    CHECK(fs_create(&volume, FS_ROOT, "/a/b/f", 1, &node) == -EEXIST);
    CHECK(get_file("/a/./b/../b/f", text, 16) == 5 && memcmp(text, "hello", 5) == 0);
    CHECK(fs_lookup(&volume, FS_ROOT, "/a/b/f/", &node) == -ENOTDIR);
    CHECK(fs_lookup(&volume, FS_ROOT, "", &node) == -ENOENT);
    CHECK(fs_link(&volume, FS_ROOT, "/a/b/f", "/a/g") == 0);
    CHECK(fs_link(&volume, FS_ROOT, "/a", "/c") == -EPERM);
    CHECK(fs_unlink(&volume, FS_ROOT, "/a/b/f") == 0);
    CHECK(get_file("/a/g", text, 16) == 5);
    CHECK(fs_unlink(&volume, FS_ROOT, "/a/b") == -EISDIR);
    CHECK(fs_unlink(&volume, FS_ROOT, "/") == -EISDIR);
    CHECK(fs_remove_directory(&volume, FS_ROOT, "/a") == -ENOTEMPTY);
    CHECK(fs_remove_directory(&volume, FS_ROOT, "/a/.") == -EINVAL);
    CHECK(fs_rename(&volume, FS_ROOT, "/a", "/a/b/c") == -EINVAL);
    CHECK(fs_rename(&volume, FS_ROOT, "/a/b", "/b") == 0);
    CHECK(fs_rename(&volume, FS_ROOT, "/a/g", "/b/g") == 0);
    CHECK(fs_rename(&volume, FS_ROOT, "/a/g", "/b/h") == -ENOENT);
    CHECK(fs_rename(&volume, FS_ROOT, "/b/g", "/b/g") == 0);
    CHECK(fs_remove_directory(&volume, FS_ROOT, "/a") == 0);
    CHECK(put_file("/b/h", "world!", 6) == 6);
    CHECK(fs_rename(&volume, FS_ROOT, "/b/h", "/b/g") == 0);
    CHECK(get_file("/b/g", text, 16) == 6 && memcmp(text, "world!", 6) == 0);
    CHECK(fs_rename(&volume, FS_ROOT, "/b", "/b/g") == -EINVAL);
    CHECK(fs_unlink(&volume, FS_ROOT, "/b/g") == 0);
    CHECK(fs_remove_directory(&volume, FS_ROOT, "/b") == 0);
    char name[80];
    memset(name, 'n', sizeof name);
    name[79] = '\0';
    CHECK(put_file(name, "x", 1) == -ENAMETOOLONG);
    name[FS_NAME_MAX] = '\0';
    CHECK(put_file(name, "x", 1) == 1);
    CHECK(fs_unlink(&volume, FS_ROOT, name) == 0);
}

/* A file unlinked while open lives until its last user leaves. */
static void test_unlink_open(void)
{
    struct fs_node *node;
    char text[4];
    CHECK(fs_create(&volume, FS_ROOT, "open", 1, &node) == 0);
    CHECK(fs_write(&volume, node, 0, "abc", 3) == 3);
    uint32_t free_blocks = volume.super.free_blocks;
    CHECK(fs_unlink(&volume, FS_ROOT, "open") == 0);
    CHECK(fs_read(&volume, node, 1, text, 4) == 2 && memcmp(text, "bc", 2) == 0);
    fs_release(&volume, node);
    CHECK(volume.super.free_blocks == free_blocks + 1);
}

static void test_full(void)
{
    static uint8_t block[FS_BLOCK_SIZE];
    struct fs_node *node;
    uint32_t offset = 0;
    int count;
    CHECK(fs_create(&volume, FS_ROOT, "big", 1, &node) == 0);
    while ((count = fs_write(&volume, node, offset, block, sizeof block)) > 0)
        offset += (uint32_t)count;
    CHECK(count == -ENOSPC);
    CHECK(volume.super.free_blocks == 0);
    CHECK(offset > (BLOCKS - 100) * FS_BLOCK_SIZE);
    CHECK(put_file("other", "x", 1) == -ENOSPC);
    CHECK(fs_truncate(&volume, node, 700 * FS_BLOCK_SIZE + 10) == 0);
    CHECK(node->inode.size == 700 * FS_BLOCK_SIZE + 10);
    fs_release(&volume, node);
    check_volume();
    CHECK(fs_unlink(&volume, FS_ROOT, "big") == 0);
    CHECK(fs_unlink(&volume, FS_ROOT, "other") == 0);
}

#define FILES 6
#define SIZE_MAX_MODEL 100000u

static struct {
    int exists;
    uint32_t size;
    uint8_t data[SIZE_MAX_MODEL];
} model[FILES];

static void random_operation(void)
{
    static uint8_t buffer[SIZE_MAX_MODEL];
    int i = rand() % FILES;
    char path[8] = {'/', 'f', (char)('0' + i), 0};
    struct fs_node *node;
    uint32_t offset = (uint32_t)rand() % SIZE_MAX_MODEL;
    uint32_t size = (uint32_t)rand() % (rand() % 4 == 0 ? SIZE_MAX_MODEL - offset : 600);
    if (size > SIZE_MAX_MODEL - offset)
        size = SIZE_MAX_MODEL - offset;
    int error = fs_lookup(&volume, FS_ROOT, path, &node);
    CHECK(error == (model[i].exists ? 0 : -ENOENT));
    if (error != 0) {
        CHECK(fs_create(&volume, FS_ROOT, path, 1, &node) == 0);
        model[i].exists = 1;
        model[i].size = 0;
        memset(model[i].data, 0, SIZE_MAX_MODEL);
    }
    switch (rand() % 4) {
    case 0:
        for (uint32_t k = 0; k < size; k++)
            buffer[k] = (uint8_t)rand();
        CHECK(fs_write(&volume, node, offset, buffer, size) == (int)size);
        memcpy(model[i].data + offset, buffer, size);
        if (size > 0 && offset + size > model[i].size)
            model[i].size = offset + size;
        break;
    case 1:
        CHECK(fs_truncate(&volume, node, offset) == 0);
        if (offset < model[i].size)
            memset(model[i].data + offset, 0, model[i].size - offset);
        model[i].size = offset;
        break;
    case 2: {
        uint32_t expected = offset >= model[i].size ? 0 : model[i].size - offset;
        if (expected > size)
            expected = size;
        CHECK(fs_read(&volume, node, offset, buffer, size) == (int)expected);
        CHECK(memcmp(buffer, model[i].data + offset, expected) == 0);
        break;
    }
    default:
        CHECK(fs_unlink(&volume, FS_ROOT, path) == 0);
        model[i].exists = 0;
        break;
    }
    CHECK(node->inode.size == model[i].size);
    fs_release(&volume, node);
}

int main(void)
{
    struct fs_volume again;
    CHECK(fs_mount(&volume, &device, now_s) == -EINVAL);
    CHECK(fs_format(&volume, &device, 40, now_s) == 0);
    check_volume();
    test_names();
    check_volume();
    test_unlink_open();
    check_volume();
    test_full();
    check_volume();
    srand(1);
    for (int i = 0; i < 20000 && failures == 0; i++)
        random_operation();
    check_volume();
    CHECK(fs_mount(&again, &device, now_s) == 0);
    CHECK(memcmp(&again.super, &volume.super, sizeof again.super) == 0);
    printf("fs_test: %s\n", failures == 0 ? "passed" : "failed");
    return failures != 0;
}
