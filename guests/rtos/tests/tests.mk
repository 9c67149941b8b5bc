# The self-tests: one program for each service group, $(BUILD)/tests/<group>.elf.
# Of an architecture, and of boards with two cores.
TEST_FOLDERS := tests arch/$(ARCH)/tests $(if $(filter mixed-%,$(BOARD)),tests/mixed)
TEST_SOURCES := $(sort $(foreach folder,$(TEST_FOLDERS),$(wildcard $(folder)/*_test.c)))
TEST_ARCH_OBJECTS := $(patsubst %,$(BUILD)/%.o,$(sort $(wildcard arch/$(ARCH)/tests/*.S)))
TEST_NAMES := $(patsubst %_test.c,%,$(notdir $(TEST_SOURCES)))
vpath %_test.c $(TEST_FOLDERS)
TEST_PROGRAMS := $(TEST_NAMES:%=$(BUILD)/tests/%.elf)
TEST_BOARD_OBJECTS := $(BOARD_SOURCES:%=$(BUILD)/%.o)
TEST_LINKER_SCRIPT ?= board/$(BOARD)/board.ld

$(TEST_BOARD_OBJECTS) $(BUILD)/tests/%.c.o: CPPFLAGS += -I$(ROOT)/board/$(BOARD)
$(BUILD)/tests/processor_test.c.o: EXTRA_CFLAGS := $(HARD_FLOAT_$(ARCH))

.PHONY: tests
tests: $(TEST_PROGRAMS)

.SECONDARY: $(TEST_NAMES:%=$(BUILD)/tests/%_test.c.o)
$(BUILD)/tests/%_test.c.o: %_test.c $(FLAGS_STAMP)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(EXTRA_CFLAGS) -MMD -MP -c $(abspath $<) -o $@

$(BUILD)/tests/%.elf: $(BUILD)/tests/%_test.c.o $(BUILD)/tests/test.c.o $(TEST_ARCH_OBJECTS) $(TEST_BOARD_OBJECTS) $(BUILD)/librtos.a $(TEST_LINKER_SCRIPT)
	$(CC) $(CPUFLAGS) -nostartfiles -L$(ROOT)/link -L$(ROOT)/board/at91 -T $(TEST_LINKER_SCRIPT) -Wl,--gc-sections -Wl,--fatal-warnings \
	  -Wl,--build-id=none -o $@ $(filter %.o,$^) $(BUILD)/librtos.a $(LIBRARIES)

-include $(TEST_BOARD_OBJECTS:.o=.d) $(TEST_NAMES:%=$(BUILD)/tests/%_test.c.d) $(BUILD)/tests/test.c.d

# The one program that runs on a kernel of any configuration.
.PHONY: minimal
minimal: $(BUILD)/tests/minimal.elf
