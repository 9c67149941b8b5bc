/* The file system as open files, and its lock. */
#ifndef POSIX_FS_FILE_H
#define POSIX_FS_FILE_H

#include "../fs/fs.h"
#include "file.h"

/* The mounted volume; lock it around every call. */
extern struct fs_volume fs_root_volume;
void fs_lock(void);
void fs_unlock(void);

/* Makes a file system on the device and mounts it as the root. */
int fs_root_mount(struct block_device *device, uint32_t files);
/* Makes `file` an open file of the path. */
int fs_file_open(struct file *file, const char *path, int flags);
/* The inode of a node as stat tells it. */
void fs_file_status(const struct fs_node *node, struct stat *status);

#endif
