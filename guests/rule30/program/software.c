/* Lines by software: a byte a cell, and 32 cells a word. Cells outside of a line are 0. */
#include <string.h>

#include "lines.h"

void line_of_cells(const struct task *task, const void *from, void *to, bool first)
{
	const uint8_t *old = from;
	uint8_t *new = to;
	uint32_t neighbours = old[0], cell;

	(void)first;
	/* The three cells around the one in question, its left one the highest. */
	for (cell = 0; cell + 1 < task->length; cell++) {
		neighbours = (neighbours << 1 | old[cell + 1]) & 7;
		new[cell] = task->rule >> neighbours & 1;
	}
	new[cell] = task->rule >> (neighbours << 1 & 7) & 1;
}

/* 32 cells by any rule: those of the eight neighbourhoods that the rule names. */
static uint32_t any_rule(uint32_t rule, uint32_t left, uint32_t self, uint32_t right)
{
	uint32_t cells = 0, neighbours;

	for (neighbours = 0; neighbours < 8; neighbours++)
		if (rule >> neighbours & 1)
			cells |= (neighbours & 4 ? left : ~left) & (neighbours & 2 ? self : ~self) &
				 (neighbours & 1 ? right : ~right);
	return cells;
}

void line_of_bits(const struct task *task, const void *from, void *to, bool first)
{
	const uint32_t *old = from;
	uint32_t *new = to;
	uint32_t before = 0, self = old[0], word, rest = task->length % 32;

	(void)first;
	for (word = 0; word < task->words; word++) {
		uint32_t after = word + 1 < task->words ? old[word + 1] : 0;
		uint32_t left = self << 1 | before >> 31, right = self >> 1 | after << 31;

		new[word] = task->rule == 30 ? left ^ (self | right) : any_rule(task->rule, left, self, right);
		before = self;
		self = after;
	}
	if (rest)
		new[word - 1] &= ~0u >> (32 - rest);
}

void pack(const struct task *task, const uint8_t *cells, uint32_t *words)
{
	memset(words, 0, 4 * task->words);
	for (uint32_t cell = 0; cell < task->length; cell++)
		words[cell / 32] |= (uint32_t)cells[cell] << cell % 32;
}

void unpack(const struct task *task, const uint32_t *words, uint8_t *cells)
{
	for (uint32_t cell = 0; cell < task->length; cell++)
		cells[cell] = words[cell / 32] >> cell % 32 & 1;
}
