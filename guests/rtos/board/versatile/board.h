/* ARM's Versatile PB as QEMU models it: RAM from 0 on, which is used in the layout of the AT91EB40A. For C and assembler. */
#ifndef BOARD_H
#define BOARD_H

#define BOARD_NAME "versatile"
#define BOARD_SRAM_BASE 0x00000000
#define BOARD_SRAM_SIZE 0x40000
#define BOARD_ROM_BASE 0x01000000
#define BOARD_ROM_SIZE 0x200000

#define BOARD_DISK_BLOCKS 128
#define BOARD_DISK_FILES 24

#endif
