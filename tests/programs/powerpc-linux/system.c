/* What a core and its kernel do together: faults, traps, emulation, threads, copies of pages, code that changes. */
#define _GNU_SOURCE
#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int failures;

static void check(const char *name, int holds)
{
	printf("system %s %s\n", name, holds ? "ok" : "FAILED");
	failures += !holds;
}

static sigjmp_buf recovery;
static volatile int caught, caught_code;
static void *volatile caught_address;

static void handler(int number, siginfo_t *info, void *context)
{
	(void)context;
	caught = number;
	caught_code = info->si_code;
	caught_address = info->si_addr;
	siglongjmp(recovery, 1);
}

/* Runs a statement that raises a signal. */
#define RAISES(statement, number, code) \
	({ \
		caught = 0; \
		if (!sigsetjmp(recovery, 1)) { statement; } \
		caught == (number) && caught_code == (code); \
	})

static void faults(void)
{
	int numbers[] = { SIGSEGV, SIGILL, SIGTRAP, SIGBUS, SIGFPE };
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
	for (int n = 0; n < 5; n++)
		sigaction(numbers[n], &action, 0);
	long page = sysconf(_SC_PAGESIZE);
	char *memory = mmap(0, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memset(memory, 7, 2 * page);
	volatile int *volatile nowhere = (void *)0x10;
	check("no page", RAISES(*nowhere = 1, SIGSEGV, SEGV_MAPERR) && caught_address == nowhere);
	mprotect(memory + page, page, PROT_READ);
	check("protected page", RAISES(memory[page + 5] = 1, SIGSEGV, SEGV_ACCERR) && caught_address == memory + page + 5);
	check("read of it", memory[page + 5] == 7);
	check("word across it", RAISES(*(volatile uint32_t *)(memory + page - 2) = 1, SIGSEGV, SEGV_ACCERR));
	check("nothing written", memory[page - 1] == 7);
	munmap(memory + page, page);
	check("page that is gone", RAISES((void)*(volatile char *)(memory + page), SIGSEGV, SEGV_MAPERR));
	check("illegal", RAISES(asm volatile(".long 0"), SIGILL, ILL_ILLOPC));
	check("privileged", RAISES(asm volatile("mtmsr 0"), SIGILL, ILL_PRVOPC));
	check("trap", RAISES(asm volatile("trap"), SIGTRAP, TRAP_BRKPT));
	uint32_t *odd = (uint32_t *)(memory + 1);
	check("reservation off alignment", RAISES(asm volatile("lwarx 0,0,%0" :: "r"(odd) : "r0"), SIGBUS, BUS_ADRALN));
	volatile double zero = 0, one = 1;
	feenableexcept(FE_DIVBYZERO);
	check("division by zero", RAISES(zero = one / zero, SIGFPE, FPE_FLTDIV));
	fedisableexcept(FE_ALL_EXCEPT);
	check("jump to data", RAISES(((void (*)(void))0x20)(), SIGSEGV, SEGV_MAPERR) && caught_address == (void *)0x20);
}

static void emulation(void)
{
	char bytes[64] __attribute__((aligned(32)));
	double value = 0;
	uint32_t a = 0, b = 0;
	for (int n = 0; n < 64; n++)
		bytes[n] = n;
	double expected;
	memcpy(&expected, bytes + 3, 8);
	asm volatile("lfd %0,0(%1)" : "=f"(value) : "b"(bytes + 3) : "memory");
	check("lfd off alignment", value == expected);
	asm volatile("stfd %0,0(%1)" :: "f"(value), "b"(bytes + 33) : "memory");
	check("stfd off alignment", !memcmp(bytes + 33, bytes + 3, 8));
	asm volatile("lmw 30,0(%2)\n\tmr %0,30\n\tmr %1,31" : "=r"(a), "=r"(b) : "b"(bytes + 1) : "r30", "r31", "memory");
	check("lmw off alignment", a == 0x01020304 && b == 0x05060708);
	asm volatile("mfpvr %0" : "=r"(a));
	check("version", a >> 16 == 0x8004 || a >> 16 == 0x000c);
}

static int counter, guarded;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* Registers of all kinds live through many switches. */
static void *work(void *argument)
{
	uint32_t number = (uintptr_t)argument, vector[4] __attribute__((aligned(16)));
	uintptr_t good = 1;
	for (uint32_t n = 0; n < 400; n++) {
		double d = number * 1000 + n, e;
		for (int k = 0; k < 4; k++)
			vector[k] = number << 16 | n << 2 | k;
		asm volatile("lvx 20,0,%0\n\tmtctr %1" :: "r"(vector), "r"(n) : "v20", "ctr");
		asm volatile("fmr 20,%0" :: "f"(d) : "fr20");
		__sync_fetch_and_add(&counter, 1);
		pthread_mutex_lock(&mutex);
		guarded++;
		pthread_mutex_unlock(&mutex);
		if (n % 8 == 0)
			sched_yield();
		asm volatile("fmr %0,20" : "=f"(e));
		good &= e == d;
		memset(vector, 0, 16);
	}
	return (void *)good;
}

static void threads(void)
{
	pthread_t all[4];
	int good = 1;
	for (uintptr_t n = 0; n < 4; n++)
		pthread_create(&all[n], 0, work, (void *)n);
	for (int n = 0; n < 4; n++) {
		void *result;
		pthread_join(all[n], &result);
		good &= result != 0;
	}
	check("threads", good && counter == 1600 && guarded == 1600);
}

/* Vector registers that one process holds while another uses them, over forks and signals. */
static void vectors(void)
{
	uint32_t in[4] __attribute__((aligned(16))) = { 1, 2, 3, 4 }, out[4] __attribute__((aligned(16)));
	asm volatile("lvx 31,0,%0" :: "r"(in) : "v31");
	pid_t child = fork();
	if (!child) {
		uint32_t other[4] __attribute__((aligned(16))) = { 9, 9, 9, 9 };
		asm volatile("lvx 31,0,%0" :: "r"(other) : "v31");
		for (int n = 0; n < 20; n++)
			sched_yield();
		_exit(0);
	}
	for (int n = 0; n < 20; n++)
		sched_yield();
	int status;
	waitpid(child, &status, 0);
	asm volatile("stvx 31,0,%0" :: "r"(out) : "memory");
	check("vectors over a fork", status == 0 && !memcmp(in, out, 16));
}

static void processes(void)
{
	static volatile int shared = 5;
	int ends[2], status, good = !pipe(ends);
	pid_t child = fork();
	if (!child) {
		shared = 6;
		int value = shared * 100;
		_exit(write(ends[1], &value, sizeof value) != sizeof value);
	}
	int value = 0;
	good &= read(ends[0], &value, sizeof value) == sizeof value;
	waitpid(child, &status, 0);
	check("copy of a page", good && value == 600 && shared == 5 && status == 0);
	child = fork();
	if (!child)
		abort();
	waitpid(child, &status, 0);
	check("child that aborts", WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

static void synchronize(void *address)
{
	asm volatile("dcbst 0,%0\n\tsync\n\ticbi 0,%0\n\tsync\n\tisync" :: "r"(address) : "memory");
}

static void changing_code(void)
{
	uint32_t *code = mmap(0, 8192, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint32_t *second = code + 1024 - 1;
	int (*call)(void) = (int (*)(void))code, (*across)(void) = (int (*)(void))second;
	int good = 1;
	for (int n = 0; n < 300; n++) {
		/* li r3, n; blr: and the same across a page's end. */
		code[0] = 0x38600000 | n;
		code[1] = 0x4e800020;
		second[0] = 0x38600000 | (n + 1000);
		second[1] = 0x4e800020;
		synchronize(code);
		synchronize(second);
		synchronize(second + 1);
		for (int times = 0; times < 40; times++)
			good &= call() == n && across() == n + 1000;
	}
	check("changing code", good);
}

static void clocks(void)
{
	struct timespec before, after, pause = { 0, 3000000 };
	clock_gettime(CLOCK_MONOTONIC, &before);
	nanosleep(&pause, 0);
	clock_gettime(CLOCK_MONOTONIC, &after);
	int64_t passed = (after.tv_sec - before.tv_sec) * 1000000000ll + after.tv_nsec - before.tv_nsec;
	check("a pause", passed >= 3000000 && passed < 1000000000);
	uint32_t high, low, again;
	uint64_t last = 0;
	int good = 1;
	for (int n = 0; n < 1000; n++) {
		do
			asm volatile("mftbu %0\n\tmftb %1\n\tmftbu %2" : "=r"(high), "=r"(low), "=r"(again));
		while (high != again);
		uint64_t now = (uint64_t)high << 32 | low;
		good &= now >= last;
		last = now;
	}
	check("time base", good);
}

int main(void)
{
	setvbuf(stdout, 0, _IOLBF, 0);
	faults();
	emulation();
	threads();
	vectors();
	processes();
	changing_code();
	clocks();
	printf("system failures %d\n", failures);
	return failures != 0;
}
