/* The file system: files and directories with hard links on one block device. Calls return 0 (or a count), or -errno.
   Nothing here locks; the caller lets one task in at a time. */
#ifndef FS_FS_H
#define FS_FS_H

#include "../drivers/block.h"
#include "format.h"

#define FS_NODES_MAX 24
#define FS_PATH_MAX 256

/* An inode in use, one for all its users. */
struct fs_node {
    uint32_t number; /* 0: slot free. */
    uint32_t users;
    struct fs_inode inode;
};

struct fs_volume {
    struct block_device *device;
    struct fs_superblock super;
    uint32_t (*now_s)(void);
    struct fs_node nodes[FS_NODES_MAX];
};

struct fs_status {
    uint32_t inode;
    uint16_t type;
    uint16_t links;
    uint32_t size;
    uint32_t modified_s;
    uint32_t blocks;
};

/* Writes an empty file system with room for about `inode_count` files, and mounts it. */
int fs_format(struct fs_volume *volume, struct block_device *device, uint32_t inode_count, uint32_t (*now_s)(void));
/* Reads and checks the superblock. */
int fs_mount(struct fs_volume *volume, struct block_device *device, uint32_t (*now_s)(void));

/* Paths start at the root ("/a/b") or, without a slash, at directory `base`. */
int fs_lookup(struct fs_volume *volume, uint32_t base, const char *path, struct fs_node **node);
/* Creates a file, or gives the present one unless `exclusive`. */
int fs_create(struct fs_volume *volume, uint32_t base, const char *path, int exclusive, struct fs_node **node);
int fs_make_directory(struct fs_volume *volume, uint32_t base, const char *path);
int fs_remove_directory(struct fs_volume *volume, uint32_t base, const char *path);
int fs_link(struct fs_volume *volume, uint32_t base, const char *from, const char *to);
int fs_unlink(struct fs_volume *volume, uint32_t base, const char *path);
/* Renames; a file in the way is replaced, a directory in the way must be empty. */
int fs_rename(struct fs_volume *volume, uint32_t base, const char *from, const char *to);

/* Gives a node back; the last user of an unlinked file frees it. */
void fs_release(struct fs_volume *volume, struct fs_node *node);
int fs_read(struct fs_volume *volume, struct fs_node *node, uint32_t offset, void *to, uint32_t size);
int fs_write(struct fs_volume *volume, struct fs_node *node, uint32_t offset, const void *from, uint32_t size);
int fs_truncate(struct fs_volume *volume, struct fs_node *node, uint32_t size);
void fs_get_status(const struct fs_node *node, struct fs_status *status);
/* Stores the entry at or after byte `*offset` and moves the offset past it: 1, or 0 at the end. */
int fs_read_directory(struct fs_volume *volume, struct fs_node *node, uint32_t *offset, struct fs_entry *entry);

#endif
