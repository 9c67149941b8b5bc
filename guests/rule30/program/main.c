/* Computes packets of lines of a cellular automaton in one of several ways, and tells how long that took. */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "packets.h"

const struct mode modes[] = {
	{ "char", "software, a byte a cell: the reference", true, NULL, line_of_cells, NULL },
	{ "bit", "software, 32 cells a word", false, NULL, line_of_bits, NULL },
	{ "hw", "driver: write, start, read; the engine interrupts", false, open_driver, line_by_driver, NULL },
	{ "hwo", "driver: start, read; the engine takes its output as its input", false, open_driver_latched, line_by_driver_latched, NULL },
	{ "hw-mmap", "registers mapped into the program, which polls", false, open_mapped, line_by_registers, NULL },
	{ "hw-poll", "driver: write, start, read; the driver polls", false, open_driver_polling, line_by_driver, NULL },
	{ "hw-batch", "driver: one call a packet; the driver polls, output is taken as input", false, open_driver_batch, NULL, packet_by_driver },
	{ "hw-dma", "driver: one call and one interrupt a packet; the engine writes to memory", false, open_driver_dma, NULL, packet_by_driver },
	{ "hwo-mmap", "registers mapped, polled; output is taken as input", false, open_mapped_latched, line_by_registers_latched, NULL },
	{ NULL, NULL, false, NULL, NULL, NULL },
};

const struct mode *find_mode(const char *name)
{
	for (const struct mode *mode = modes; mode->name; mode++)
		if (!strcmp(mode->name, name))
			return mode;
	return NULL;
}

void fail(const char *what, const char *remedy)
{
	fprintf(stderr, "rule30: %s: %s (%s)\n", what, strerror(errno), remedy);
	exit(1);
}

static _Noreturn void usage(const char *problem)
{
	if (problem)
		fprintf(stderr, "rule30: %s\n", problem);
	fprintf(stderr, "usage: rule30 MODE LENGTH PACKETS LINES [options]\n"
			"  LENGTH cells a line, 1 to 1024; LINES of a packet, 1 to 128\n"
			"  --check N            compare the first N packets line by line with another way to compute them (default 1)\n"
			"  --rule N             0 to 255 (default 30)\n"
			"  --seed N             of the packets' first lines (default 1)\n"
			"  --cpu N              stay on this core (default 0; -1: anywhere)\n"
			"  --no-line-times      read the clock around packets only\n"
			"  --device FILE        of the driver (default /dev/rule30)\n"
			"  --registers ADDRESS  map the registers from /dev/mem at this physical address, without the driver\n"
			"modes:\n");
	for (const struct mode *mode = modes; mode->name; mode++)
		fprintf(stderr, "  %-9s %s\n", mode->name, mode->meaning);
	exit(2);
}

static unsigned long long number(const char *text, const char *name, unsigned long long least, unsigned long long most)
{
	char *end, problem[128];
	unsigned long long value;

	errno = 0;
	value = strtoull(text, &end, 0);
	if (errno || *end || end == text || *text == '-' || value < least || value > most) {
		snprintf(problem, sizeof(problem), "%s is %.40s, must be %llu to %llu", name, text, least, most);
		usage(problem);
	}
	return value;
}

static void stay_on(int core)
{
	cpu_set_t cores;

	CPU_ZERO(&cores);
	CPU_SET(core, &cores);
	if (sched_setaffinity(0, sizeof(cores), &cores))
		fail("--cpu", "there is no such core: try --cpu 0, or --cpu -1 for any");
}

int main(int count, char **arguments)
{
	static const struct option options[] = {
		{ "check", required_argument, NULL, 'c' },     { "rule", required_argument, NULL, 'r' },
		{ "seed", required_argument, NULL, 's' },      { "cpu", required_argument, NULL, 'p' },
		{ "no-line-times", no_argument, NULL, 't' },   { "device", required_argument, NULL, 'd' },
		{ "registers", required_argument, NULL, 'm' }, { NULL, 0, NULL, 0 },
	};
	struct order order = { .task = { .device = "/dev/rule30", .rule = 30 }, .checked = 1, .seed = 1, .times_lines = true };
	struct result result;
	int option, core = 0;

	while ((option = getopt_long(count, arguments, "", options, NULL)) != -1) {
		switch (option) {
		case 'c': order.checked = number(optarg, "--check", 0, UINT32_MAX); break;
		case 'r': order.task.rule = number(optarg, "--rule", 0, 255); break;
		case 's': order.seed = number(optarg, "--seed", 0, UINT32_MAX); break;
		case 'p': core = strcmp(optarg, "-1") ? (int)number(optarg, "--cpu", 0, CPU_SETSIZE - 1) : -1; break;
		case 't': order.times_lines = false; break;
		case 'd': order.task.device = optarg; break;
		case 'm': order.task.registers = number(optarg, "--registers", 1, UINT64_MAX); break;
		default: usage(NULL);
		}
	}
	if (count - optind != 4)
		usage("MODE LENGTH PACKETS LINES are needed");
	order.mode = find_mode(arguments[optind]);
	if (!order.mode)
		usage("there is no such mode");
	order.task.length = number(arguments[optind + 1], "LENGTH", 1, CELLS_MAX);
	order.task.words = (order.task.length + 31) / 32;
	order.packets = number(arguments[optind + 2], "PACKETS", 1, UINT32_MAX);
	order.task.lines = number(arguments[optind + 3], "LINES", 1, LINES_MAX);
	if (core >= 0)
		stay_on(core);

	if (!run_packets(&order, &result))
		return 1;
	printf("mode %s length %u packets %u lines %u rule %u seed %u\n", order.mode->name, order.task.length, order.packets,
	       order.task.lines, order.task.rule, order.seed);
	print_spread("line", &result.line);
	print_spread("packet", &result.packet);
	print_usage(&result.begin, &result.end);
	printf("checked: %llu lines\nchecksum: %08x\nok\n", (unsigned long long)result.lines_checked, result.checksum);
	return 0;
}
