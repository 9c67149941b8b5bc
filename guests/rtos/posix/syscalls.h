/* System calls of the POSIX-like layer, as programs see them; <rtos/rtos.h> has the kernel's own. */
#ifndef POSIX_SYSCALLS_H
#define POSIX_SYSCALLS_H

#include <rtos/syscall.h>

#ifndef __ASSEMBLER__

#include <stdint.h>
#include <sys/stat.h>
#include <sys/time.h>

#define DIRECTORY_NAME_MAX 60

struct directory_entry {
    uint32_t inode;
    char name[DIRECTORY_NAME_MAX];
};

/* Sets of descriptors 0 to 31 as bits; what is ready comes back. */
struct select_request {
    uint32_t read;
    uint32_t write;
    int32_t timeout_us; /* Negative: for ever. */
};

struct spawn_request {
    const char *program;
    const char *const *arguments; /* NULL-terminated; the first is the program's name. */
    int descriptors[3];           /* The caller's that become 0, 1 and 2. */
};

struct volume_info {
    uint32_t block_size;
    uint32_t blocks;
    uint32_t free_blocks;
    uint32_t inodes;
    uint32_t free_inodes;
};

/* Statuses of ended processes: 0 to 255, or these. */
#define EXIT_BY_SIGNAL(signal) (0x100 + (signal))

void sys_exit(int status) __attribute__((noreturn));
int sys_open(const char *path, int flags);
int sys_close(int fd);
int sys_read(int fd, void *to, uint32_t size);
int sys_write(int fd, const void *from, uint32_t size);
int sys_seek(int fd, int32_t offset, int whence);
int sys_control(int fd, int request, void *argument);
int sys_status(int fd, struct stat *status);
int sys_status_of(const char *path, struct stat *status);
int sys_link(const char *from, const char *to);
int sys_unlink(const char *path);
int sys_rename(const char *from, const char *to);
int sys_make_directory(const char *path);
int sys_remove_directory(const char *path);
/* Stores the next entry of an open directory: 1, or 0 at the end. */
int sys_read_directory(int fd, struct directory_entry *entry);
/* Makes `to` stand for the same open file; with `to` negative, the lowest free descriptor from ~to on. */
int sys_duplicate(int fd, int to);
/* Returns the flags of an open file; changes those of `mask` first. */
int sys_set_flags(int fd, int mask, int flags);
int sys_select(struct select_request *request);
/* Sends SIGALRM after that many seconds, 0: not any more. Returns the seconds that were left. */
int sys_alarm(uint32_t seconds);
/* Returns the microseconds left when a signal came first, else 0. */
int sys_sleep(uint32_t duration_us);
/* Time since 1970. */
int sys_time(struct timeval *now);
int sys_set_time(const struct timeval *now);
int sys_process_id(void);
int sys_kill(int process, int signal);
/* Takes a pending signal of the caller; 0 when there is none. */
int sys_take_signal(void);
int sys_spawn(const struct spawn_request *request);
/* Waits for the end of a process and returns its status; with WAIT_NOW, -EAGAIN while it runs. */
int sys_wait(int process, uint32_t options);
#define WAIT_NOW 1u
int sys_volume_info(struct volume_info *info);
/* Stops the machine for good. */
int sys_halt(void);

#endif
#endif
