/* Open files of the file system. */
#include "fs_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "calls.h"
#include "clock.h"
#include "process.h"

struct fs_volume fs_root_volume;
static rtos_id lock;

void fs_lock(void)
{
    rtos_k_mutex_lock(lock, RTOS_WAIT_FOREVER);
}

void fs_unlock(void)
{
    rtos_k_mutex_unlock(lock);
}

int fs_root_mount(struct block_device *device, uint32_t files)
{
    lock = rtos_k_mutex_create(0);
    return lock < 0 ? -ENOMEM : fs_format(&fs_root_volume, device, files, clock_now_s);
}

static int fs_file_read(struct file *file, void *to, uint32_t size)
{
    struct fs_node *node = file->object;
    if (node->inode.type == FS_TYPE_DIRECTORY)
        return -EISDIR;
    fs_lock();
    int count = fs_read(&fs_root_volume, node, file->position, to, size);
    if (count > 0)
        file->position += (uint32_t)count;
    fs_unlock();
    return count;
}

static int fs_file_write(struct file *file, const void *from, uint32_t size)
{
    struct fs_node *node = file->object;
    fs_lock();
    if (file->flags & O_APPEND)
        file->position = node->inode.size;
    int count = fs_write(&fs_root_volume, node, file->position, from, size);
    if (count > 0)
        file->position += (uint32_t)count;
    fs_unlock();
    return count;
}

static int fs_file_seek(struct file *file, int32_t offset, int whence)
{
    const struct fs_node *node = file->object;
    int64_t base = whence == SEEK_SET   ? 0
                   : whence == SEEK_CUR ? (int64_t)file->position
                   : whence == SEEK_END ? (int64_t)node->inode.size
                                        : -1;
    if (base < 0 || base + offset < 0 || base + offset > (int64_t)FS_SIZE_MAX)
        return -EINVAL;
    file->position = (uint32_t)(base + offset);
    return (int)file->position;
}

void fs_file_status(const struct fs_node *node, struct stat *status)
{
    struct fs_status inner;
    fs_get_status(node, &inner);
    memset(status, 0, sizeof *status);
    status->st_ino = (ino_t)inner.inode;
    status->st_mode = inner.type == FS_TYPE_DIRECTORY ? S_IFDIR | 0777 : S_IFREG | 0666;
    status->st_nlink = inner.links;
    status->st_size = (off_t)inner.size;
    status->st_mtime = inner.modified_s;
    status->st_ctime = inner.modified_s;
    status->st_atime = inner.modified_s;
    status->st_blksize = FS_BLOCK_SIZE;
    status->st_blocks = (blkcnt_t)inner.blocks;
}

static int fs_file_get_status(struct file *file, struct stat *status)
{
    fs_lock();
    fs_file_status(file->object, status);
    fs_unlock();
    return 0;
}

static void fs_file_close(struct file *file)
{
    fs_lock();
    fs_release(&fs_root_volume, file->object);
    fs_unlock();
}

static const struct file_operations operations = {
    .read = fs_file_read,
    .write = fs_file_write,
    .seek = fs_file_seek,
    .status = fs_file_get_status,
    .close = fs_file_close,
};

static int find_or_create(const char *path, int flags, struct fs_node **node)
{
    if (!(flags & O_CREAT))
        return fs_lookup(&fs_root_volume, FS_ROOT, path, node);
    int error = fs_create(&fs_root_volume, FS_ROOT, path, (flags & O_EXCL) != 0, node);
    /* Opening the root with O_CREAT. */
    return error == -EEXIST && !(flags & O_EXCL) ? fs_lookup(&fs_root_volume, FS_ROOT, path, node) : error;
}

int fs_file_open(struct file *file, const char *path, int flags)
{
    struct fs_node *node;

    fs_lock();
    int error = find_or_create(path, flags, &node);
    if (error == 0) {
        if (node->inode.type == FS_TYPE_DIRECTORY && file_writable(file))
            error = -EISDIR;
        else if ((flags & O_TRUNC) && file_writable(file))
            error = fs_truncate(&fs_root_volume, node, 0);
        if (error != 0)
            fs_release(&fs_root_volume, node);
    }
    fs_unlock();
    if (error != 0)
        return error;
    file->operations = &operations;
    file->object = node;
    return 0;
}

int posix_read_directory(int fd, struct directory_entry *to)
{
    struct file *file = process_file(fd);
    struct fs_entry entry;

    if (file == NULL || file->operations != &operations)
        return file == NULL ? -EBADF : -ENOTDIR;
    if (!rtos_k_writable(to, sizeof *to))
        return -EFAULT;
    fs_lock();
    int found = fs_read_directory(&fs_root_volume, file->object, &file->position, &entry);
    fs_unlock();
    if (found == 1) {
        to->inode = entry.inode;
        memcpy(to->name, entry.name, entry.length + 1u);
    }
    return found;
}

int posix_volume_info(struct volume_info *info)
{
    const struct fs_superblock *super = &fs_root_volume.super;
    if (!rtos_k_writable(info, sizeof *info))
        return -EFAULT;
    fs_lock();
    info->block_size = super->block_size;
    info->blocks = super->block_count - super->data;
    info->free_blocks = super->free_blocks;
    info->inodes = super->inode_count - 1;
    info->free_inodes = super->free_inodes;
    fs_unlock();
    return 0;
}
