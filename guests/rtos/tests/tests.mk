# The self-tests: one program for each service group, $(BUILD)/tests/<group>.elf.
TEST_NAMES := $(patsubst tests/%_test.c,%,$(sort $(wildcard tests/*_test.c)))
TEST_PROGRAMS := $(TEST_NAMES:%=$(BUILD)/tests/%.elf)
TEST_BOARD_SOURCES := $(sort $(wildcard board/at91/*.c board/at91/*.S))
TEST_BOARD_OBJECTS := $(TEST_BOARD_SOURCES:%=$(BUILD)/%.o)
TEST_LINKER_SCRIPT ?= board/$(BOARD)/board.ld

$(TEST_BOARD_OBJECTS) $(BUILD)/tests/%.c.o: CPPFLAGS += -I$(ROOT)/board/$(BOARD)

.PHONY: tests
tests: $(TEST_PROGRAMS)

.SECONDARY: $(TEST_NAMES:%=$(BUILD)/tests/%_test.c.o)
$(BUILD)/tests/%.elf: $(BUILD)/tests/%_test.c.o $(BUILD)/tests/test.c.o $(TEST_BOARD_OBJECTS) $(BUILD)/librtos.a $(TEST_LINKER_SCRIPT)
	$(CC) $(CPUFLAGS) -nostartfiles -L$(ROOT)/link -L$(ROOT)/board/at91 -T $(TEST_LINKER_SCRIPT) -Wl,--gc-sections -Wl,--fatal-warnings \
	  -Wl,--build-id=none -o $@ $(filter %.o,$^) $(BUILD)/librtos.a -lc -lgcc

-include $(TEST_BOARD_OBJECTS:.o=.d) $(TEST_NAMES:%=$(BUILD)/tests/%_test.c.d) $(BUILD)/tests/test.c.d

# The one program that runs on a kernel of any configuration.
.PHONY: minimal
minimal: $(BUILD)/tests/minimal.elf
