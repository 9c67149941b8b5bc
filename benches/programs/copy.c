/* Copies words and bytes back and forth. */
#include <stdint.h>

static uint32_t source[4096], target[4096];

__attribute__((noinline)) static void copy_words(volatile uint32_t *to, const volatile uint32_t *from, uint32_t count)
{
    while (count--)
        *to++ = *from++;
}

__attribute__((noinline)) static void copy_bytes(volatile uint8_t *to, const volatile uint8_t *from, uint32_t count)
{
    while (count--)
        *to++ = *from++;
}

int main(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        copy_words(target, source, 4096);
        copy_bytes((uint8_t *)source, (const uint8_t *)target, sizeof source);
    }
    return (int)target[1];
}
