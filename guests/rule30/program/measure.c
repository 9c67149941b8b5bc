#include "measure.h"

#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

void add(struct spread *spread, uint64_t value)
{
	if (!spread->count || value < spread->least)
		spread->least = value;
	if (value > spread->most)
		spread->most = value;
	spread->count++;
	spread->sum += value;
}

void print_spread(const char *name, const struct spread *spread)
{
	if (!spread->count)
		return;
	printf("%s_ns: min %llu mean %.1f max %llu count %llu\n", name, (unsigned long long)spread->least,
	       (double)spread->sum / spread->count, (unsigned long long)spread->most, (unsigned long long)spread->count);
}

uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

static uint64_t nanoseconds(struct timeval time)
{
	return time.tv_sec * 1000000000ull + time.tv_usec * 1000ull;
}

/* User and system time; the kernel books them when it switches to another task, so this one sleeps for a moment. */
static struct rusage spent(void)
{
	struct timespec moment = { .tv_nsec = 1 };
	struct rusage spent;

	nanosleep(&moment, NULL);
	getrusage(RUSAGE_SELF, &spent);
	return spent;
}

struct usage usage_begin(void)
{
	struct rusage before = spent();

	return (struct usage){ now_ns(), nanoseconds(before.ru_utime), nanoseconds(before.ru_stime) };
}

struct usage usage_end(void)
{
	uint64_t wall_ns = now_ns();
	struct rusage after = spent();

	return (struct usage){ wall_ns, nanoseconds(after.ru_utime), nanoseconds(after.ru_stime) };
}

void print_usage(const struct usage *begin, const struct usage *end)
{
	printf("total_ns: %llu user %llu system %llu\n", (unsigned long long)(end->wall_ns - begin->wall_ns),
	       (unsigned long long)(end->user_ns - begin->user_ns), (unsigned long long)(end->system_ns - begin->system_ns));
}
