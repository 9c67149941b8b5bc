/* Operands and sums for the programs that check a PowerPC. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* SplitMix64. */
static uint64_t seed = 1;
static inline uint64_t next_random(void)
{
	uint64_t mixed = seed += 0x9e3779b97f4a7c15u;
	mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
	mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
	return mixed ^ mixed >> 31;
}

/* A word that is often an interesting one. */
static inline uint32_t word(void)
{
	static const uint32_t words[] = { 0, 1, 2, 31, 32, 0x7fffffff, 0x80000000, 0xffffffff, 0x8000, 0xffff8000 };
	uint64_t random = next_random();
	return random & 3 ? random >> 32 : words[(random >> 8) % (sizeof words / 4)];
}

/* A double that is often an interesting one; never a signalling NaN when `quiet`. */
static inline uint64_t number(int quiet)
{
	static const uint64_t numbers[] = {
		0, 1ull << 63, 0x3ff0000000000000, 0xbff0000000000000, 0x7ff0000000000000, 0xfff0000000000000,
		0x7ff8000000000001, 0x7ff0000000000001, 1, 0x000fffffffffffff, 0x0010000000000000, 0x7fefffffffffffff,
		0x36a0000000000000, 0x380fffffe0000000, 0x47efffffe0000000, 0x41dfffffffc00000, 0xc1e0000000000000,
		0x3fefffffffffffff, 0x4340000000000000
	};
	uint64_t random = next_random();
	uint64_t bits = next_random();
	switch (random & 7) {
	case 0:
	case 1:
		bits = numbers[(random >> 8) % (sizeof numbers / 8)];
		break;
	case 2:
	case 3:
	case 4: /* near one */
		bits = (bits & 0x800fffffffffffff) | (0x3e0 + (random >> 8) % 0x40) << 52;
		break;
	case 5: /* a single */
		bits = (bits & 0x800fffffe0000000) | (0x3f0 + (random >> 8) % 0x20) << 52;
		break;
	}
	if (quiet && (bits & 0x7ff8000000000000) == 0x7ff0000000000000 && bits & 0x000fffffffffffff)
		bits |= 0x0008000000000000;
	return bits;
}

/* FNV-1a, word by word. */
static uint32_t sum;
static inline void add(uint32_t value)
{
	for (int byte = 0; byte < 4; byte++)
		sum = (sum ^ (value >> 8 * byte & 255)) * 16777619u;
}

static inline void add_double(uint64_t value)
{
	add(value >> 32);
	add(value);
}

static inline void begin(void)
{
	sum = 2166136261u;
}

static inline void end(const char *group, const char *name)
{
	printf("%s %s %08x\n", group, name, (unsigned)sum);
}
