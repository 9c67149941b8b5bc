/* Layout on the device, little-endian, in blocks of FS_BLOCK_SIZE bytes:
   superblock | bitmap of inodes | bitmap of blocks | table of inodes | data blocks.
   Directories are files of `struct fs_entry`. Inode 0 is never used, inode 1 is the root directory. */
#ifndef FS_FORMAT_H
#define FS_FORMAT_H

#include <stdint.h>

#define FS_MAGIC 0x31534652u /* "RFS1" */
#define FS_VERSION 1u
#define FS_BLOCK_SIZE 512u
#define FS_ROOT 1u
#define FS_DIRECT_BLOCKS 10u
#define FS_POINTERS (FS_BLOCK_SIZE / 4u)
#define FS_NAME_MAX 58u
#define FS_LINKS_MAX 0xffffu

#define FS_TYPE_FREE 0u
#define FS_TYPE_FILE 1u
#define FS_TYPE_DIRECTORY 2u

struct fs_superblock {
    uint32_t magic;
    uint32_t version;
    uint32_t block_size;
    uint32_t block_count;
    uint32_t inode_count;
    uint32_t inode_bitmap;  /* First block of each area. */
    uint32_t block_bitmap;
    uint32_t inode_table;
    uint32_t data;
    uint32_t free_blocks;
    uint32_t free_inodes;
};

struct fs_inode {
    uint16_t type;
    uint16_t links;
    uint32_t size;
    uint32_t modified_s; /* Since 1970. */
    uint32_t direct[FS_DIRECT_BLOCKS];
    uint32_t indirect;        /* Block of FS_POINTERS block numbers. */
    uint32_t double_indirect; /* Block of FS_POINTERS indirect blocks. */
    uint32_t reserved;
};
_Static_assert(sizeof(struct fs_inode) == 64, "inode layout");

struct fs_entry {
    uint32_t inode; /* 0: free. */
    uint8_t length;
    char name[FS_NAME_MAX + 1]; /* Terminated. */
};
_Static_assert(sizeof(struct fs_entry) == 64, "directory entry layout");

#define FS_SIZE_MAX ((FS_DIRECT_BLOCKS + FS_POINTERS + FS_POINTERS * FS_POINTERS) * FS_BLOCK_SIZE)

#endif
