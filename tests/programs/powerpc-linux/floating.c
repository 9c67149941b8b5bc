/* Floating-point instructions, in all rounding modes: results and the exceptions that were seen. */
#include "check.h"
#include <math.h>
#include <stdlib.h>

enum { CASES = 2000 };

/* OX, UX, ZX, XX and the causes of VX but VXISI, which some references set for a signalling NaN. */
#define SEEN 0x1f700700u

static double as_double(uint64_t bits)
{
	double value;
	memcpy(&value, &bits, 8);
	return value;
}

static uint64_t as_bits(double value)
{
	uint64_t bits;
	memcpy(&bits, &value, 8);
	return bits;
}

#define FORM(name, text, quiet, modes) \
	do { \
		begin(); \
		for (int n = 0; n < CASES; n++) { \
			double a = as_double(number(quiet)), b = as_double(number(quiet)), c = as_double(number(quiet)); \
			double d, control = as_double((uint64_t)(n & (modes)) | 0xfff8000000000000), status; \
			uint32_t field; \
			asm volatile("mtfsf 255,%3\n\t" text "\n\tmffs %1\n\tmfcr %2" \
				     : "=&f"(d), "=&f"(status), "=&r"(field) : "f"(control), "f"(a), "f"(b), "f"(c) : "cr0", \
				       "cr1", "cr3"); \
			add_double(as_bits(d)); \
			add((uint32_t)as_bits(status) & SEEN); \
		} \
		end("float", name); \
	} while (0)
#define THREE(name) FORM(#name, #name " %0,%4,%5", 0, 3)
#define TWO(name) FORM(#name, #name " %0,%4", 0, 3)
#define FOUR(name) FORM(#name, #name " %0,%4,%5,%6", 1, 3)
/* References negate before a directed rounding. */
#define NEGATED(name) FORM(#name, #name " %0,%4,%5,%6", 1, 0)

static void conversions(void)
{
	static const char *const names[] = { "fctiw", "fctiwz" };
	for (int which = 0; which < 2; which++) {
		begin();
		for (int n = 0; n < CASES; n++) {
			double a = as_double(number(0)), control = as_double(n & 3), d;
			asm volatile("mtfsf 255,%1" :: "f"(a), "f"(control));
			if (which)
				asm volatile("fctiwz %0,%1" : "=f"(d) : "f"(a));
			else
				asm volatile("fctiw %0,%1" : "=f"(d) : "f"(a));
			uint32_t low = (uint32_t)as_bits(d);
			/* The upper half is undefined. */
			add(low);
		}
		end("float", names[which]);
	}
	asm volatile("mtfsfi 7,0");
}

static void comparisons(void)
{
	begin();
	for (int n = 0; n < CASES; n++) {
		double a = as_double(number(1)), b = as_double(n & 1 ? number(1) : as_bits(a));
		uint32_t c;
		asm volatile("fcmpu cr3,%1,%2\n\tmfcr %0" : "=r"(c) : "f"(a), "f"(b) : "cr3");
		add(c & 0xf0000);
		asm volatile("fcmpo cr3,%1,%2\n\tmfcr %0" : "=r"(c) : "f"(a), "f"(b) : "cr3");
		add(c & 0xf0000);
		asm volatile("fcmpu cr3,%1,%2\n\tfsel %0,%1,%2,%3" : "=f"(a) : "f"(a), "f"(b), "f"(1.0) : "cr3");
		add_double(as_bits(a));
	}
	end("float", "comparisons");
}

static void singles(void)
{
	union { float value; uint32_t bits; } place;
	begin();
	for (int n = 0; n < CASES; n++) {
		uint32_t bits = n % 16 ? (uint32_t)next_random() : (uint32_t)next_random() & 0x807fffff;
		double d, e = as_double(number(1));
		place.bits = bits;
		asm volatile("lfs %0,%1" : "=f"(d) : "m"(place));
		add_double(as_bits(d));
		asm volatile("stfs %1,%0" : "=m"(place) : "f"(d));
		add(place.bits);
		asm volatile("stfiwx %1,0,%2" : "=m"(place) : "f"(e), "r"(&place));
		add(place.bits);
	}
	end("float", "singles");
}

/* Reading and printing. The functions of libm that set a rounding mode are left out: QEMU 7.2's 7400 does not know their form of mffs. */
static void library(void)
{
	for (int n = 0; n < 40; n++) {
		double a = (double)(int64_t)next_random() / (1ull << 58), b = fabs((double)(int64_t)next_random() / (1ull << 60));
		char text[64];
		snprintf(text, sizeof text, "%.17g", a);
		printf("library %s %a %d %.6f %g %a %ld\n", text, strtod(text, 0), strtod(text, 0) == a, a, b, sqrt(b), lrint(a));
	}
}

int main(void)
{
	THREE(fadd); THREE(fsub); FORM("fmul", "fmul %0,%4,%6", 0, 3); THREE(fdiv);
	THREE(fadds); THREE(fsubs); FORM("fmuls", "fmuls %0,%4,%6", 0, 3); THREE(fdivs);
	FOUR(fmadd); FOUR(fmsub); NEGATED(fnmadd); NEGATED(fnmsub);
	TWO(frsp); TWO(fmr); TWO(fneg); TWO(fabs); TWO(fnabs);
	conversions();
	comparisons();
	singles();
	library();
	return 0;
}
