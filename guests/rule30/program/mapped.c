/* Lines by the engine, whose registers are mapped into the program. */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lines.h"
#include "rule30_registers.h"

/* Far more polls than the slowest line takes. */
enum { POLLS_MAX = 100000000 };

static volatile uint8_t *registers;

static void put(uint32_t offset, uint32_t value)
{
	*(volatile uint32_t *)(registers + offset) = value;
}

static uint32_t get(uint32_t offset)
{
	return *(volatile uint32_t *)(registers + offset);
}

/* Accesses before stay before those after. */
static void order(void)
{
#ifdef __powerpc__
	__asm__ volatile("eieio" ::: "memory");
#else
	__sync_synchronize();
#endif
}

static void set_up(const struct task *task, uint32_t control)
{
	int file = task->registers ? open("/dev/mem", O_RDWR | O_SYNC | O_CLOEXEC) : driver_file(task);
	void *page;

	if (file < 0)
		fail("/dev/mem", "the kernel needs CONFIG_DEVMEM, and the program needs root");
	page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)task->registers);
	if (page == MAP_FAILED)
		fail("registers", "the address of --registers must be that of a page");
	registers = page;
	put(RULE30_RESET, RULE30_RESET_RESET);
	order();
	put(RULE30_CONTROL, control);
	put(RULE30_RULE, task->rule);
	put(RULE30_LENGTH, task->length);
	order();
}

void open_mapped(const struct task *task) { set_up(task, 0); }
void open_mapped_latched(const struct task *task) { set_up(task, RULE30_CONTROL_LATCH); }

static void put_line(const struct task *task, const uint32_t *line)
{
	for (uint32_t word = 0; word < task->words; word++)
		put(RULE30_INPUT(word), line[word]);
}

static void compute(const struct task *task, uint32_t *line)
{
	uint32_t status, polls = 0;

	order();
	put(RULE30_START, RULE30_START_START);
	order();
	do
		status = get(RULE30_STATUS);
	while (!(status & (RULE30_STATUS_DONE | RULE30_STATUS_ERROR)) && ++polls < POLLS_MAX);
	if (!(status & RULE30_STATUS_DONE) || status & RULE30_STATUS_ERROR) {
		errno = status & RULE30_STATUS_ERROR ? EIO : ETIMEDOUT;
		fail("engine", "its status register tells an error, or it never finished");
	}
	order();
	for (uint32_t word = 0; word < task->words; word++)
		line[word] = get(RULE30_OUTPUT(word));
}

void line_by_registers(const struct task *task, const void *from, void *to, bool first)
{
	(void)first;
	put_line(task, from);
	compute(task, to);
}

void line_by_registers_latched(const struct task *task, const void *from, void *to, bool first)
{
	if (first)
		put_line(task, from);
	compute(task, to);
}
