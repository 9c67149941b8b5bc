/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Character device of the cellular automaton engine: /dev/rule30.
 *
 * A line of LENGTH cells is ceil(LENGTH / 32) words of 32 bits in the byte order of the core; cell i is bit i % 32 of word i / 32.
 * One process at a time has the device open (EBUSY for the others); closing it resets the engine.
 *
 *   write   puts one line into the engine's input. EINVAL: not a line's size, or no length is set; EBUSY: a line is in work.
 *   read    waits for the line that was started and takes it. EINVAL: the buffer is smaller than a line; ENODATA: nothing was started;
 *           ETIMEDOUT: the engine did not finish (the line is dropped); EIO: the engine found an error; EAGAIN: not finished, and O_NONBLOCK.
 *   mmap    maps the page of registers. EINVAL: not this one page from offset 0.
 */
#ifndef RULE30_H
#define RULE30_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* The length of a line in cells, 1 to 1024 (the argument itself). EINVAL outside; EBUSY while a line is in work. */
#define RULE30_IOC_SET_LENGTH _IO('3', 0)
/* The rule, 0 to 255 (the argument itself). EINVAL outside; EBUSY while a line is in work. */
#define RULE30_IOC_SET_RULE _IO('3', 1)
/* How the engine is used: flags below (the argument itself). EINVAL: unknown ones; EOPNOTSUPP: the engine has not what they need. */
#define RULE30_IOC_SET_FLAGS _IO('3', 2)
/* Starts a line. EINVAL: no length is set; EBUSY: a line is in work. */
#define RULE30_IOC_START _IO('3', 3)
/* Resets the engine; length, rule and flags are to be set anew. */
#define RULE30_IOC_RESET _IO('3', 4)
/* Tells about engine and driver. */
#define RULE30_IOC_GET_INFO _IOR('3', 5, struct rule30_info)
/* Computes a packet: line after line, each from the one before. Errors as those of write and read, and EFAULT. */
#define RULE30_IOC_RUN _IOW('3', 6, struct rule30_packet)

/* read sleeps until the engine interrupts, instead of polling its status. */
#define RULE30_FLAG_INTERRUPT 1u
/* The engine copies each line to its input, so that the next start needs no write. */
#define RULE30_FLAG_LATCH 2u
/* RULE30_IOC_RUN has the engine compute all lines at one start and write them to memory. */
#define RULE30_FLAG_DMA 4u

/* The most lines that RULE30_IOC_RUN takes. */
#define RULE30_LINES_MAX 128

struct rule30_info {
	__u64 address;      /* physical, of the registers */
	__u32 version;      /* the engine's version register */
	__u32 hardware_irq; /* the engine's irq register: the number at the interrupt controller */
	__u32 linux_irq;    /* the kernel's number of it; 0: none */
	__u32 interrupts;   /* taken since the driver was bound */
	__u32 length;
	__u32 rule;
	__u32 flags;
	__u32 reserved;
};

struct rule30_packet {
	__u64 input;  /* address of the first line */
	__u64 output; /* address of the lines that follow from it, one behind the other */
	__u32 lines;  /* 1 to RULE30_LINES_MAX */
	__u32 reserved;
};

#endif
