/* Sizes of the POSIX layer's tables; each may be set by the build. */
#ifndef POSIX_TABLES_H
#define POSIX_TABLES_H

#ifndef POSIX_FILES_MAX
#define POSIX_FILES_MAX 24 /* Open files of all processes. */
#endif
#ifndef POSIX_DESCRIPTORS_MAX
#define POSIX_DESCRIPTORS_MAX 16 /* Of one process. */
#endif
#ifndef POSIX_PROCESSES_MAX
#define POSIX_PROCESSES_MAX 4
#endif
#ifndef POSIX_ARGUMENTS_MAX
#define POSIX_ARGUMENTS_MAX 16
#endif
#ifndef POSIX_ARGUMENT_BYTES
#define POSIX_ARGUMENT_BYTES 256
#endif
#ifndef POSIX_KERNEL_STACK_SIZE
#define POSIX_KERNEL_STACK_SIZE 2048 /* Bytes of a process's stack for system calls. */
#endif

#endif
