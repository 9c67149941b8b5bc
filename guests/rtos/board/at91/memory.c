/* Memory that system calls accept pointers to. */
#include <board.h>
#include <rtos/board.h>

const struct rtos_memory_range rtos_board_memory[] = {
    {BOARD_SRAM_BASE, BOARD_SRAM_BASE + BOARD_SRAM_SIZE - 1, RTOS_MEMORY_READ | RTOS_MEMORY_WRITE},
    {BOARD_ROM_BASE, BOARD_ROM_BASE + BOARD_ROM_SIZE - 1, RTOS_MEMORY_READ},
#ifdef BOARD_RAM_BASE
    {BOARD_RAM_BASE, BOARD_RAM_BASE + BOARD_RAM_SIZE - 1, RTOS_MEMORY_READ | RTOS_MEMORY_WRITE},
#endif
    {0, 0, 0},
};
