// SPDX-License-Identifier: GPL-2.0
/* The character device; include/rule30.h says what its calls do. */
#include <linux/bitops.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/uaccess.h>

#include "engine.h"

static int rule30_open(struct inode *inode, struct file *file)
{
	if (test_and_set_bit_lock(0, &engine.opened))
		return -EBUSY;
	return 0;
}

static int rule30_release(struct inode *inode, struct file *file)
{
	engine_reset();
	clear_bit_unlock(0, &engine.opened);
	return 0;
}

static ssize_t rule30_write(struct file *file, const char __user *from, size_t count, loff_t *position)
{
	ssize_t result = count;

	if (mutex_lock_interruptible(&engine.lock))
		return -ERESTARTSYS;
	if (!engine.length || count != engine_line_bytes())
		result = -EINVAL;
	else if (engine.working)
		result = -EBUSY;
	else if (copy_from_user(engine.line, from, count))
		result = -EFAULT;
	else
		engine_put_line();
	mutex_unlock(&engine.lock);
	return result;
}

static ssize_t rule30_read(struct file *file, char __user *to, size_t count, loff_t *position)
{
	ssize_t result;

	if (mutex_lock_interruptible(&engine.lock))
		return -ERESTARTSYS;
	if (engine.working && count < engine_line_bytes()) {
		result = -EINVAL;
	} else {
		result = engine_finish(file->f_flags & O_NONBLOCK);
		if (!result) {
			engine_get_line();
			result = copy_to_user(to, engine.line, engine_line_bytes()) ? -EFAULT : engine_line_bytes();
		}
	}
	mutex_unlock(&engine.lock);
	return result;
}

/* All lines at one start, by the engine's own accesses to memory. */
static int run_by_dma(const struct rule30_packet *packet)
{
	size_t bytes = engine_line_bytes();
	int result;

	if (copy_from_user(engine.packet, u64_to_user_ptr(packet->input), bytes))
		return -EFAULT;
	engine_put(RULE30_CONTROL, engine_control(engine.flags) | RULE30_CONTROL_DMA_READ | RULE30_CONTROL_DMA_WRITE);
	engine_put(RULE30_LINES, packet->lines);
	engine_put(RULE30_SOURCE, engine.packet_address);
	engine_put(RULE30_DESTINATION, engine.packet_address + bytes);
	result = engine_start();
	if (!result)
		result = engine_finish(false);
	if (!result && copy_to_user(u64_to_user_ptr(packet->output), (u8 *)engine.packet + bytes, packet->lines * bytes))
		result = -EFAULT;
	engine_put(RULE30_LINES, 0);
	engine_put(RULE30_CONTROL, engine_control(engine.flags));
	return result;
}

static int run_by_lines(const struct rule30_packet *packet)
{
	u8 __user *to = u64_to_user_ptr(packet->output);
	size_t bytes = engine_line_bytes();
	u32 line;
	int result;

	if (copy_from_user(engine.line, u64_to_user_ptr(packet->input), bytes))
		return -EFAULT;
	for (line = 0; line < packet->lines; line++) {
		if (!line || !(engine.flags & RULE30_FLAG_LATCH))
			engine_put_line();
		result = engine_start();
		if (!result)
			result = engine_finish(false);
		if (result)
			return result;
		engine_get_line();
		if (copy_to_user(to + line * bytes, engine.line, bytes))
			return -EFAULT;
	}
	return 0;
}

static int run(const struct rule30_packet __user *from)
{
	struct rule30_packet packet;
	int result;

	if (copy_from_user(&packet, from, sizeof(packet)))
		return -EFAULT;
	if (!engine.length || !packet.lines || packet.lines > RULE30_LINES_MAX)
		return -EINVAL;
	if (engine.working)
		return -EBUSY;
	result = engine.flags & RULE30_FLAG_DMA ? run_by_dma(&packet) : run_by_lines(&packet);
	/* A signal may have come: the call starts again, from its first line. */
	if (engine.working)
		engine_abandon();
	return result;
}

static int set_flags(unsigned long flags)
{
	if (flags & ~(unsigned long)(RULE30_FLAG_INTERRUPT | RULE30_FLAG_LATCH | RULE30_FLAG_DMA))
		return -EINVAL;
	if (engine.working)
		return -EBUSY;
	if ((flags & RULE30_FLAG_INTERRUPT && engine.interrupt <= 0) || (flags & RULE30_FLAG_DMA && !engine.packet))
		return -EOPNOTSUPP;
	engine.flags = flags;
	engine_put(RULE30_CONTROL, engine_control(flags));
	return 0;
}

static int set_number(u32 *number, u32 offset, unsigned long value, u32 least, u32 most)
{
	if (value < least || value > most)
		return -EINVAL;
	if (engine.working)
		return -EBUSY;
	*number = value;
	engine_put(offset, value);
	return 0;
}

static int give_info(struct rule30_info __user *to)
{
	struct rule30_info info = {
		.address = engine.address,
		.version = engine_get(RULE30_VERSION),
		.hardware_irq = engine_get(RULE30_IRQ),
		.linux_irq = max(engine.interrupt, 0),
		.interrupts = engine.interrupts,
		.length = engine.length,
		.rule = engine.rule,
		.flags = engine.flags,
	};

	return copy_to_user(to, &info, sizeof(info)) ? -EFAULT : 0;
}

static long rule30_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	long result = 0;

	if (mutex_lock_interruptible(&engine.lock))
		return -ERESTARTSYS;
	switch (command) {
	case RULE30_IOC_SET_LENGTH:
		result = set_number(&engine.length, RULE30_LENGTH, argument, 1, CELLS_MAX);
		break;
	case RULE30_IOC_SET_RULE:
		result = set_number(&engine.rule, RULE30_RULE, argument, 0, 255);
		break;
	case RULE30_IOC_SET_FLAGS:
		result = set_flags(argument);
		break;
	case RULE30_IOC_START:
		result = engine_start();
		break;
	case RULE30_IOC_RESET:
		engine_reset();
		break;
	case RULE30_IOC_GET_INFO:
		result = give_info((struct rule30_info __user *)argument);
		break;
	case RULE30_IOC_RUN:
		result = run((const struct rule30_packet __user *)argument);
		break;
	default:
		result = -ENOTTY;
	}
	mutex_unlock(&engine.lock);
	return result;
}

static int rule30_mmap(struct file *file, struct vm_area_struct *area)
{
	if (area->vm_pgoff || area->vm_end - area->vm_start != PAGE_SIZE)
		return -EINVAL;
	area->vm_page_prot = pgprot_noncached(area->vm_page_prot);
	return io_remap_pfn_range(area, area->vm_start, PHYS_PFN(engine.address), PAGE_SIZE, area->vm_page_prot);
}

static const struct file_operations operations = {
	.owner = THIS_MODULE,
	.open = rule30_open,
	.release = rule30_release,
	.write = rule30_write,
	.read = rule30_read,
	.unlocked_ioctl = rule30_ioctl,
	.mmap = rule30_mmap,
	.llseek = noop_llseek,
};

struct miscdevice engine_file = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "rule30",
	.fops = &operations,
	.mode = 0666,
};
