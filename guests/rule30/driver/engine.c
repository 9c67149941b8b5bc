// SPDX-License-Identifier: GPL-2.0
/* The engine at its registers. */
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/sched/signal.h>

#include "engine.h"

struct engine engine;

static uint timeout_ms = 1000;
module_param(timeout_ms, uint, 0644);
MODULE_PARM_DESC(timeout_ms, "how long a line may take");

static size_t line_words(void)
{
	return DIV_ROUND_UP(engine.length, 32);
}

size_t engine_line_bytes(void)
{
	return 4 * line_words();
}

u32 engine_control(u32 flags)
{
	return (flags & RULE30_FLAG_INTERRUPT ? RULE30_CONTROL_IRQ_ENABLE : 0) |
	       (flags & RULE30_FLAG_LATCH ? RULE30_CONTROL_LATCH : 0);
}

void engine_reset(void)
{
	engine_put(RULE30_RESET, RULE30_RESET_RESET);
	engine.length = 0;
	engine.rule = engine_get(RULE30_RULE);
	engine.flags = 0;
	engine.working = false;
}

void engine_abandon(void)
{
	u32 length = engine.length, rule = engine.rule, flags = engine.flags;

	engine_reset();
	engine.length = length;
	engine.rule = rule;
	engine.flags = flags;
	engine_put(RULE30_LENGTH, length);
	engine_put(RULE30_RULE, rule);
	engine_put(RULE30_CONTROL, engine_control(flags));
}

irqreturn_t engine_interrupt(int number, void *unused)
{
	u32 status = engine_get(RULE30_STATUS);

	if (!(status & RULE30_STATUS_DONE))
		return IRQ_NONE;
	/* Takes the interrupt back. */
	engine_put(RULE30_STATUS, RULE30_STATUS_DONE);
	engine.status = status;
	engine.interrupts++;
	smp_store_release(&engine.finished, true);
	wake_up_interruptible(&engine.waiting);
	return IRQ_HANDLED;
}

static bool is_finished(void)
{
	if (engine.flags & RULE30_FLAG_INTERRUPT)
		return smp_load_acquire(&engine.finished);
	engine.status = engine_get(RULE30_STATUS);
	return engine.status & RULE30_STATUS_DONE;
}

int engine_start(void)
{
	if (!engine.length)
		return -EINVAL;
	if (engine.working)
		return -EBUSY;
	engine.finished = false;
	engine.working = true;
	engine_put(RULE30_START, RULE30_START_START);
	return 0;
}

int engine_finish(bool at_once)
{
	unsigned long end = jiffies + msecs_to_jiffies(timeout_ms);
	long left = 1;

	if (!engine.working)
		return -ENODATA;
	if (at_once && !is_finished())
		return -EAGAIN;
	if (engine.flags & RULE30_FLAG_INTERRUPT) {
		left = wait_event_interruptible_timeout(engine.waiting, is_finished(), msecs_to_jiffies(timeout_ms));
		if (left < 0)
			return left;
	} else {
		while (!is_finished() && left) {
			if (signal_pending(current))
				return -ERESTARTSYS;
			if (time_after(jiffies, end))
				left = 0;
			cond_resched();
		}
	}
	if (!left) {
		dev_warn(engine.device, "no end of a line of %u cells after %u ms\n", engine.length, timeout_ms);
		engine_abandon();
		return -ETIMEDOUT;
	}
	engine.working = false;
	return engine.status & RULE30_STATUS_ERROR ? -EIO : 0;
}

void engine_put_line(void)
{
	size_t word, words = line_words();

	for (word = 0; word < words; word++)
		engine_put(RULE30_INPUT(word), engine.line[word]);
}

void engine_get_line(void)
{
	size_t word, words = line_words();

	for (word = 0; word < words; word++)
		engine.line[word] = engine_get(RULE30_OUTPUT(word));
}
