/* SPDX-License-Identifier: GPL-2.0 */
/* The engine: its registers, its interrupt, and a line of work on it. */
#ifndef ENGINE_H
#define ENGINE_H

#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/wait.h>

#include "rule30.h"
#include "rule30_registers.h"

#define WORDS_MAX 32
#define CELLS_MAX (32 * WORDS_MAX)

/* The one engine; all buffers are static. */
struct engine {
	struct device *device;
	void __iomem *registers;
	phys_addr_t address;
	int interrupt;
	unsigned long opened; /* bit 0 */
	struct mutex lock;    /* of what follows, but finished */
	wait_queue_head_t waiting;
	bool finished; /* set by the interrupt */
	u32 status;    /* as the interrupt found it */
	u32 interrupts;
	u32 length, rule, flags;
	bool working; /* started and not read yet */
	u32 line[WORDS_MAX];
	u32 *packet; /* for DMA: the first line and those that follow from it; NULL: no DMA */
	dma_addr_t packet_address;
};
extern struct engine engine;

/* The engine's registers are words in the byte order of the core. */
static inline u32 engine_get(u32 offset)
{
#ifdef __BIG_ENDIAN
	return ioread32be(engine.registers + offset);
#else
	return ioread32(engine.registers + offset);
#endif
}

static inline void engine_put(u32 offset, u32 value)
{
#ifdef __BIG_ENDIAN
	iowrite32be(value, engine.registers + offset);
#else
	iowrite32(value, engine.registers + offset);
#endif
}

/* The control register's value for flags of RULE30_IOC_SET_FLAGS. */
u32 engine_control(u32 flags);
void engine_reset(void);
/* Drops the line in work; length, rule and flags stay. */
void engine_abandon(void);
irqreturn_t engine_interrupt(int number, void *unused);
size_t engine_line_bytes(void);
/* To and from the static buffer engine.line. */
void engine_put_line(void);
void engine_get_line(void);
int engine_start(void);
/* Waits for what was started: 0, or an error of read. */
int engine_finish(bool at_once);

extern struct miscdevice engine_file;

#endif
