/* Register blocks of the AT91X40 series (Atmel data sheet 1354), one header a block; this one gathers them. */
#ifndef BOARD_AT91_REGISTERS_H
#define BOARD_AT91_REGISTERS_H

#include "aic.h"
#include "ebi.h"
#include "pio.h"
#include "ps.h"
#include "sf.h"
#include "tc.h"
#include "usart.h"
#include "wd.h"

#endif
