/* Copies words and bytes back and forth. */
#include <stdint.h>

#define LENGTH 4096
static uint32_t source[LENGTH], target[LENGTH];

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
    uint32_t seed = 1, sum = 0;
    for (uint32_t index = 0; index < LENGTH; index++)
        source[index] = seed = seed * 1664525u + 1013904223u;
    for (int round = 0; round < ROUNDS; round++) {
        copy_words(target, source, LENGTH);
        copy_bytes((uint8_t *)source, (const uint8_t *)target, sizeof source);
        source[round % LENGTH] += (uint32_t)round;
    }
    for (uint32_t index = 0; index < LENGTH; index++)
        sum = sum * 31 + source[index];
    return (int)sum;
}
