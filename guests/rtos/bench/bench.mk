# The kernel's workload for benches: make -C guests/rtos bench BOARD=versatile ISA=arm ROUNDS=1000 BUILD=/some/folder
ROUNDS ?= 1

BENCH_SOURCES_at91eb40a := $(wildcard board/at91/*.[cS])
BENCH_SOURCES_versatile := $(wildcard board/versatile/*.[cS]) board/at91/memory.c
BENCH_SOURCES := $(sort $(BENCH_SOURCES_$(BOARD)) drivers/ram_disk.c $(wildcard fs/*.c) bench/kernel_bench.c)
BENCH_OBJECTS := $(BENCH_SOURCES:%=$(BUILD)/%.o)

$(BENCH_OBJECTS): CPPFLAGS += -I$(ROOT)/board/$(BOARD)
$(BUILD)/bench/kernel_bench.c.o: EXTRA_CFLAGS := -DBENCH_ROUNDS=$(ROUNDS)u

.PHONY: bench
bench: $(BUILD)/bench.elf
$(BUILD)/bench.elf: $(BENCH_OBJECTS) $(BUILD)/librtos.a board/$(BOARD)/board.ld board/at91/sections.ld
	$(CC) $(CPUFLAGS) -nostartfiles -L$(ROOT)/link -T board/$(BOARD)/board.ld -Wl,--gc-sections -Wl,--fatal-warnings \
	  -Wl,--build-id=none -o $@ $(BENCH_OBJECTS) $(BUILD)/librtos.a -lc -lgcc

-include $(BENCH_OBJECTS:.o=.d)
