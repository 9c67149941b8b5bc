/* CRC-32 (reflected, 0xedb88320) by table over a buffer that is filled with a linear congruential sequence. */
#include <stdint.h>

static uint32_t table[256];
static uint8_t buffer[32768];

static uint32_t crc32(const uint8_t *data, uint32_t length)
{
    uint32_t crc = 0xffffffffu;
    for (uint32_t index = 0; index < length; index++)
        crc = table[(crc ^ data[index]) & 0xff] ^ (crc >> 8);
    return ~crc;
}

int main(void)
{
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t value = byte;
        for (int bit = 0; bit < 8; bit++)
            value = value & 1 ? (value >> 1) ^ 0xedb88320u : value >> 1;
        table[byte] = value;
    }
    uint32_t seed = 1;
    for (uint32_t index = 0; index < sizeof buffer; index++) {
        seed = seed * 1664525u + 1013904223u;
        buffer[index] = seed >> 24;
    }
    uint32_t sum = 0;
    for (int round = 0; round < ROUNDS; round++)
        sum += crc32(buffer, sizeof buffer);
    return (int)sum;
}
