/* What a compiler calls where no C library is. */
#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
    for (size_t i = 0; i < size; i++)
        ((char *)to)[i] = ((const char *)from)[i];
    return to;
}

void *memset(void *to, int byte, size_t size)
{
    for (size_t i = 0; i < size; i++)
        ((char *)to)[i] = (char)byte;
    return to;
}
