/* Heap sort of pseudo-random words, again and again. */
#include <stdint.h>

#define LENGTH 4096
static uint32_t values[LENGTH];

static void sift_down(uint32_t root, uint32_t end)
{
    uint32_t value = values[root];
    for (uint32_t child = 2 * root + 1; child < end; child = 2 * root + 1) {
        if (child + 1 < end && values[child] < values[child + 1])
            child++;
        if (values[child] <= value)
            break;
        values[root] = values[child];
        root = child;
    }
    values[root] = value;
}

int main(void)
{
    uint32_t seed = 1;
    for (int round = 0; round < ROUNDS; round++) {
        for (uint32_t index = 0; index < LENGTH; index++)
            values[index] = seed = seed * 1664525u + 1013904223u;
        for (uint32_t root = LENGTH / 2; root-- > 0;)
            sift_down(root, LENGTH);
        for (uint32_t end = LENGTH; --end > 0;) {
            uint32_t largest = values[0];
            values[0] = values[end];
            values[end] = largest;
            sift_down(0, end);
        }
    }
    return (int)values[LENGTH / 2];
}
