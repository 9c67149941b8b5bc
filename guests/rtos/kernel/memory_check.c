/* Checks of the pointers that system calls are given. */
#include <rtos/board.h>
#include <rtos/config.h>
#include <rtos/kernel.h>
#include <rtos/section.h>

/* The range that holds an address and allows the access, NULL when there is none. */
RTOS_FAST_TEXT static const struct rtos_memory_range *range_of(uintptr_t address, uint32_t access)
{
    for (const struct rtos_memory_range *range = rtos_board_memory; range->access != 0; ++range) {
        if (address >= range->first && address <= range->last && (range->access & access) != 0)
            return range;
    }
    return NULL;
}

RTOS_FAST_TEXT static int is_accessible(const void *pointer, uint32_t size, uint32_t access)
{
    if (!RTOS_CONFIG_ARGUMENT_CHECK || size == 0)
        return 1;
    const struct rtos_memory_range *range = range_of((uintptr_t)pointer, access);
    return range != NULL && size - 1 <= range->last - (uintptr_t)pointer;
}

RTOS_FAST_TEXT int rtos_k_readable(const void *pointer, uint32_t size)
{
    return is_accessible(pointer, size, RTOS_MEMORY_READ);
}

RTOS_FAST_TEXT int rtos_k_writable(const void *pointer, uint32_t size)
{
    return is_accessible(pointer, size, RTOS_MEMORY_WRITE);
}

int rtos_k_string_readable(const char *text, uint32_t size_max)
{
    if (!RTOS_CONFIG_ARGUMENT_CHECK)
        return 1;
    const struct rtos_memory_range *range = range_of((uintptr_t)text, RTOS_MEMORY_READ);
    for (uint32_t index = 0; range != NULL && index < size_max && (uintptr_t)(text + index) <= range->last; ++index) {
        if (text[index] == '\0')
            return 1;
        if ((uintptr_t)(text + index) == UINTPTR_MAX)
            return 0;
    }
    return 0;
}
