/* Lines of cells, and who computes them. */
#ifndef LINES_H
#define LINES_H

#include <stdbool.h>
#include <stdint.h>

enum { CELLS_MAX = 1024, WORDS_MAX = CELLS_MAX / 32, LINES_MAX = 128 };

/* What a run is about; the same for all modes. */
struct task {
	const char *device; /* the driver's file */
	uint64_t registers; /* physical address for /dev/mem; 0: mapped through the driver */
	uint32_t length;    /* cells of a line */
	uint32_t words;     /* of a packed line */
	uint32_t rule;
	uint32_t lines; /* of a packet */
};

/*
 * A way to compute lines. Lines are packed (cell i is bit i % 32 of word i / 32) unless `cells` is set: then a line is a byte a cell.
 * Functions exit with a message when the engine fails.
 */
struct mode {
	const char *name;
	const char *meaning;
	bool cells;
	void (*open)(const struct task *task); /* NULL: nothing to do */
	/* The line that follows from `from`; `first` at a packet's first line. */
	void (*line)(const struct task *task, const void *from, void *to, bool first);
	/* All lines of a packet at one call, one behind the other, or NULL: line by line. */
	void (*packet)(const struct task *task, const void *from, void *to);
};

extern const struct mode modes[];
const struct mode *find_mode(const char *name); /* NULL: there is none */

/* software.c */
void line_of_cells(const struct task *task, const void *from, void *to, bool first);
void line_of_bits(const struct task *task, const void *from, void *to, bool first);
void pack(const struct task *task, const uint8_t *cells, uint32_t *words);
void unpack(const struct task *task, const uint32_t *words, uint8_t *cells);

/* driver.c */
void open_driver(const struct task *task);
void open_driver_latched(const struct task *task);
void open_driver_polling(const struct task *task);
void open_driver_batch(const struct task *task);
void open_driver_dma(const struct task *task);
void line_by_driver(const struct task *task, const void *from, void *to, bool first);
void line_by_driver_latched(const struct task *task, const void *from, void *to, bool first);
void packet_by_driver(const struct task *task, const void *from, void *to);
int driver_file(const struct task *task);

/* mapped.c */
void open_mapped(const struct task *task);
void open_mapped_latched(const struct task *task);
void line_by_registers(const struct task *task, const void *from, void *to, bool first);
void line_by_registers_latched(const struct task *task, const void *from, void *to, bool first);

_Noreturn void fail(const char *what, const char *remedy);

#endif
