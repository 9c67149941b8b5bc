/* Runs a bench program in unicorn and counts with its hooks, written in C: calls into Python would measure Python.

   hooks PROGRAM.elf FINISHED blocks|code|none    FINISHED: address at which the program has its result in r0, hexadecimal

   `code` hooks every instruction, `blocks` every block; both hook every data access. Prints a line of JSON. */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unicorn/unicorn.h>

#define CODE_SIZE 0x100000u
#define MEMORY_SIZE 0x1100000u

static uint64_t instructions, blocks;
static uint64_t accesses[2][2][3]; /* Region (code, data), direction (read, write), width (8, 16, 32). */

static void must(uc_err error, const char *what)
{
    if (error != UC_ERR_OK) {
        fprintf(stderr, "hooks: %s: %s\n", what, uc_strerror(error));
        exit(1);
    }
}

static void on_instruction(uc_engine *engine, uint64_t address, uint32_t size, void *data)
{
    (void)engine, (void)address, (void)size, (void)data;
    instructions++;
}

static void on_block(uc_engine *engine, uint64_t address, uint32_t size, void *data)
{
    (void)engine, (void)address, (void)size, (void)data;
    blocks++;
}

static void on_access(uc_engine *engine, uc_mem_type type, uint64_t address, int size, int64_t value, void *data)
{
    (void)engine, (void)value, (void)data;
    accesses[address >= CODE_SIZE][type == UC_MEM_WRITE][size >> 1]++;
}

/* The whole file; ended by the caller's exit. */
static uint8_t *read_file(const char *path, long *size)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = NULL;
    if (file != NULL && fseek(file, 0, SEEK_END) == 0 && (*size = ftell(file)) > (long)sizeof(Elf32_Ehdr)) {
        rewind(file);
        bytes = malloc((size_t)*size);
        if (bytes != NULL && fread(bytes, 1, (size_t)*size, file) != (size_t)*size)
            bytes = NULL;
    }
    if (bytes == NULL) {
        fprintf(stderr, "hooks: %s: cannot be read\n", path);
        exit(1);
    }
    fclose(file);
    return bytes;
}

static uint32_t load(uc_engine *engine, const char *path)
{
    long size;
    uint8_t *bytes = read_file(path, &size);
    const Elf32_Ehdr *header = (const Elf32_Ehdr *)bytes;
    uint32_t entry = header->e_entry;
    for (int index = 0; index < header->e_phnum; index++) {
        const Elf32_Phdr *segment = (const Elf32_Phdr *)(bytes + header->e_phoff) + index;
        if (segment->p_type == PT_LOAD && segment->p_filesz > 0)
            must(uc_mem_write(engine, segment->p_vaddr, bytes + segment->p_offset, segment->p_filesz), "load");
    }
    free(bytes);
    return entry;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
    uc_engine *engine;
    uc_hook hooks[2];
    uint32_t result = 0;
    if (argc != 4 || strspn(argv[2], "0123456789abcdef") != strlen(argv[2])) {
        fprintf(stderr, "usage: hooks PROGRAM.elf FINISHED blocks|code|none\n");
        return 2;
    }
    must(uc_open(UC_ARCH_ARM, UC_MODE_ARM | UC_MODE_ARM926, &engine), "open");
    must(uc_mem_map(engine, 0, MEMORY_SIZE, UC_PROT_ALL), "map");
    uint32_t entry = load(engine, argv[1]);
    if (strcmp(argv[3], "code") == 0)
        must(uc_hook_add(engine, &hooks[0], UC_HOOK_CODE, (void *)on_instruction, NULL, 1, 0), "hook");
    else if (strcmp(argv[3], "blocks") == 0)
        must(uc_hook_add(engine, &hooks[0], UC_HOOK_BLOCK, (void *)on_block, NULL, 1, 0), "hook");
    if (strcmp(argv[3], "none") != 0)
        must(uc_hook_add(engine, &hooks[1], UC_HOOK_MEM_READ | UC_HOOK_MEM_WRITE, (void *)on_access, NULL, 1, 0), "hook");
    double begin = seconds();
    must(uc_emu_start(engine, entry, strtoul(argv[2], NULL, 16), 0, 0), "run");
    double end = seconds();
    must(uc_reg_read(engine, UC_ARM_REG_R0, &result), "result");
    printf("{\"result\": \"%08x\", \"seconds\": %.6f, \"instructions\": %llu, \"blocks\": %llu, \"accesses\": [", result,
           end - begin, (unsigned long long)instructions, (unsigned long long)blocks);
    const char *separator = "";
    for (int index = 0; index < 12; index++) {
        uint64_t count = accesses[index / 6][index / 3 % 2][index % 3];
        if (count == 0)
            continue;
        printf("%s[\"%s\", %d, \"%s\", %llu]", separator, index / 6 ? "data" : "code", 8 << index % 3,
               index / 3 % 2 ? "write" : "read", (unsigned long long)count);
        separator = ", ";
    }
    printf("]}\n");
    return 0;
}
