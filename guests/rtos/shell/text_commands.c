/* Commands that make and look at contents: echo, make, hexdump and checksums. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "shell.h"

#define CHUNK 256

static int run_echo(int count, char **words)
{
    for (int i = 1; i < count; i++)
        print("%s%s", i > 1 ? " " : "", words[i]);
    print("\n");
    return 0;
}

static int run_write(int count, char **words)
{
    if (count < 2)
        return shell_failed(words[0], "missing file", -EINVAL);
    int fd = sys_open(words[1], O_WRONLY | O_CREAT | O_TRUNC);
    if (fd < 0)
        return shell_failed(words[0], words[1], fd);
    int former = shell_output;
    print_flush();
    shell_output = fd;
    run_echo(count - 1, words + 1);
    print_flush();
    shell_output = former;
    sys_close(fd);
    return 0;
}

static int number(const char *text, uint32_t *value)
{
    *value = 0;
    for (; *text >= '0' && *text <= '9'; text++)
        *value = 10 * *value + (uint32_t)(*text - '0');
    return *text == '\0';
}

/* Bytes of a fixed pseudo-random sequence (xorshift), the same for a size and seed on every machine. */
static int run_make(int count, char **words)
{
    uint32_t size;
    uint32_t state = 1;
    char chunk[CHUNK];

    if (count < 3 || count > 4 || !number(words[2], &size) || (count == 4 && !number(words[3], &state)) || state == 0)
        return shell_failed(words[0], "FILE SIZE [SEED]", -EINVAL);
    int fd = sys_open(words[1], O_WRONLY | O_CREAT | O_TRUNC);
    if (fd < 0)
        return shell_failed(words[0], words[1], fd);
    int written = 0;
    while (size > 0 && written >= 0) {
        uint32_t part = size < sizeof chunk ? size : sizeof chunk;
        for (uint32_t i = 0; i < part; i++) {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            chunk[i] = (char)(state >> 24);
        }
        written = sys_write(fd, chunk, part);
        if (written >= 0 && written != (int)part)
            written = -ENOSPC;
        size -= part;
    }
    sys_close(fd);
    return written < 0 ? shell_failed(words[0], words[1], written) : 0;
}

/* Gives every piece of a file to `piece`; the file's size, or -errno. */
static int for_file(const char *path, void (*piece)(void *state, const uint8_t *bytes, uint32_t count), void *state)
{
    uint8_t chunk[CHUNK];
    int size = 0;
    int count;
    int fd = sys_open(path, O_RDONLY);
    if (fd < 0)
        return fd;
    while ((count = sys_read(fd, chunk, sizeof chunk)) > 0) {
        piece(state, chunk, (uint32_t)count);
        size += count;
    }
    sys_close(fd);
    return count < 0 ? count : size;
}

/* The CRC of POSIX cksum: most significant bit first. */
static uint32_t crc_posix(uint32_t crc, uint8_t byte)
{
    crc ^= (uint32_t)byte << 24;
    for (int bit = 0; bit < 8; bit++)
        crc = crc & 0x80000000u ? crc << 1 ^ 0x04c11db7u : crc << 1;
    return crc;
}

static void cksum_piece(void *state, const uint8_t *bytes, uint32_t count)
{
    while (count-- > 0)
        *(uint32_t *)state = crc_posix(*(uint32_t *)state, *bytes++);
}

static int run_cksum(int count, char **words)
{
    for (int i = 1; i < count; i++) {
        uint32_t crc = 0;
        int size = for_file(words[i], cksum_piece, &crc);
        if (size < 0)
            return shell_failed(words[0], words[i], size);
        for (uint32_t left = (uint32_t)size; left != 0; left >>= 8)
            crc = crc_posix(crc, (uint8_t)left);
        print("%u %d %s\n", (unsigned)~crc, size, words[i]);
    }
    return count > 1 ? 0 : shell_failed(words[0], "missing file", -EINVAL);
}

/* The CRC-32 of zlib and Ethernet. */
static void crc32_piece(void *state, const uint8_t *bytes, uint32_t count)
{
    uint32_t crc = *(uint32_t *)state;
    while (count-- > 0) {
        crc ^= *bytes++;
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
    }
    *(uint32_t *)state = crc;
}

static int run_crc32(int count, char **words)
{
    for (int i = 1; i < count; i++) {
        uint32_t crc = 0xffffffffu;
        int size = for_file(words[i], crc32_piece, &crc);
        if (size < 0)
            return shell_failed(words[0], words[i], size);
        print("%08x %d %s\n", (unsigned)~crc, size, words[i]);
    }
    return count > 1 ? 0 : shell_failed(words[0], "missing file", -EINVAL);
}

static void hexdump_row(uint32_t offset, const uint8_t *bytes, uint32_t count)
{
    print("%08x ", (unsigned)offset);
    for (uint32_t i = 0; i < 16; i++) {
        if (i < count)
            print(" %02x", (unsigned)bytes[i]);
        else
            print("   ");
    }
    print("  |");
    for (uint32_t i = 0; i < count; i++)
        print("%c", bytes[i] >= ' ' && bytes[i] < 0x7f ? bytes[i] : '.');
    print("|\n");
}

static void hexdump_piece(void *state, const uint8_t *bytes, uint32_t count)
{
    uint32_t *offset = state;
    for (uint32_t at = 0; at < count; at += 16, *offset += 16)
        hexdump_row(*offset, bytes + at, count - at < 16 ? count - at : 16);
}

static int run_hexdump(int count, char **words)
{
    for (int i = 1; i < count; i++) {
        uint32_t offset = 0;
        int size = for_file(words[i], hexdump_piece, &offset);
        if (size < 0)
            return shell_failed(words[0], words[i], size);
    }
    return count > 1 ? 0 : shell_failed(words[0], "missing file", -EINVAL);
}

const struct command text_commands[] = {
    {"echo", "WORD ...", "print words", run_echo},
    {"write", "FILE WORD ...", "write words to a file", run_write},
    {"make", "FILE SIZE [SEED]", "make a file of pseudo-random bytes", run_make},
    {"cksum", "FILE ...", "checksum and size, as POSIX cksum", run_cksum},
    {"crc32", "FILE ...", "CRC-32 and size", run_crc32},
    {"hexdump", "FILE ...", "show bytes", run_hexdump},
    {NULL, NULL, NULL, NULL},
};
