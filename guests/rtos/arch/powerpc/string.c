/* What the compiler calls in programs without a C library. */
#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memset(void *to, int value, size_t size);
int memcmp(const void *one, const void *other, size_t size);

/* Loops here must not become calls of themselves. */
#pragma GCC optimize("no-tree-loop-distribute-patterns")

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
    char *target = to;
    const char *source = from;
    for (; size >= 4 && (((size_t)target | (size_t)source) & 3) == 0; size -= 4, target += 4, source += 4)
        *(unsigned int *)(void *)target = *(const unsigned int *)(const void *)source;
    while (size-- != 0)
        *target++ = *source++;
    return to;
}

void *memset(void *to, int value, size_t size)
{
    char *target = to;
    unsigned int word = (unsigned char)value * 0x01010101u;
    for (; size >= 4 && ((size_t)target & 3) == 0; size -= 4, target += 4)
        *(unsigned int *)(void *)target = word;
    while (size-- != 0)
        *target++ = (char)value;
    return to;
}

int memcmp(const void *one, const void *other, size_t size)
{
    const unsigned char *left = one, *right = other;
    for (; size != 0; --size, ++left, ++right) {
        if (*left != *right)
            return *left < *right ? -1 : 1;
    }
    return 0;
}
