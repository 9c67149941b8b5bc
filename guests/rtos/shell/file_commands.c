/* Commands on files. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "shell.h"

#define CHUNK 512

static int each(int count, char **words, int (*one)(const char *path))
{
    int status = 0;

    if (count < 2)
        return shell_failed(words[0], "missing file", -EINVAL);
    for (int i = 1; i < count; i++) {
        int error = one(words[i]);
        if (error < 0)
            status = shell_failed(words[0], words[i], error);
    }
    return status;
}

static void list_one(const char *name, const struct stat *status)
{
    print("%c %3u %9u  %s\n", S_ISDIR(status->st_mode) ? 'd' : S_ISCHR(status->st_mode) ? 'c' : '-',
          (unsigned)status->st_nlink, (unsigned)status->st_size, name);
}

static int list_directory(const char *path, int fd)
{
    struct directory_entry entry;
    struct stat status;
    char name[DIRECTORY_NAME_MAX + SHELL_LINE_MAX];
    int found;

    while ((found = sys_read_directory(fd, &entry)) == 1) {
        if (strcmp(entry.name, ".") == 0 || strcmp(entry.name, "..") == 0)
            continue;
        strcpy(name, path);
        strcat(name, "/");
        strcat(name, entry.name);
        int error = sys_status_of(name, &status);
        if (error != 0)
            return error;
        list_one(entry.name, &status);
    }
    return found;
}

static int list(const char *path)
{
    struct stat status;
    int error = sys_status_of(path, &status);
    if (error != 0)
        return error;
    if (!S_ISDIR(status.st_mode)) {
        list_one(path, &status);
        return 0;
    }
    int fd = sys_open(path, O_RDONLY);
    if (fd < 0)
        return fd;
    error = list_directory(path, fd);
    sys_close(fd);
    return error;
}

static int run_ls(int count, char **words)
{
    static char root[] = "/";
    char *all[] = {words[0], root, NULL};
    return count == 1 ? each(2, all, list) : each(count, words, list);
}

static int show(const char *path)
{
    char chunk[CHUNK];
    int count;
    int fd = sys_open(path, O_RDONLY);
    if (fd < 0)
        return fd;
    while ((count = sys_read(fd, chunk, sizeof chunk)) > 0)
        print_bytes(chunk, (uint32_t)count);
    sys_close(fd);
    return count;
}

static int run_cat(int count, char **words)
{
    return each(count, words, show);
}

static int copy(const char *from, const char *to)
{
    char chunk[CHUNK];
    int input = sys_open(from, O_RDONLY);
    if (input < 0)
        return input;
    int output = sys_open(to, O_WRONLY | O_CREAT | O_TRUNC);
    int count = output;
    while (output >= 0 && (count = sys_read(input, chunk, sizeof chunk)) > 0) {
        int written = sys_write(output, chunk, (uint32_t)count);
        if (written != count) {
            count = written < 0 ? written : -ENOSPC;
            break;
        }
    }
    if (output >= 0)
        sys_close(output);
    sys_close(input);
    return count;
}

static int run_cp(int count, char **words)
{
    int error = count == 3 ? copy(words[1], words[2]) : -EINVAL;
    return error < 0 ? shell_failed(words[0], count == 3 ? words[1] : "", error) : 0;
}

static int run_mv(int count, char **words)
{
    int error = count == 3 ? sys_rename(words[1], words[2]) : -EINVAL;
    return error < 0 ? shell_failed(words[0], count == 3 ? words[1] : "", error) : 0;
}

static int run_ln(int count, char **words)
{
    int error = count == 3 ? sys_link(words[1], words[2]) : -EINVAL;
    return error < 0 ? shell_failed(words[0], count == 3 ? words[1] : "", error) : 0;
}

static int run_rm(int count, char **words)
{
    return each(count, words, sys_unlink);
}

static int run_mkdir(int count, char **words)
{
    return each(count, words, sys_make_directory);
}

static int run_rmdir(int count, char **words)
{
    return each(count, words, sys_remove_directory);
}

const struct command file_commands[] = {
    {"ls", "[PATH ...]", "list files: kind, links, size, name", run_ls},
    {"cat", "FILE ...", "show files", run_cat},
    {"cp", "FROM TO", "copy a file", run_cp},
    {"mv", "FROM TO", "rename", run_mv},
    {"ln", "FROM TO", "give a file a second name", run_ln},
    {"rm", "FILE ...", "remove files", run_rm},
    {"mkdir", "PATH ...", "make directories", run_mkdir},
    {"rmdir", "PATH ...", "remove empty directories", run_rmdir},
    {NULL, NULL, NULL, NULL},
};
