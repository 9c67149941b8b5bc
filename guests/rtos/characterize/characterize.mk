# Scenarios for cost sheets: make -C guests/rtos characterize BOARD=at91eb40a ISA=arm BUILD=/some/folder
CHARACTERIZE_SOURCES := $(sort $(BOARD_SOURCES) $(wildcard characterize/*.[cS]))
CHARACTERIZE_OBJECTS := $(CHARACTERIZE_SOURCES:%=$(BUILD)/%.o)

$(CHARACTERIZE_OBJECTS): CPPFLAGS += -I$(ROOT)/board/$(BOARD)

# All is linked: the host calls scenarios by name, and the static side looks at every service.
.PHONY: characterize
characterize: $(BUILD)/characterize.elf
$(BUILD)/characterize.elf: $(CHARACTERIZE_OBJECTS) $(BUILD)/librtos.a board/$(BOARD)/board.ld board/at91/sections.ld
	$(CC) $(CPUFLAGS) -nostartfiles -L$(ROOT)/link -T board/$(BOARD)/board.ld -Wl,--fatal-warnings \
	  -Wl,--build-id=none -o $@ $(CHARACTERIZE_OBJECTS) -Wl,--whole-archive $(BUILD)/librtos.a -Wl,--no-whole-archive $(LIBRARIES)

-include $(CHARACTERIZE_OBJECTS:.o=.d)
