/* From results of system calls to the C library's conventions. */
#ifndef POSIX_USER_RESULT_H
#define POSIX_USER_RESULT_H

/* Sets errno and gives -1 for a negative result. */
int user_result(int result);
/* After a call that gave -EINTR: does what the pending signals ask for; 1 when the call is to be made again. */
int user_interrupted(int result);

#define USER_RETRY(call)                     \
    ({                                       \
        int user_retry_result;               \
        do                                   \
            user_retry_result = (call);      \
        while (user_interrupted(user_retry_result)); \
        user_result(user_retry_result);      \
    })

#endif
