/* Rule 30 on a ring of cells, one in a byte: new = left ^ (middle | right). */
#include <stdint.h>

#define CELLS 4096
static uint8_t first[CELLS], second[CELLS];

__attribute__((noinline)) static void generation(uint8_t *to, const uint8_t *from)
{
    to[0] = from[CELLS - 1] ^ (from[0] | from[1]);
    for (uint32_t cell = 1; cell < CELLS - 1; cell++)
        to[cell] = from[cell - 1] ^ (from[cell] | from[cell + 1]);
    to[CELLS - 1] = from[CELLS - 2] ^ (from[CELLS - 1] | from[0]);
}

int main(void)
{
    uint32_t sum = 0;
    first[CELLS / 2] = 1;
    for (int round = 0; round < ROUNDS; round++) {
        generation(second, first);
        generation(first, second);
    }
    for (uint32_t cell = 0; cell < CELLS; cell++)
        sum = sum * 31 + first[cell];
    return (int)sum;
}
