/* System calls that change names. */
#include <errno.h>

#include "calls.h"
#include "fs_file.h"

static int on_path(const char *path, int (*change)(struct fs_volume *volume, uint32_t base, const char *path))
{
    if (!rtos_k_string_readable(path, POSIX_PATH_MAX))
        return -EFAULT;
    fs_lock();
    int error = change(&fs_root_volume, FS_ROOT, path);
    fs_unlock();
    return error;
}

static int on_paths(const char *from, const char *to,
                    int (*change)(struct fs_volume *volume, uint32_t base, const char *from, const char *to))
{
    if (!rtos_k_string_readable(from, POSIX_PATH_MAX) || !rtos_k_string_readable(to, POSIX_PATH_MAX))
        return -EFAULT;
    fs_lock();
    int error = change(&fs_root_volume, FS_ROOT, from, to);
    fs_unlock();
    return error;
}

int posix_unlink(const char *path)
{
    return on_path(path, fs_unlink);
}

int posix_make_directory(const char *path)
{
    return on_path(path, fs_make_directory);
}

int posix_remove_directory(const char *path)
{
    return on_path(path, fs_remove_directory);
}

int posix_link(const char *from, const char *to)
{
    return on_paths(from, to, fs_link);
}

int posix_rename(const char *from, const char *to)
{
    return on_paths(from, to, fs_rename);
}
