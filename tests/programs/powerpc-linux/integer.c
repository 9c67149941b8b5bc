/* Integer instructions, by random operands: results, condition register and XER. */
#include "check.h"

enum { CASES = 2000 };

/* XER of the moment before: carry, overflow, summary at random. */
static uint32_t xer(void)
{
	return next_random() & 0xe0000000;
}

/* name, operands, as assembly with %0 result, %1 CR, %2 XER, %3 a, %4 b, %5 old result. */
#define FORM(name, text) \
	do { \
		begin(); \
		for (int n = 0; n < CASES; n++) { \
			uint32_t a = word(), b = word(), d = word(), c, x = xer(); \
			asm volatile("mtcr %5\n\tmtxer %2\n\t" text "\n\tmfcr %1\n\tmfxer %2" \
				     : "+r"(d), "=&r"(c), "+r"(x) : "r"(a), "r"(b), "r"(word()) : "cr0", "cr1", "cr2", \
				       "cr3", "cr4", "cr5", "cr6", "cr7", "xer"); \
			add(d), add(c), add(x); \
		} \
		end("integer", name); \
	} while (0)
#define THREE(name) FORM(#name, #name " %0,%3,%4")
#define TWO(name) FORM(#name, #name " %0,%3")
#define ALL_THREE(name) THREE(name); THREE(name.); THREE(name##o); THREE(name##o.)
#define ALL_TWO(name) TWO(name); TWO(name.); TWO(name##o); TWO(name##o.)
#define RECORDING(name) THREE(name); THREE(name.)
#define IMMEDIATE(name, value) FORM(#name " " #value, #name " %0,%3," #value)

static void division(void)
{
	begin();
	for (int n = 0; n < CASES; n++) {
		uint32_t a = word(), b = word(), q, u;
		/* Undefined otherwise. */
		if (!b || (a == 0x80000000 && b == 0xffffffff))
			continue;
		asm("divw %0,%2,%3\n\tdivwu %1,%2,%3" : "=&r"(q), "=&r"(u) : "r"(a), "r"(b));
		add(q), add(u);
	}
	end("integer", "divw");
}

static void rotation(void)
{
	IMMEDIATE(srawi, 0);
	IMMEDIATE(srawi., 31);
	FORM("rlwinm", "rlwinm. %0,%3,5,3,20");
	FORM("rlwinm wrapped", "rlwinm %0,%3,17,25,6");
	FORM("rlwimi", "rlwimi. %0,%3,9,4,11");
	FORM("rlwimi wrapped", "rlwimi %0,%3,9,20,2");
	FORM("rlwnm", "rlwnm. %0,%3,%4,8,30");
}

static void condition(void)
{
	FORM("cmpw", "cmpw cr3,%3,%4");
	FORM("cmplw", "cmplw cr7,%3,%4");
	FORM("cmpwi", "cmpwi cr1,%3,-1");
	FORM("cmplwi", "cmplwi cr1,%3,0x7fff");
	FORM("crand", "crand 3,17,30");
	FORM("crandc", "crandc 3,17,30");
	FORM("creqv", "creqv 3,17,30");
	FORM("crnand", "crnand 3,17,30");
	FORM("crnor", "crnor 3,17,30");
	FORM("cror", "cror 3,17,30");
	FORM("crorc", "crorc 3,17,30");
	FORM("crxor", "crxor 3,17,30");
	FORM("mcrf", "mcrf 2,7");
	FORM("mcrxr", "mcrxr 5");
	FORM("mtcrf", "mtcrf 0x5a,%3");
}

/* Addresses off alignment, byte-reversed, strings and multiples. */
static void memory(void)
{
	static unsigned char from[256], to[256];
	begin();
	for (int n = 0; n < CASES; n++) {
		unsigned char *source = from + next_random() % 64, *target = to + next_random() % 64;
		uint32_t a, b, count = next_random() % 17;
		for (int at = 0; at < 256; at += 4)
			*(uint32_t *)(from + at) = word();
		asm volatile("lwbrx %0,0,%2\n\tlhbrx %1,0,%2\n\tstwbrx %1,0,%3\n\tsthbrx %0,%3,%4"
			     : "=&r"(a), "=&r"(b) : "b"(source), "b"(target), "r"(8) : "memory");
		add(a), add(b);
		asm volatile("lwzu %0,3(%2)\n\tlhaux %1,%2,%4\n\tstwu %0,5(%3)\n\tsthux %1,%3,%4\n\tlha %0,1(%3)"
			     : "=&r"(a), "=&r"(b), "+b"(source), "+b"(target) : "r"(7) : "memory");
		add(a), add(b);
		asm volatile("mtxer %2\n\tlswx 5,0,%0\n\tstswx 5,0,%1\n\tlswi 5,%0,11\n\tstswi 5,%1,13"
			     :: "b"(source), "b"(target), "r"(count) : "memory", "xer", "r5", "r6", "r7", "r8");
		source = from + (source - from & ~3);
		target = to + (target - to & ~3);
		asm volatile("lmw 26,4(%0)\n\tstmw 27,8(%1)"
			     :: "b"(source), "b"(target) : "memory", "r26", "r27", "r28", "r29", "r30", "r31");
		for (int at = 0; at < 256; at += 4)
			add(*(uint32_t *)(to + at));
	}
	end("integer", "memory");
}

static void reservation(void)
{
	uint32_t place = 0;
	begin();
	for (int n = 0; n < CASES; n++) {
		uint32_t old, c;
		asm volatile("1: lwarx %0,0,%2\n\tadd %0,%0,%3\n\tstwcx. %0,0,%2\n\tbne- 1b\n\tstwcx. %3,0,%2\n\tmfcr %1"
			     : "=&r"(old), "=&r"(c) : "r"(&place), "r"(word()) : "cr0", "memory");
		add(old), add(c & 0xe0000000);
	}
	end("integer", "reservation");
}

int main(void)
{
	ALL_THREE(add); ALL_THREE(addc); ALL_THREE(adde); ALL_TWO(addme); ALL_TWO(addze);
	ALL_THREE(subf); ALL_THREE(subfc); ALL_THREE(subfe); ALL_TWO(subfme); ALL_TWO(subfze);
	ALL_TWO(neg); ALL_THREE(mullw); RECORDING(mulhw); RECORDING(mulhwu);
	IMMEDIATE(addic, -5); IMMEDIATE(addic., 77); IMMEDIATE(subfic, -9); IMMEDIATE(mulli, -321); IMMEDIATE(addis, 0x1234);
	RECORDING(and); RECORDING(andc); RECORDING(or); RECORDING(orc); RECORDING(xor); RECORDING(nand); RECORDING(nor);
	RECORDING(eqv); RECORDING(slw); RECORDING(srw); RECORDING(sraw);
	TWO(extsb.); TWO(extsh.); TWO(cntlzw.);
	IMMEDIATE(andi., 0x8421); IMMEDIATE(andis., 0xf00f); IMMEDIATE(oris, 0x55); IMMEDIATE(xori, 0xffff);
	division();
	rotation();
	condition();
	memory();
	reservation();
	return 0;
}
