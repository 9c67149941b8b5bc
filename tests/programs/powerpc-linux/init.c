/* The first process: lets idle cores nap, runs the programs that the kernel's command line names, and says when they are done. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char **arguments)
{
	mount("proc", "/proc", "proc", 0, 0);
	int nap = open("/proc/sys/kernel/powersave-nap", O_WRONLY);
	if (write(nap, "1", 1) != 1)
		printf("init: no nap\n");
	for (int n = 1; n < count; n++) {
		int status;
		if (!fork())
			execl(arguments[n], arguments[n], (char *)0);
		wait(&status);
		printf("init %s %x\n", arguments[n], status);
	}
	printf("init done\n");
	for (;;)
		pause();
}
