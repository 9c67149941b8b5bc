/* MD5 (RFC 1321) over a buffer, without the padding of its end: whole blocks only. */
#include <stdint.h>

#define LENGTH 8192
static uint32_t buffer[LENGTH / 4];
static uint32_t sines[64];

static uint32_t rotate(uint32_t value, uint32_t count)
{
    return value << count | value >> (32 - count);
}

#define F(x, y, z) (z ^ (x & (y ^ z)))
#define G(x, y, z) (y ^ (z & (x ^ y)))
#define H(x, y, z) (x ^ y ^ z)
#define I(x, y, z) (y ^ (x | ~z))

#define STEP(function, a, b, c, d, word, shift, step) a = b + rotate(a + function(b, c, d) + block[word] + sines[step], shift)

#define FOUR(function, word, add, step, s0, s1, s2, s3)                          \
    STEP(function, a, b, c, d, (word) & 15, s0, step);                           \
    STEP(function, d, a, b, c, (word + add) & 15, s1, step + 1);                 \
    STEP(function, c, d, a, b, (word + 2 * add) & 15, s2, step + 2);             \
    STEP(function, b, c, d, a, (word + 3 * add) & 15, s3, step + 3)

#define SIXTEEN(function, first, add, step, s0, s1, s2, s3)                      \
    FOUR(function, first, add, step, s0, s1, s2, s3);                            \
    FOUR(function, first + 4 * add, add, step + 4, s0, s1, s2, s3);              \
    FOUR(function, first + 8 * add, add, step + 8, s0, s1, s2, s3);              \
    FOUR(function, first + 12 * add, add, step + 12, s0, s1, s2, s3)

static void md5_block(uint32_t state[4], const uint32_t *block)
{
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    SIXTEEN(F, 0, 1, 0, 7, 12, 17, 22);
    SIXTEEN(G, 1, 5, 16, 5, 9, 14, 20);
    SIXTEEN(H, 5, 3, 32, 4, 11, 16, 23);
    SIXTEEN(I, 0, 7, 48, 6, 10, 15, 21);
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
}

int main(void)
{
    uint32_t seed = 1;
    uint32_t state[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
    /* Any constants cost the same as the sines of the standard. */
    for (int step = 0; step < 64; step++)
        sines[step] = seed = seed * 1664525u + 1013904223u;
    for (uint32_t index = 0; index < LENGTH / 4; index++)
        buffer[index] = seed = seed * 1664525u + 1013904223u;
    for (int round = 0; round < ROUNDS; round++)
        for (uint32_t at = 0; at < LENGTH / 4; at += 16)
            md5_block(state, buffer + at);
    return (int)(state[0] ^ state[1] ^ state[2] ^ state[3]);
}
