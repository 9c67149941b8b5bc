/* The CRC-32 of a block, by software and by the engine. */
#include <stdint.h>

struct engine {
    uint32_t address, length, control, status, result;
};
#define ENGINE ((volatile struct engine *)0xf0000000)
#define START 1
#define ACKNOWLEDGE 2

static uint8_t block[4096];
uint32_t by_software, by_engine;
volatile uint32_t interrupts;

void on_interrupt(void)
{
    by_engine = ENGINE->result;
    ENGINE->control = ACKNOWLEDGE;
    interrupts++;
}

static uint32_t crc32(const uint8_t *bytes, int count)
{
    uint32_t crc = ~0u;
    while (count--) {
        crc ^= *bytes++;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
    }
    return ~crc;
}

__attribute__((noinline)) void software(void)
{
    by_software = crc32(block, sizeof block);
}

__attribute__((noinline)) void engine(void)
{
    uint32_t before = interrupts;
    ENGINE->address = (uint32_t)block;
    ENGINE->length = sizeof block;
    ENGINE->control = START;
    while (interrupts == before)
        ;
}

__attribute__((noinline)) void finished(void)
{
    for (;;)
        engine();
}

void application(void)
{
    for (unsigned i = 0; i < sizeof block; i++)
        block[i] = i * 7;
    software();
    engine();
    finished();
}
