/* QEMU plug-in that models first-level caches of the geometry of an MPC8641D's core, as Socscope's timing model does: for
   instructions and for data 32 KiB in 128 sets of 8 ways, lines of 32 bytes, a tree for replacement, write-back and
   write-allocate. As cheap as version 1 of the interface allows: a call for each line of a block and for each access, which
   first looks at the line that its set was asked for last. Counts of a block's instructions are additions inline.
   Addresses are virtual ones: right where they are those of the bus.

   -plugin caches.so,out=FILE */
#include "qemu_plugin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_SHIFT 5
#define SETS 128
#define WAYS 8
#define NONE UINT32_MAX

struct cache {
    uint32_t recent[SETS]; /* The line that was used last. */
    uint32_t lines[SETS][WAYS];
    uint8_t changed[SETS][WAYS];
    uint8_t recent_way[SETS];
    uint8_t tree[SETS];
    uint64_t accesses, misses, write_backs;
};

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

static struct cache instruction, data;
static uint8_t tree_keeps[WAYS], tree_sets[WAYS];
static uint32_t fetching = NONE;
static const char *out;

/* Node 0 is the root; the children of node n are 2n + 1 and 2n + 2. A bit of one points to the upper half. */
static void fill_trees(void)
{
    for (uint32_t way = 0; way < WAYS; way++) {
        tree_keeps[way] = 0xff;
        for (uint32_t node = way + WAYS - 1; node > 0; node = (node - 1) / 2) {
            uint32_t parent = (node - 1) / 2;
            tree_keeps[way] &= ~(1u << parent);
            if (node == 2 * parent + 1)
                tree_sets[way] |= 1u << parent;
        }
    }
}

static uint32_t victim(const struct cache *cache, uint32_t set)
{
    uint32_t node = 0;
    for (uint32_t way = 0; way < WAYS; way++)
        if (cache->lines[set][way] == NONE)
            return way;
    while (node < WAYS - 1)
        node = 2 * node + 1 + (cache->tree[set] >> node & 1);
    return node - (WAYS - 1);
}

static __attribute__((noinline)) void look(struct cache *cache, uint32_t line, bool write)
{
    uint32_t set = line & (SETS - 1), way = 0;
    while (way < WAYS && cache->lines[set][way] != line)
        way++;
    if (way == WAYS) {
        way = victim(cache, set);
        cache->misses++;
        cache->write_backs += cache->changed[set][way];
        cache->lines[set][way] = line;
        cache->changed[set][way] = 0;
    }
    cache->changed[set][way] |= write;
    cache->recent[set] = line;
    cache->recent_way[set] = (uint8_t)way;
    cache->tree[set] = (cache->tree[set] & tree_keeps[way]) | tree_sets[way];
}

static inline void access_line(struct cache *cache, uint32_t line, bool write)
{
    uint32_t set = line & (SETS - 1);
    if (__builtin_expect(cache->recent[set] == line, 1))
        cache->changed[set][cache->recent_way[set]] |= write;
    else
        look(cache, line, write);
}

static void on_fetch(unsigned int vcpu, void *line)
{
    (void)vcpu;
    if (fetching == (uint32_t)(uintptr_t)line)
        return;
    fetching = (uint32_t)(uintptr_t)line;
    access_line(&instruction, fetching, false);
}

/* Where version 1 has the direction; its function says the same at the cost of a call. */
static void on_access(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *unused)
{
    (void)vcpu;
    (void)unused;
    data.accesses++;
    access_line(&data, (uint32_t)address >> LINE_SHIFT, info >> 17 & 1);
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    size_t count = qemu_plugin_tb_n_insns(tb);
    uint32_t before = NONE;
    (void)id;
    for (size_t index = 0; index < count; index++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, index);
        uint32_t line = (uint32_t)qemu_plugin_insn_vaddr(insn) >> LINE_SHIFT;
        if (line != before)
            qemu_plugin_register_vcpu_insn_exec_cb(insn, on_fetch, QEMU_PLUGIN_CB_NO_REGS, (void *)(uintptr_t)line);
        before = line;
        qemu_plugin_register_vcpu_mem_cb(insn, on_access, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, NULL);
    }
    qemu_plugin_register_vcpu_tb_exec_inline(tb, QEMU_PLUGIN_INLINE_ADD_U64, &instruction.accesses, count);
}

static void on_end(qemu_plugin_id_t id, void *unused)
{
    FILE *file = fopen(out, "w");
    (void)id;
    (void)unused;
    if (file == NULL) {
        perror(out);
        return;
    }
    fprintf(file, "{\"fetches\": %llu, \"fetch_misses\": %llu, \"accesses\": %llu, \"misses\": %llu, \"write_backs\": %llu}\n",
            (unsigned long long)instruction.accesses, (unsigned long long)instruction.misses,
            (unsigned long long)data.accesses, (unsigned long long)data.misses, (unsigned long long)data.write_backs);
    fclose(file);
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    (void)info;
    if (argc != 1 || strncmp(argv[0], "out=", 4) != 0) {
        fprintf(stderr, "caches.so: give out=FILE\n");
        return -1;
    }
    out = strdup(argv[0] + 4);
    memset(instruction.recent, 0xff, sizeof instruction.recent);
    memset(instruction.lines, 0xff, sizeof instruction.lines);
    memcpy(data.recent, instruction.recent, sizeof data.recent);
    memcpy(data.lines, instruction.lines, sizeof data.lines);
    fill_trees();
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
    qemu_plugin_register_atexit_cb(id, on_end, NULL);
    return 0;
}
