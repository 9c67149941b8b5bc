/* AltiVec instructions, by random operands: results and what saturated. */
#include "check.h"

enum { CASES = 500 };

typedef uint32_t quad[4] __attribute__((aligned(16)));

/* An element of a vector of numbers, neither denormalised nor a signalling NaN. */
static uint32_t single(void)
{
	uint32_t bits = next_random();
	switch (next_random() & 7) {
	case 0:
		return bits & 0x80000000;
	case 1:
		return (bits & 0x80000000) | 0x7f800000;
	case 2:
		return bits | 0x7fc00000;
	default:
		return (bits & 0x807fffff) | (96 + bits % 61) << 23;
	}
}

static void fill(quad target, int numbers)
{
	for (int n = 0; n < 4; n++)
		target[n] = numbers ? single() : word();
}

#define FORM(name, text, numbers) \
	do { \
		begin(); \
		for (int n = 0; n < CASES; n++) { \
			quad a, b, c, d, s = { 0, 0, 0, 0x10000 }; \
			uint32_t field; \
			fill(a, numbers), fill(b, numbers), fill(c, numbers), fill(d, numbers); \
			asm volatile("crclr 24\n\tcrclr 25\n\tcrclr 26\n\tcrclr 27\n\tlvx 0,0,%5\n\tmtvscr 0\n\tlvx 1,0,%1\n\tlvx 2,0,%2\n\tlvx 3,0,%3\n\tlvx 4,0,%4\n\t" text \
				     "\n\tstvx 4,0,%4\n\tmfvscr 0\n\tstvx 0,0,%5\n\tmfcr %0" \
				     : "=r"(field) : "r"(a), "r"(b), "r"(c), "r"(d), "r"(s) \
				     : "memory", "cr6", "v0", "v1", "v2", "v3", "v4"); \
			add(d[0]), add(d[1]), add(d[2]), add(d[3]), add(s[3]), add(field & 0xf0); \
		} \
		end("vector", name); \
	} while (0)
#define TWO(name) FORM(#name, #name " 4,1,2", 0)
#define ONE(name) FORM(#name, #name " 4,2", 0)
#define THREE(name) FORM(#name, #name " 4,1,2,3", 0)
#define FLOAT_ONE(name) FORM(#name, #name " 4,2", 1)
#define FLOAT_TWO(name) FORM(#name, #name " 4,1,2", 1)
#define FLOAT_THREE(name) FORM(#name, #name " 4,1,3,2", 1)
#define IMMEDIATE(name, value) FORM(#name " " #value, #name " 4," value, 0)

static void arithmetic(void)
{
	TWO(vaddubm); TWO(vaddubs); TWO(vadduhm); TWO(vadduhs); TWO(vadduwm); TWO(vadduws); TWO(vaddsbs); TWO(vaddshs);
	TWO(vaddsws); TWO(vaddcuw); TWO(vsububm); TWO(vsububs); TWO(vsubuhm); TWO(vsubuhs); TWO(vsubuwm); TWO(vsubuws);
	TWO(vsubsbs); TWO(vsubshs); TWO(vsubsws); TWO(vsubcuw); TWO(vavgub); TWO(vavguh); TWO(vavguw); TWO(vavgsb);
	TWO(vavgsh); TWO(vavgsw); TWO(vmaxub); TWO(vmaxuh); TWO(vmaxuw); TWO(vmaxsb); TWO(vmaxsh); TWO(vmaxsw);
	TWO(vminub); TWO(vminuh); TWO(vminuw); TWO(vminsb); TWO(vminsh); TWO(vminsw);
	TWO(vmuleub); TWO(vmuleuh); TWO(vmulesb); TWO(vmulesh); TWO(vmuloub); TWO(vmulouh); TWO(vmulosb); TWO(vmulosh);
	THREE(vmladduhm); THREE(vmhaddshs); THREE(vmhraddshs); THREE(vmsumubm); THREE(vmsummbm); THREE(vmsumuhm);
	THREE(vmsumuhs); THREE(vmsumshm); THREE(vmsumshs);
	TWO(vsumsws); TWO(vsum2sws); TWO(vsum4ubs); TWO(vsum4sbs); TWO(vsum4shs);
	TWO(vand); TWO(vandc); TWO(vor); TWO(vnor); TWO(vxor);
	TWO(vrlb); TWO(vrlh); TWO(vrlw); TWO(vslb); TWO(vslh); TWO(vslw); TWO(vsrb); TWO(vsrh); TWO(vsrw);
	TWO(vsrab); TWO(vsrah); TWO(vsraw); TWO(vslo); TWO(vsro);
}

static void comparisons(void)
{
	TWO(vcmpequb.); TWO(vcmpequh.); TWO(vcmpequw.); TWO(vcmpgtub.); TWO(vcmpgtuh.); TWO(vcmpgtuw.); TWO(vcmpgtsb.);
	TWO(vcmpgtsh.); TWO(vcmpgtsw.); FLOAT_TWO(vcmpeqfp.); FLOAT_TWO(vcmpgefp.); FLOAT_TWO(vcmpgtfp.); FLOAT_TWO(vcmpbfp.);
}

static void moves(void)
{
	TWO(vmrghb); TWO(vmrghh); TWO(vmrghw); TWO(vmrglb); TWO(vmrglh); TWO(vmrglw);
	TWO(vpkuhum); TWO(vpkuwum); TWO(vpkuhus); TWO(vpkuwus); TWO(vpkshus); TWO(vpkswus); TWO(vpkshss); TWO(vpkswss); TWO(vpkpx);
	ONE(vupkhsb); ONE(vupkhsh); ONE(vupkhpx); ONE(vupklsb); ONE(vupklsh); ONE(vupklpx);
	THREE(vperm); THREE(vsel); IMMEDIATE(vsldoi, "1,2,5"); IMMEDIATE(vspltb, "2,3"); IMMEDIATE(vsplth, "2,3");
	IMMEDIATE(vspltw, "2,3"); IMMEDIATE(vspltisb, "-7"); IMMEDIATE(vspltish, "9"); IMMEDIATE(vspltisw, "-16");
}

static void floats(void)
{
	FLOAT_TWO(vaddfp); FLOAT_TWO(vsubfp); FLOAT_TWO(vmaxfp); FLOAT_TWO(vminfp); FLOAT_THREE(vmaddfp); FLOAT_THREE(vnmsubfp);
	FLOAT_ONE(vrfin); FLOAT_ONE(vrfiz); FLOAT_ONE(vrfip); FLOAT_ONE(vrfim);
	FORM("vctsxs", "vctsxs 4,2,3", 1); FORM("vctuxs", "vctuxs 4,2,3", 1); FORM("vcfsx", "vcfsx 4,2,5", 0);
	FORM("vcfux", "vcfux 4,2,5", 0);
}

static void memory(void)
{
	begin();
	for (int n = 0; n < CASES; n++) {
		static unsigned char bytes[64] __attribute__((aligned(16)));
		for (int at = 0; at < 64; at++)
			bytes[at] = next_random();
		unsigned char *place = bytes + next_random() % 32;
		asm volatile("lvx 1,0,%0\n\tlvx 2,%0,%1\n\tlvsl 3,0,%0\n\tvperm 4,1,2,3\n\tlvsr 5,0,%0\n\tvperm 1,4,4,5\n\t"
			     "stvebx 1,0,%0\n\tstvehx 2,%0,%2\n\tstvewx 4,%0,%3\n\tlvebx 1,0,%0\n\tstvx 4,%0,%1"
			     :: "b"(place), "r"(15), "r"(6), "r"(11) : "memory", "v1", "v2", "v3", "v4", "v5");
		for (int at = 0; at < 64; at++)
			add(bytes[at]);
	}
	end("vector", "memory");
}

int main(void)
{
	arithmetic();
	comparisons();
	moves();
	floats();
	memory();
	return 0;
}
