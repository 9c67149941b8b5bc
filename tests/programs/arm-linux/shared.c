/* What programs without MMU must do by other ways: threads with a lock and with variables of their own, a child that shares the memory, a pipe. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int total;
static __thread int own;

static void *count(void *times) {
    for (int i = 0; i < *(int *)times; i++) {
        pthread_mutex_lock(&lock);
        total++;
        pthread_mutex_unlock(&lock);
        own++;
    }
    return (void *)(long)own;
}

int main(int argc, char **argv) {
    int times = argc > 1 ? atoi(argv[1]) : 1000, ends[2], status;
    pthread_t threads[2];
    void *owns[2];
    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[i], 0, count, &times)) return 1;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], &owns[i]);
    printf("%d = %ld + %ld\n", total, (long)owns[0], (long)owns[1]);

    char word[8] = "";
    static volatile int seen;
    if (pipe(ends)) return 2;
    pid_t child = vfork();
    if (child == 0) {
        seen = 1;
        _exit(write(ends[1], "pipe", 4) == 4 ? 7 : 8);
    }
    waitpid(child, &status, 0);
    if (read(ends[0], word, 4) != 4) return 3;
    printf("%s %d %d\n", word, WEXITSTATUS(status), seen);
    return 0;
}
