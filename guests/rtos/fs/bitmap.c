/* Bitmaps of inodes and blocks on the device: bit n of byte n/8, 1 for taken. */
#include <errno.h>

#include "internal.h"

#define WORDS_AT_ONCE 16u

int64_t fs_bitmap_take(struct fs_volume *volume, uint32_t first_block, uint32_t count)
{
    struct block_device *device = volume->device;
    uint32_t base = first_block * FS_BLOCK_SIZE;
    uint32_t words[WORDS_AT_ONCE];

    for (uint32_t number = 0; number < count; number += 32 * WORDS_AT_ONCE) {
        int error = device->read(device, base + number / 8, words, sizeof words);
        if (error != 0)
            return error;
        for (uint32_t i = 0; i < WORDS_AT_ONCE; i++) {
            if (words[i] == 0xffffffffu)
                continue;
            uint32_t bit = (uint32_t)__builtin_ctz(~words[i]);
            uint32_t found = number + 32 * i + bit;
            if (found >= count)
                return -ENOSPC;
            words[i] |= 1u << bit;
            error = device->write(device, base + number / 8 + 4 * i, &words[i], 4);
            return error != 0 ? error : (int64_t)found;
        }
    }
    return -ENOSPC;
}

int fs_bitmap_give(struct fs_volume *volume, uint32_t first_block, uint32_t number)
{
    struct block_device *device = volume->device;
    uint32_t offset = first_block * FS_BLOCK_SIZE + number / 8;
    uint8_t byte;
    int error = device->read(device, offset, &byte, 1);
    if (error != 0)
        return error;
    if ((byte & (1u << (number % 8))) == 0)
        return -EIO;
    byte &= (uint8_t) ~(1u << (number % 8));
    return device->write(device, offset, &byte, 1);
}
