/* What the cores of the mixed system on chip have together. */
#ifndef BOARD_MIXED_SHARED_H
#define BOARD_MIXED_SHARED_H

#define BOARD_SHARED_BASE 0x00F00000
#define BOARD_SPINLOCK_BASE 0xE0000000
#define BOARD_MAILBOX_BASE 0xE0001000
/* Of each core's interrupt controller. */
#define BOARD_LINE_MAILBOX 9

#endif
