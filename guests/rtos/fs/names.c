/* Operations on names: create, link, unlink, rename, make and remove directories. */
#include <errno.h>
#include <string.h>

#include "internal.h"

struct place {
    struct fs_node *directory;
    const char *name;
    uint32_t length;
};

static int find_place(struct fs_volume *volume, uint32_t base, const char *path, struct place *place)
{
    return fs_path_parent(volume, base, path, &place->directory, &place->name, &place->length);
}

static int is_dot(const struct place *place)
{
    return place->name[0] == '.' && (place->length == 1 || (place->length == 2 && place->name[1] == '.'));
}

/* The node at a place; -ENOENT without one. */
static int occupant(struct fs_volume *volume, const struct place *place, struct fs_node **node)
{
    uint32_t number;
    int error = fs_directory_find(volume, place->directory, place->name, place->length, &number);
    return error != 0 ? error : fs_node_get(volume, number, node);
}

static int add_links(struct fs_volume *volume, struct fs_node *node, int count)
{
    node->inode.links = (uint16_t)(node->inode.links + count);
    return fs_node_store(volume, node);
}

static int create_at(struct fs_volume *volume, const struct place *place, uint16_t type, struct fs_node **node)
{
    int error = fs_node_create(volume, type, node);
    if (error != 0)
        return error;
    if (type == FS_TYPE_DIRECTORY) {
        (*node)->inode.links = 1; /* Entries may be added only to a linked directory. */
        error = fs_directory_add(volume, *node, ".", 1, (*node)->number);
        if (error == 0)
            error = fs_directory_add(volume, *node, "..", 2, place->directory->number);
    }
    if (error == 0)
        error = fs_directory_add(volume, place->directory, place->name, place->length, (*node)->number);
    if (error != 0) {
        (*node)->inode.links = 0;
        fs_release(volume, *node);
        return error;
    }
    if (type == FS_TYPE_DIRECTORY)
        error = add_links(volume, place->directory, 1);
    int stored = add_links(volume, *node, 1);
    return error != 0 ? error : stored;
}

int fs_create(struct fs_volume *volume, uint32_t base, const char *path, int exclusive, struct fs_node **node)
{
    struct place place;
    int error = find_place(volume, base, path, &place);
    if (error != 0)
        return error;
    error = occupant(volume, &place, node);
    if (error == 0 && exclusive) {
        fs_release(volume, *node);
        error = -EEXIST;
    } else if (error == -ENOENT) {
        error = place.name[place.length] == '/' ? -EISDIR : create_at(volume, &place, FS_TYPE_FILE, node);
    }
    fs_release(volume, place.directory);
    return error;
}

int fs_make_directory(struct fs_volume *volume, uint32_t base, const char *path)
{
    struct place place;
    struct fs_node *node;
    int error = find_place(volume, base, path, &place);
    if (error != 0)
        return error;
    error = occupant(volume, &place, &node);
    if (error == 0)
        error = -EEXIST;
    else if (error == -ENOENT)
        error = create_at(volume, &place, FS_TYPE_DIRECTORY, &node);
    else
        node = NULL;
    if (error == 0 || error == -EEXIST)
        fs_release(volume, node);
    fs_release(volume, place.directory);
    return error;
}

/* Takes an entry away; a directory's own links go with it. */
static int remove_at(struct fs_volume *volume, const struct place *place, struct fs_node *node)
{
    int error = fs_directory_remove(volume, place->directory, place->name, place->length);
    if (error != 0)
        return error;
    if (node->inode.type == FS_TYPE_DIRECTORY) {
        error = add_links(volume, place->directory, -1);
        int stored = add_links(volume, node, -2);
        return error != 0 ? error : stored;
    }
    return add_links(volume, node, -1);
}

static int removable(struct fs_volume *volume, const struct place *place, struct fs_node *node, uint16_t type)
{
    if (node->inode.type != type)
        return type == FS_TYPE_DIRECTORY ? -ENOTDIR : -EISDIR;
    if (type == FS_TYPE_FILE)
        return 0;
    if (is_dot(place))
        return -EINVAL;
    int empty = fs_directory_empty(volume, node);
    return empty < 0 ? empty : empty == 1 ? 0 : -ENOTEMPTY;
}

static int remove_path(struct fs_volume *volume, uint32_t base, const char *path, uint16_t type)
{
    struct place place;
    struct fs_node *node;
    int error = find_place(volume, base, path, &place);
    if (error != 0)
        return error == -EEXIST ? (type == FS_TYPE_DIRECTORY ? -EBUSY : -EISDIR) : error;
    error = occupant(volume, &place, &node);
    if (error == 0) {
        error = removable(volume, &place, node, type);
        if (error == 0)
            error = remove_at(volume, &place, node);
        fs_release(volume, node);
    }
    fs_release(volume, place.directory);
    return error;
}

int fs_unlink(struct fs_volume *volume, uint32_t base, const char *path)
{
    return remove_path(volume, base, path, FS_TYPE_FILE);
}

int fs_remove_directory(struct fs_volume *volume, uint32_t base, const char *path)
{
    return remove_path(volume, base, path, FS_TYPE_DIRECTORY);
}

int fs_link(struct fs_volume *volume, uint32_t base, const char *from, const char *to)
{
    struct fs_node *node;
    struct fs_node *present;
    struct place place;
    int error = fs_lookup(volume, base, from, &node);
    if (error != 0)
        return error;
    if (node->inode.type == FS_TYPE_DIRECTORY)
        error = -EPERM;
    else if (node->inode.links == FS_LINKS_MAX)
        error = -EMLINK;
    else
        error = find_place(volume, base, to, &place);
    if (error == 0) {
        error = occupant(volume, &place, &present);
        if (error == 0) {
            fs_release(volume, present);
            error = -EEXIST;
        } else if (error == -ENOENT) {
            error = fs_directory_add(volume, place.directory, place.name, place.length, node->number);
            if (error == 0)
                error = add_links(volume, node, 1);
        }
        fs_release(volume, place.directory);
    }
    fs_release(volume, node);
    return error;
}

/* True when `directory` is `ancestor` or lies below it; a directory must not move into itself. */
static int lies_within(struct fs_volume *volume, struct fs_node *directory, uint32_t ancestor)
{
    uint32_t number = directory->number;

    while (number != ancestor && number != FS_ROOT) {
        struct fs_node *node;
        int error = fs_node_get(volume, number, &node);
        if (error != 0)
            return error;
        error = fs_directory_find(volume, node, "..", 2, &number);
        fs_release(volume, node);
        if (error != 0)
            return error;
    }
    return number == ancestor;
}

/* Moves a node from one place to another that is free. */
static int move(struct fs_volume *volume, struct fs_node *node, const struct place *from, const struct place *to)
{
    int error = fs_directory_add(volume, to->directory, to->name, to->length, node->number);
    if (error == 0)
        error = fs_directory_remove(volume, from->directory, from->name, from->length);
    if (error != 0 || node->inode.type != FS_TYPE_DIRECTORY || from->directory == to->directory)
        return error;
    error = fs_directory_set(volume, node, "..", 2, to->directory->number);
    if (error == 0)
        error = add_links(volume, from->directory, -1);
    return error != 0 ? error : add_links(volume, to->directory, 1);
}

static int rename_places(struct fs_volume *volume, struct fs_node *node, const struct place *from,
                         const struct place *to)
{
    struct fs_node *present;

    if (is_dot(from) || is_dot(to))
        return -EINVAL;
    if (node->inode.type == FS_TYPE_DIRECTORY) {
        int within = lies_within(volume, to->directory, node->number);
        if (within != 0)
            return within < 0 ? within : -EINVAL;
    }
    int error = occupant(volume, to, &present);
    if (error == -ENOENT)
        return move(volume, node, from, to);
    if (error != 0)
        return error;
    if (present != node) {
        error = removable(volume, to, present, node->inode.type);
        if (error == 0)
            error = remove_at(volume, to, present);
        if (error == 0)
            error = move(volume, node, from, to);
    }
    fs_release(volume, present);
    return error;
}

int fs_rename(struct fs_volume *volume, uint32_t base, const char *from, const char *to)
{
    struct place source;
    struct place target;
    struct fs_node *node;
    int error = find_place(volume, base, from, &source);
    if (error != 0)
        return error == -EEXIST ? -EBUSY : error;
    error = occupant(volume, &source, &node);
    if (error == 0) {
        error = find_place(volume, base, to, &target);
        if (error == 0) {
            error = rename_places(volume, node, &source, &target);
            fs_release(volume, target.directory);
        } else if (error == -EEXIST) {
            error = -EBUSY;
        }
        fs_release(volume, node);
    }
    fs_release(volume, source.directory);
    return error;
}
