/* Packets of lines: made, computed, measured, compared. */
#ifndef PACKETS_H
#define PACKETS_H

#include "lines.h"
#include "measure.h"

struct order {
	const struct mode *mode;
	struct task task;
	uint32_t packets;
	uint32_t checked; /* this many packets, the first ones, are compared line by line with the reference */
	uint32_t seed;
	bool times_lines; /* read the clock around each line */
};

struct result {
	struct spread line, packet; /* nanoseconds */
	struct usage begin, end;
	uint64_t lines_checked;
	uint32_t checksum; /* over the last line of each packet */
};

/* Computes all packets. False when a line differs from the reference, which is told on standard error. */
bool run_packets(const struct order *order, struct result *result);

#endif
