/* Directories: arrays of entries, a removed one leaves a free entry behind. */
#include <errno.h>
#include <string.h>

#include "internal.h"

/* Finds the entry of a name; stores its offset and contents. */
static int locate(struct fs_volume *volume, struct fs_node *directory, const char *name, uint32_t length,
                  uint32_t *offset, struct fs_entry *entry)
{
    uint32_t next = 0;
    int found;

    while ((found = fs_read_directory(volume, directory, &next, entry)) == 1) {
        if (entry->length == length && memcmp(entry->name, name, length) == 0) {
            *offset = next - sizeof *entry;
            return 0;
        }
    }
    return found < 0 ? found : -ENOENT;
}

static int put(struct fs_volume *volume, struct fs_node *directory, uint32_t offset, const struct fs_entry *entry)
{
    int written = fs_write(volume, directory, offset, entry, sizeof *entry);
    if (written < 0)
        return written;
    return written == sizeof *entry ? 0 : -EIO;
}

int fs_read_directory(struct fs_volume *volume, struct fs_node *node, uint32_t *offset, struct fs_entry *entry)
{
    if (node->inode.type != FS_TYPE_DIRECTORY)
        return -ENOTDIR;
    *offset = (*offset + sizeof *entry - 1) / sizeof *entry * sizeof *entry;
    for (;;) {
        int count = fs_read(volume, node, *offset, entry, sizeof *entry);
        if (count <= 0)
            return count;
        if (count != sizeof *entry || entry->length > FS_NAME_MAX)
            return -EIO;
        *offset += sizeof *entry;
        if (entry->inode != 0) {
            entry->name[entry->length] = '\0';
            return 1;
        }
    }
}

int fs_directory_find(struct fs_volume *volume, struct fs_node *directory, const char *name, uint32_t length,
                      uint32_t *number)
{
    struct fs_entry entry;
    uint32_t offset;
    int error = locate(volume, directory, name, length, &offset, &entry);
    *number = entry.inode;
    return error;
}

/* Offset of a free entry, or the directory's end. */
static int free_offset(struct fs_volume *volume, struct fs_node *directory, uint32_t *offset)
{
    struct fs_entry entry;

    for (*offset = 0; *offset < directory->inode.size; *offset += sizeof entry) {
        int count = fs_read(volume, directory, *offset, &entry, sizeof entry);
        if (count != sizeof entry)
            return count < 0 ? count : -EIO;
        if (entry.inode == 0)
            break;
    }
    return 0;
}

int fs_directory_add(struct fs_volume *volume, struct fs_node *directory, const char *name, uint32_t length,
                     uint32_t number)
{
    struct fs_entry entry = {.inode = number, .length = (uint8_t)length};
    uint32_t offset;

    if (length > FS_NAME_MAX)
        return -ENAMETOOLONG;
    if (directory->inode.links == 0)
        return -ENOENT;
    memcpy(entry.name, name, length);
    int error = free_offset(volume, directory, &offset);
    return error != 0 ? error : put(volume, directory, offset, &entry);
}

int fs_directory_remove(struct fs_volume *volume, struct fs_node *directory, const char *name, uint32_t length)
{
    return fs_directory_set(volume, directory, name, length, 0);
}

int fs_directory_set(struct fs_volume *volume, struct fs_node *directory, const char *name, uint32_t length,
                     uint32_t number)
{
    struct fs_entry entry;
    uint32_t offset;
    int error = locate(volume, directory, name, length, &offset, &entry);
    if (error != 0)
        return error;
    entry.inode = number;
    return put(volume, directory, offset, &entry);
}

int fs_directory_empty(struct fs_volume *volume, struct fs_node *directory)
{
    struct fs_entry entry;
    uint32_t offset = 0;
    int found;

    while ((found = fs_read_directory(volume, directory, &offset, &entry)) == 1)
        if (strcmp(entry.name, ".") != 0 && strcmp(entry.name, "..") != 0)
            return 0;
    return found < 0 ? found : 1;
}
