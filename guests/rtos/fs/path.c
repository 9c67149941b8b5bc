/* Walking paths. */
#include <errno.h>
#include <string.h>

#include "internal.h"

static const char *skip_slashes(const char *path)
{
    while (*path == '/')
        path++;
    return path;
}

static uint32_t name_length(const char *path)
{
    uint32_t length = 0;
    while (path[length] != '\0' && path[length] != '/')
        length++;
    return length;
}

/* Replaces a directory by its entry of that name. */
static int step(struct fs_volume *volume, struct fs_node **node, const char *name, uint32_t length)
{
    uint32_t number;

    if (length > FS_NAME_MAX)
        return -ENAMETOOLONG;
    int error = fs_directory_find(volume, *node, name, length, &number);
    if (error != 0)
        return error;
    struct fs_node *next;
    error = fs_node_get(volume, number, &next);
    if (error != 0)
        return error;
    fs_release(volume, *node);
    *node = next;
    return 0;
}

/* Walks all names, or all but the last, which is then left in *rest. */
static int walk(struct fs_volume *volume, uint32_t base, const char *path, int keep_last, struct fs_node **node,
                const char **rest)
{
    if (*path == '\0')
        return -ENOENT;
    int error = fs_node_get(volume, *path == '/' ? FS_ROOT : base, node);
    if (error != 0)
        return error;
    path = skip_slashes(path);
    while (*path != '\0') {
        uint32_t length = name_length(path);
        const char *next = skip_slashes(path + length);
        if (keep_last && *next == '\0')
            break;
        error = step(volume, node, path, length);
        if (error != 0) {
            fs_release(volume, *node);
            return error;
        }
        path = next;
    }
    *rest = path;
    return 0;
}

int fs_lookup(struct fs_volume *volume, uint32_t base, const char *path, struct fs_node **node)
{
    const char *rest;
    size_t length = strlen(path);
    int error = walk(volume, base, path, 0, node, &rest);
    if (error == 0 && length > 0 && path[length - 1] == '/' && (*node)->inode.type != FS_TYPE_DIRECTORY) {
        fs_release(volume, *node);
        return -ENOTDIR;
    }
    return error;
}

int fs_path_parent(struct fs_volume *volume, uint32_t base, const char *path, struct fs_node **directory,
                   const char **name, uint32_t *length)
{
    int error = walk(volume, base, path, 1, directory, name);
    if (error != 0)
        return error;
    *length = name_length(*name);
    if ((*directory)->inode.type != FS_TYPE_DIRECTORY)
        error = -ENOTDIR;
    else if (*length > FS_NAME_MAX)
        error = -ENAMETOOLONG;
    else if (*length == 0)
        error = -EEXIST; /* The root itself. */
    if (error != 0)
        fs_release(volume, *directory);
    return error;
}
