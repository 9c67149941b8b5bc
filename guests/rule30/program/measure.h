/* Times, and marks that a simulator sees. */
#ifndef MEASURE_H
#define MEASURE_H

#include <stdint.h>

/* Numbers of marks; each has an argument. */
enum {
	MARK_RUN_BEGINS = 1,    /* the mode's number in `modes` */
	MARK_RUN_ENDS = 2,      /* 0 */
	MARK_LINE_BEGINS = 3,   /* the line's number in its packet */
	MARK_LINE_ENDS = 4,     /* the same */
	MARK_PACKET_BEGINS = 5, /* the packet's number */
	MARK_PACKET_ENDS = 6,   /* the same */
};

/* An instruction that changes nothing and that no compiler emits; the argument stands in r3. Nothing at all on other machines. */
#ifdef __powerpc__
#define MARK(number, value)                                                                              \
	do {                                                                                             \
		register uint32_t argument __asm__("r3") = (value);                                      \
		__asm__ volatile("rlwimi %0,%0,0,0,31" ::"i"(number), "r"(argument) : "memory");         \
	} while (0)
#else
#define MARK(number, value) ((void)(value))
#endif

/* Least, sum and most of what was added. */
struct spread {
	uint64_t count, least, sum, most;
};
void add(struct spread *spread, uint64_t value);
void print_spread(const char *name, const struct spread *spread);

uint64_t now_ns(void);

/* Wall clock, user and system time of this process, in nanoseconds. */
struct usage {
	uint64_t wall_ns, user_ns, system_ns;
};
struct usage usage_begin(void);
struct usage usage_end(void);
void print_usage(const struct usage *begin, const struct usage *end);

#endif
