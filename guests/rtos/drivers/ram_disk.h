/* A disk in memory. */
#ifndef DRIVERS_RAM_DISK_H
#define DRIVERS_RAM_DISK_H

#include "block.h"

/* The disk; its memory is reserved by the build (BOARD_DISK_BLOCKS blocks of 512 bytes). */
struct block_device *ram_disk_device(void);

#endif
