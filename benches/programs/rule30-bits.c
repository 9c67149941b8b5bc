/* Rule 30 on a ring of cells, 32 in a word, bit 31 leftmost: new = left ^ (middle | right). */
#include <stdint.h>

#define WORDS 128
static uint32_t first[WORDS], second[WORDS];

__attribute__((noinline)) static void generation(uint32_t *to, const uint32_t *from)
{
    uint32_t before = from[WORDS - 1], middle = from[0];
    for (uint32_t word = 0; word < WORDS; word++) {
        uint32_t after = from[word + 1 == WORDS ? 0 : word + 1];
        uint32_t left = middle >> 1 | before << 31, right = middle << 1 | after >> 31;
        to[word] = left ^ (middle | right);
        before = middle;
        middle = after;
    }
}

int main(void)
{
    uint32_t sum = 0;
    first[WORDS / 2] = 1;
    for (int round = 0; round < ROUNDS; round++) {
        generation(second, first);
        generation(first, second);
    }
    for (uint32_t word = 0; word < WORDS; word++)
        sum = sum * 31 + first[word];
    return (int)sum;
}
