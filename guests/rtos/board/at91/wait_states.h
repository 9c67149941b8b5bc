/* Wait states of a 16-bit chip select for memory of a given cycle time at the board's clock, for C and assembler. */
#ifndef BOARD_AT91_WAIT_STATES_H
#define BOARD_AT91_WAIT_STATES_H

#include "ebi.h"

/* Cycles of MCK that cover the time, less the one that every access takes. */
#define BOARD_WAIT_STATES(cycle_ns) (((cycle_ns) * (BOARD_MCK_HZ / 1000) + 999999) / 1000000 - 1)

#ifndef BOARD_ROM_WAIT_STATES
#define BOARD_ROM_WAIT_STATES BOARD_WAIT_STATES(BOARD_ROM_CYCLE_NS)
#endif
#if BOARD_ROM_WAIT_STATES > 8
#error "the ROM is too slow for this clock"
#elif BOARD_ROM_WAIT_STATES > 0
#define BOARD_ROM_CSR_WAIT EBI_CSR_WAIT_STATES(BOARD_ROM_WAIT_STATES)
#else
#define BOARD_ROM_CSR_WAIT 0
#endif

#ifdef BOARD_RAM_CYCLE_NS
#ifndef BOARD_RAM_WAIT_STATES
#define BOARD_RAM_WAIT_STATES BOARD_WAIT_STATES(BOARD_RAM_CYCLE_NS)
#endif
#if BOARD_RAM_WAIT_STATES > 8
#error "the RAM is too slow for this clock"
#elif BOARD_RAM_WAIT_STATES > 0
#define BOARD_RAM_CSR_WAIT EBI_CSR_WAIT_STATES(BOARD_RAM_WAIT_STATES)
#else
#define BOARD_RAM_CSR_WAIT 0
#endif
#endif

#endif
