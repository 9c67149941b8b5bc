/* Lines by the engine, through its driver. */
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lines.h"
#include "rule30.h"

static int file = -1;

int driver_file(const struct task *task)
{
	int opened = open(task->device, O_RDWR | O_CLOEXEC);

	if (opened < 0)
		fail(task->device, "load the driver, insmod rule30.ko base=ADDRESS; one process at a time has the device");
	return opened;
}

static void set_up(const struct task *task, unsigned flags)
{
	file = driver_file(task);
	if (ioctl(file, RULE30_IOC_SET_LENGTH, task->length) || ioctl(file, RULE30_IOC_SET_RULE, task->rule))
		fail("length and rule", "the driver takes 1 to 1024 cells and rules 0 to 255");
	if (ioctl(file, RULE30_IOC_SET_FLAGS, flags))
		fail("mode of the engine", "the engine has no interrupt, or no DMA: try another mode");
}

void open_driver(const struct task *task) { set_up(task, RULE30_FLAG_INTERRUPT); }
void open_driver_latched(const struct task *task) { set_up(task, RULE30_FLAG_INTERRUPT | RULE30_FLAG_LATCH); }
void open_driver_polling(const struct task *task) { set_up(task, 0); }
void open_driver_batch(const struct task *task) { set_up(task, RULE30_FLAG_LATCH); }
void open_driver_dma(const struct task *task) { set_up(task, RULE30_FLAG_INTERRUPT | RULE30_FLAG_DMA); }

static void put(const struct task *task, const void *line)
{
	if (write(file, line, 4 * task->words) < 0)
		fail("write", "the driver's messages say more: dmesg");
}

static void compute(const struct task *task, void *line)
{
	if (ioctl(file, RULE30_IOC_START))
		fail("start", "the driver's messages say more: dmesg");
	if (read(file, line, 4 * task->words) < 0)
		fail("read", "the driver's messages say more: dmesg");
}

void line_by_driver(const struct task *task, const void *from, void *to, bool first)
{
	(void)first;
	put(task, from);
	compute(task, to);
}

void line_by_driver_latched(const struct task *task, const void *from, void *to, bool first)
{
	if (first)
		put(task, from);
	compute(task, to);
}

void packet_by_driver(const struct task *task, const void *from, void *to)
{
	struct rule30_packet packet = { .input = (uintptr_t)from, .output = (uintptr_t)to, .lines = task->lines };

	if (ioctl(file, RULE30_IOC_RUN, &packet))
		fail("packet", "the driver's messages say more: dmesg");
}
