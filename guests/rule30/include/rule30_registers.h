/* Registers of: Rule 30 cellular automaton engine. Made by `socscope device header`; do not edit. */
#ifndef RULE30_REGISTERS_H
#define RULE30_REGISTERS_H

/* read-only, 0x100 at reset: Says which engine this is and what it can. */
#define RULE30_VERSION 0x000
#define RULE30_VERSION_MINOR 0xff /* Minor version. */
#define RULE30_VERSION_MINOR_SHIFT 0
#define RULE30_VERSION_MAJOR 0xff00 /* Major version: 1. */
#define RULE30_VERSION_MAJOR_SHIFT 8
#define RULE30_VERSION_BATCH 0x10000 /* Extension: LINES is there. */
#define RULE30_VERSION_DMA 0x20000 /* Extension: SOURCE, DESTINATION and their bits of CONTROL are there. */

/* read-write, 0x0 at reset: Options. */
#define RULE30_CONTROL 0x004
#define RULE30_CONTROL_IRQ_ENABLE 0x1 /* DONE raises the interrupt. */
#define RULE30_CONTROL_LATCH 0x2 /* The output is copied to the input when it is done, for chained lines. */
#define RULE30_CONTROL_DMA_READ 0x4 /* START reads the input from memory at SOURCE (extension DMA). */
#define RULE30_CONTROL_DMA_WRITE 0x8 /* Output lines are written to memory at DESTINATION (extension DMA). */

/* read-write, 0x0 at reset: How far the engine is. */
#define RULE30_STATUS 0x008
#define RULE30_STATUS_BUSY 0x1 /* It works. */
#define RULE30_STATUS_DONE 0x2 /* It has finished since START; a one takes the interrupt back. */
#define RULE30_STATUS_ERROR 0x4 /* A START was refused, or DMA has failed. */

/* write-only, 0x0 at reset: Resets the engine. */
#define RULE30_RESET 0x00c
#define RULE30_RESET_RESET 0x1 /* Drops the line in work, gives every register its reset value. */

/* read-only, 0x0 at reset: Number of the interrupt at the interrupt controller, 0 without one. */
#define RULE30_IRQ 0x010

/* read-write, 0x1e at reset: The rule, encoded in bits. */
#define RULE30_RULE 0x014
#define RULE30_RULE_RULE 0xff /* Bit 4 * left + 2 * self + right is the new cell. */
#define RULE30_RULE_RULE_SHIFT 0

/* read-write, 0x0 at reset: Cells of a line, 1 to 1024. */
#define RULE30_LENGTH 0x018

/* write-only, 0x0 at reset: Starts the engine. */
#define RULE30_START 0x01c
#define RULE30_START_START 0x1 /* Computes, and takes DONE and ERROR back. */

/* read-write, 0x0 at reset: Chained lines of a START (extension BATCH). */
#define RULE30_LINES 0x020
#define RULE30_LINES_LINES 0xfff /* Number of lines; 0 counts as 1. */
#define RULE30_LINES_LINES_SHIFT 0

/* read-write, 0x0 at reset: Where the input line is in memory (extension DMA). */
#define RULE30_SOURCE 0x024
#define RULE30_SOURCE_ADDRESS 0xfffffffc /* Address of a word. */
#define RULE30_SOURCE_ADDRESS_SHIFT 2

/* read-write, 0x0 at reset: Where output lines go, one behind the other (extension DMA). */
#define RULE30_DESTINATION 0x028
#define RULE30_DESTINATION_ADDRESS 0xfffffffc /* Address of a word. */
#define RULE30_DESTINATION_ADDRESS_SHIFT 2

/* write-only, 0x0 at reset: The line; cell 0 is bit 0 of the first word. */
#define RULE30_INPUT(n) (0x080 + 4 * (n))
#define RULE30_INPUT_COUNT 32

/* read-only, 0x0 at reset: The next line; bits behind its end are 0. */
#define RULE30_OUTPUT(n) (0x100 + 4 * (n))
#define RULE30_OUTPUT_COUNT 32

#endif /* RULE30_REGISTERS_H */
