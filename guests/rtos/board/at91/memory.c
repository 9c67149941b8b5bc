/* Memory that system calls accept pointers to. */
#include <board.h>
#include <rtos/board.h>

/* End of the vectors and the fast code at the start of the on-chip SRAM: nobody may have those overwritten. */
extern char __fast_text_end[];

const struct rtos_memory_range rtos_board_memory[] = {
    {BOARD_SRAM_BASE, (uintptr_t)__fast_text_end - 1, RTOS_MEMORY_READ},
    {(uintptr_t)__fast_text_end, BOARD_SRAM_BASE + BOARD_SRAM_SIZE - 1, RTOS_MEMORY_READ | RTOS_MEMORY_WRITE},
    {BOARD_ROM_BASE, BOARD_ROM_BASE + BOARD_ROM_SIZE - 1, RTOS_MEMORY_READ},
#ifdef BOARD_RAM_BASE
    {BOARD_RAM_BASE, BOARD_RAM_BASE + BOARD_RAM_SIZE - 1, RTOS_MEMORY_READ | RTOS_MEMORY_WRITE},
#endif
    {0, 0, 0},
};
