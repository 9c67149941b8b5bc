#include "packets.h"

#include <stdio.h>
#include <string.h>

/* A packet's lines, and its first one in front of them, as the mode holds them. */
static union {
	uint8_t cells[LINES_MAX + 1][CELLS_MAX];
	uint32_t words[(LINES_MAX + 1) * WORDS_MAX];
} memory;
static uint32_t first_line[WORDS_MAX];

/* Each packet begins with cells of its own, the same on any machine. */
static void make_first_line(const struct task *task, uint32_t seed)
{
	uint32_t state = seed * 2654435761u + 1, rest = task->length % 32;

	for (uint32_t word = 0; word < task->words; word++) {
		/* The generator xorshift32 of G. Marsaglia. */
		state ^= state << 13;
		state ^= state >> 17;
		state ^= state << 5;
		first_line[word] = state;
	}
	if (rest)
		first_line[task->words - 1] &= ~0u >> (32 - rest);
}

/* Where line `line` of a packet stands; lines that nobody compares take turns in two places, as a program would do it. */
static void *place(const struct order *order, uint32_t line, bool kept)
{
	uint32_t row = kept ? line : line & 1;

	return order->mode->cells ? (void *)memory.cells[row] : (void *)&memory.words[row * order->task.words];
}

static void packed(const struct order *order, const void *line, uint32_t *words)
{
	if (order->mode->cells)
		pack(&order->task, line, words);
	else
		memcpy(words, line, 4 * order->task.words);
}

static void line_by_line(const struct order *order, bool kept, struct result *result)
{
	const struct task *task = &order->task;
	const struct mode *mode = order->mode;

	for (uint32_t line = 0; line < task->lines; line++) {
		const void *from = place(order, line, kept);
		void *to = place(order, line + 1, kept);
		uint64_t begin = order->times_lines ? now_ns() : 0;

		MARK(MARK_LINE_BEGINS, line);
		mode->line(task, from, to, line == 0);
		MARK(MARK_LINE_ENDS, line);
		if (order->times_lines)
			add(&result->line, now_ns() - begin);
	}
}

/* Compares a packet with the reference: a byte a cell, or for that mode 32 cells a word. */
static bool is_right(const struct order *order, uint32_t packet, struct result *result)
{
	const struct task *task = &order->task;
	static uint8_t cells[2][CELLS_MAX];
	static uint32_t wanted[2][WORDS_MAX], got[WORDS_MAX];

	memcpy(wanted[0], first_line, sizeof(first_line));
	unpack(task, first_line, cells[0]);
	for (uint32_t line = 0; line < task->lines; line++) {
		uint32_t old = line & 1, new = !old;

		if (order->mode->cells) {
			line_of_bits(task, wanted[old], wanted[new], false);
		} else {
			line_of_cells(task, cells[old], cells[new], false);
			pack(task, cells[new], wanted[new]);
		}
		packed(order, place(order, line + 1, true), got);
		for (uint32_t word = 0; word < task->words; word++) {
			if (got[word] == wanted[new][word])
				continue;
			fprintf(stderr, "rule30: packet %u line %u word %u is 0x%08x, should be 0x%08x\n", packet, line, word,
				got[word], wanted[new][word]);
			return false;
		}
		result->lines_checked++;
	}
	return true;
}

static void add_to_checksum(const struct order *order, const void *line, struct result *result)
{
	uint32_t words[WORDS_MAX];

	packed(order, line, words);
	/* FNV-1a over words. */
	for (uint32_t word = 0; word < order->task.words; word++)
		result->checksum = (result->checksum ^ words[word]) * 16777619u;
}

bool run_packets(const struct order *order, struct result *result)
{
	const struct task *task = &order->task;
	const struct mode *mode = order->mode;

	*result = (struct result){ .checksum = 2166136261u };
	if (mode->open)
		mode->open(task);
	result->begin = usage_begin();
	MARK(MARK_RUN_BEGINS, (uint32_t)(mode - modes));
	for (uint32_t packet = 0; packet < order->packets; packet++) {
		/* A packet at one call keeps all its lines anyway. */
		bool checked = packet < order->checked, kept = checked || mode->packet;
		uint64_t begin;

		make_first_line(task, order->seed + packet);
		if (mode->cells)
			unpack(task, first_line, place(order, 0, kept));
		else
			memcpy(place(order, 0, kept), first_line, 4 * task->words);
		begin = now_ns();
		MARK(MARK_PACKET_BEGINS, packet);
		if (mode->packet)
			mode->packet(task, place(order, 0, kept), place(order, 1, kept));
		else
			line_by_line(order, kept, result);
		MARK(MARK_PACKET_ENDS, packet);
		add(&result->packet, now_ns() - begin);
		if (checked && !is_right(order, packet, result))
			return false;
		add_to_checksum(order, place(order, task->lines, kept), result);
	}
	MARK(MARK_RUN_ENDS, 0);
	result->end = usage_end();
	return true;
}
