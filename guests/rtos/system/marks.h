/* Marks for the simulator: an instruction that does nothing on the core and that probes see. */
#ifndef SYSTEM_MARKS_H
#define SYSTEM_MARKS_H

/* Counting windows. */
#define MARK_WINDOW_START 1
#define MARK_WINDOW_END 2
/* The end of the system. */
#define MARK_HALT_SUCCESS 3
#define MARK_HALT_FAILURE 4

/* ARM `orr rN, rN, rN`, Thumb `orr rN, rN` (which sets flags), PowerPC `rlwimi rN, rN, 0, 0, 31`. */
#if defined(__powerpc__)
#define MARK_ENCODING(number) ".long 0x5000003e + 0x00210000 * " #number
#elif defined(__thumb__)
#define MARK_ENCODING(number) ".inst.n 0x4300 + 9 * " #number
#else
#define MARK_ENCODING(number) ".inst 0xe1800000 + 0x11001 * " #number
#endif
#define MARK_EXPANDED(number) __asm__ volatile(MARK_ENCODING(number) ::: "cc", "memory")
#define MARK(number) MARK_EXPANDED(number)

#endif
