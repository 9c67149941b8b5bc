/* What the files of the file system share among themselves. */
#ifndef FS_INTERNAL_H
#define FS_INTERNAL_H

#include "fs.h"

/* bitmap.c: takes the first clear bit of a bitmap; its number, or -ENOSPC. */
int64_t fs_bitmap_take(struct fs_volume *volume, uint32_t first_block, uint32_t count);
int fs_bitmap_give(struct fs_volume *volume, uint32_t first_block, uint32_t number);
int fs_store_superblock(struct fs_volume *volume);

/* block_map.c */
enum fs_map_mode {
    FS_MAP_FIND,      /* Block 0 for a hole. */
    FS_MAP_ZERO,      /* Fill a hole with a block of zeros. */
    FS_MAP_OVERWRITE, /* Fill a hole with a block that the caller writes in full. */
};
/* Finds the block of a file's block index. */
int fs_block_map(struct fs_volume *volume, struct fs_node *node, uint32_t index, enum fs_map_mode mode,
                 uint32_t *block);
/* Frees all blocks from a block index on. */
int fs_block_unmap(struct fs_volume *volume, struct fs_node *node, uint32_t first_index);

/* node.c */
int fs_node_get(struct fs_volume *volume, uint32_t number, struct fs_node **node);
int fs_node_create(struct fs_volume *volume, uint16_t type, struct fs_node **node);
int fs_node_store(struct fs_volume *volume, struct fs_node *node);

/* directory.c: names are `length` bytes, not terminated. */
int fs_directory_find(struct fs_volume *volume, struct fs_node *directory, const char *name, uint32_t length,
                      uint32_t *number);
int fs_directory_add(struct fs_volume *volume, struct fs_node *directory, const char *name, uint32_t length,
                     uint32_t number);
int fs_directory_remove(struct fs_volume *volume, struct fs_node *directory, const char *name, uint32_t length);
int fs_directory_set(struct fs_volume *volume, struct fs_node *directory, const char *name, uint32_t length,
                     uint32_t number);
/* 1 when it holds only "." and "..". */
int fs_directory_empty(struct fs_volume *volume, struct fs_node *directory);

/* path.c: the directory that holds the path's last name, and that name. */
int fs_path_parent(struct fs_volume *volume, uint32_t base, const char *path, struct fs_node **directory,
                   const char **name, uint32_t *length);

#endif
