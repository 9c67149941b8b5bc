/* QEMU plug-in that counts what Socscope's profile counts, as cheaply as version 1 of the interface allows: instructions by
   translated block (one inline addition a block), data accesses by region, width and direction (a call an access:
   only there is the address known), device registers. The profile's calling contexts have no counterpart here.

   -plugin counts.so,out=FILE[,region=NAME/FIRST/LAST]...[,excluded=FIRST/LAST]      addresses in hexadecimal, inclusive

   Addresses that no region holds count as device registers. Excluded instructions and their accesses do not count. */
#include "qemu_plugin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REGIONS_MAX 14
#define DEVICE 0 /* The region of what no region holds. */
#define PAGE_BITS 16
#define WIDTHS 4
#define SLOTS (1u << 16)

struct block {
    struct block *next;
    uint64_t address;
    uint64_t instructions;
    uint64_t executions;
};

struct region {
    char name[32];
    uint64_t counts[2][WIDTHS]; /* Reads, writes. */
};

struct device_register {
    uint32_t address;
    uint64_t counts[2];
};

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

static struct block *blocks;
static struct region regions[REGIONS_MAX + 1] = {{.name = "device"}};
static uint32_t region_count = 1;
static uint8_t region_of[1u << (32 - PAGE_BITS)];
static struct device_register device_registers[SLOTS];
static uint32_t excluded_first = 1, excluded_last;
static const char *out;

/* Where version 1 has width and direction; its functions say the same at the cost of a call. (Two functions, each
   registered for one direction, would not do: QEMU 7.2 mixes them up.) */
static inline uint32_t width_of(qemu_plugin_meminfo_t info)
{
    return info >> 4 & (WIDTHS - 1);
}

static inline uint32_t is_store(qemu_plugin_meminfo_t info)
{
    return info >> 17 & 1;
}

static struct device_register *device_register(uint32_t address)
{
    uint32_t slot = (address >> 2) * 2654435761u >> 16 & (SLOTS - 1);
    address &= ~3u;
    while (device_registers[slot].address != address) {
        if (device_registers[slot].counts[0] + device_registers[slot].counts[1] == 0) {
            device_registers[slot].address = address;
            break;
        }
        slot = (slot + 1) & (SLOTS - 1);
    }
    return &device_registers[slot];
}

static void on_access(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *data)
{
    uint32_t region = region_of[(uint32_t)address >> PAGE_BITS];
    (void)vcpu;
    (void)data;
    regions[region].counts[is_store(info)][width_of(info)]++;
    if (__builtin_expect(region == DEVICE, 0))
        device_register((uint32_t)address)->counts[is_store(info)]++;
}

/* The accesses of the first block check that. */
static void check(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *data)
{
    (void)vcpu;
    (void)address;
    (void)data;
    if (width_of(info) != qemu_plugin_mem_size_shift(info) || is_store(info) != qemu_plugin_mem_is_store(info)) {
        fprintf(stderr, "counts.so: this QEMU encodes accesses otherwise: ask its functions instead\n");
        exit(1);
    }
}

/* ARM v4T and Socscope count a Thumb BL as two instructions, QEMU as one of four bytes. In ARM state that word would have
   the condition NV, which v4T software does not use. */
static uint32_t instructions_of(const struct qemu_plugin_insn *insn)
{
    uint32_t word;
    if (qemu_plugin_insn_size(insn) != sizeof word)
        return 1;
    memcpy(&word, qemu_plugin_insn_data(insn), sizeof word);
    return (word & 0xe800f800) == 0xe800f000 ? 2 : 1;
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    struct block *block = calloc(1, sizeof *block);
    (void)id;
    block->address = qemu_plugin_tb_vaddr(tb);
    block->next = blocks;
    blocks = block;
    for (size_t index = 0; index < qemu_plugin_tb_n_insns(tb); index++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, index);
        uint32_t address = (uint32_t)qemu_plugin_insn_vaddr(insn);
        if (address >= excluded_first && address <= excluded_last)
            continue;
        block->instructions += instructions_of(insn);
        if (blocks->next == NULL)
            qemu_plugin_register_vcpu_mem_cb(insn, check, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, NULL);
        qemu_plugin_register_vcpu_mem_cb(insn, on_access, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, NULL);
    }
    qemu_plugin_register_vcpu_tb_exec_inline(tb, QEMU_PLUGIN_INLINE_ADD_U64, &block->executions, 1);
}

static void print_accesses(FILE *file)
{
    const char *separator = "";
    fprintf(file, " \"accesses\": [");
    for (uint32_t region = 0; region < region_count; region++)
        for (uint32_t width = 0; width < WIDTHS; width++) {
            for (int direction = 0; direction < 2; direction++) {
                uint64_t count = regions[region].counts[direction][width];
                if (count == 0)
                    continue;
                fprintf(file, "%s[\"%s\", %u, \"%s\", %llu]", separator, regions[region].name, 8u << width,
                        direction ? "write" : "read", (unsigned long long)count);
                separator = ", ";
            }
        }
    fprintf(file, "],\n \"device_registers\": [");
    separator = "";
    for (uint32_t slot = 0; slot < SLOTS; slot++) {
        const struct device_register *one = &device_registers[slot];
        if (one->counts[0] + one->counts[1] == 0)
            continue;
        fprintf(file, "%s[%u, %llu, %llu]", separator, one->address, (unsigned long long)one->counts[0],
                (unsigned long long)one->counts[1]);
        separator = ", ";
    }
    fprintf(file, "]");
}

static void on_end(qemu_plugin_id_t id, void *data)
{
    uint64_t instructions = 0, executions = 0, count = 0;
    FILE *file = fopen(out, "w");
    (void)id;
    (void)data;
    if (file == NULL) {
        perror(out);
        return;
    }
    for (const struct block *block = blocks; block != NULL; block = block->next, count++) {
        instructions += block->instructions * block->executions;
        executions += block->executions;
    }
    fprintf(file, "{\"instructions\": %llu, \"blocks\": %llu, \"block_executions\": %llu,\n",
            (unsigned long long)instructions, (unsigned long long)count, (unsigned long long)executions);
    print_accesses(file);
    fprintf(file, "}\n");
    fclose(file);
}

static bool add_region(const char *text)
{
    uint32_t first, last;
    struct region *region = &regions[region_count];
    if (region_count > REGIONS_MAX || sscanf(text, "%31[^/]/%x/%x", region->name, &first, &last) != 3)
        return false;
    for (uint32_t page = first >> PAGE_BITS; page <= last >> PAGE_BITS; page++)
        region_of[page] = (uint8_t)region_count;
    region_count++;
    return true;
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    (void)info;
    for (int index = 0; index < argc; index++) {
        const char *value = strchr(argv[index], '=');
        bool understood = value != NULL;
        if (understood && strncmp(argv[index], "out=", 4) == 0)
            out = strdup(value + 1);
        else if (understood && strncmp(argv[index], "region=", 7) == 0)
            understood = add_region(value + 1);
        else
            understood = understood && sscanf(argv[index], "excluded=%x/%x", &excluded_first, &excluded_last) == 2;
        if (!understood) {
            fprintf(stderr, "counts.so: %s: give out=FILE, region=NAME/FIRST/LAST or excluded=FIRST/LAST\n", argv[index]);
            return -1;
        }
    }
    if (out == NULL) {
        fprintf(stderr, "counts.so: give out=FILE\n");
        return -1;
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
    qemu_plugin_register_atexit_cb(id, on_end, NULL);
    return 0;
}
