# The system around the kernel, as one image: make -C guests/rtos system BOARD=at91x40 ISA=arm BUILD=/some/folder
#   MCK_HZ=25000000            master clock, when it is not the board's usual one
#   BOOT='kermit -r; cksum a'  commands that the shell runs first, ended by ';'; or BOOT_SCRIPT=file with one a line
#   DEFINES='-DAT91_USART_RECEIVE_LENGTH=16 -DTTY_INPUT_SIZE=1024'   sizes, see drivers/, tty/ and posix/tables.h
#   PROGRAMS='posix/tests/posix_test.c'  programs besides G-Kermit, relative to guests/rtos
#   KERMIT_SOURCE=folder       unpacked source of gkermit, when not fetched by guests/kermit/fetch.sh
MCK_HZ ?=
BOOT ?=
BOOT_SCRIPT ?=
DEFINES ?=

PROGRAMS ?=

KERMIT := $(abspath $(ROOT)/../kermit)
KERMIT_SOURCE ?= $(shell $(KERMIT)/fetch.sh --where)

SYSTEM_SOURCES := $(sort $(wildcard board/at91/*.[cS] drivers/*.c tty/*.c fs/*.c posix/*.c shell/*.c system/*.c))
SYSTEM_OBJECTS := $(SYSTEM_SOURCES:%=$(BUILD)/%.o) $(BUILD)/posix/user/stubs.S.o $(BUILD)/system/boot_script.S.o
USER_OBJECTS := $(patsubst %,$(BUILD)/%.o,$(sort $(wildcard posix/user/*.c)) $(PROGRAMS))
KERMIT_OBJECTS := $(patsubst %,$(BUILD)/kermit/%.o,gproto gkermit gunixio gcmdline program)

SYSTEM_CPPFLAGS := -I$(ROOT)/board/$(BOARD) -I$(ROOT)/posix/include $(if $(MCK_HZ),-DBOARD_MCK_HZ=$(MCK_HZ)) $(DEFINES)
$(SYSTEM_OBJECTS) $(USER_OBJECTS): CPPFLAGS += $(SYSTEM_CPPFLAGS)
# The C library declares its hooks nowhere.
$(USER_OBJECTS): EXTRA_CFLAGS := -Wno-missing-prototypes

# As the kernel's flags: objects depend on the settings that made them.
SYSTEM_STAMP := $(BUILD)/system-settings
$(SYSTEM_STAMP): force
	@mkdir -p $(@D)
	@echo '$(subst ','\'',$(SYSTEM_CPPFLAGS))' | cmp -s - $@ || echo '$(subst ','\'',$(SYSTEM_CPPFLAGS))' > $@
$(SYSTEM_OBJECTS) $(USER_OBJECTS): $(SYSTEM_STAMP)

BOOT_TEXT := $(BUILD)/boot_script.txt
$(BOOT_TEXT): force
	@mkdir -p $(@D)
	@{ $(if $(BOOT_SCRIPT),cat '$(BOOT_SCRIPT)',printf '%s' '$(subst ','\'',$(BOOT))' | sed 's/; */\n/g'); echo; } > $@.new
	@cmp -s $@.new $@ || cp $@.new $@
	@rm -f $@.new
$(BUILD)/system/boot_script.S.o: $(BOOT_TEXT)
$(BUILD)/system/boot_script.S.o: CPPFLAGS += -DBOOT_SCRIPT_FILE='"$(abspath $(BOOT_TEXT))"'

# The application: the distribution's sources as they are, in the C that they are written in.
KERMIT_CFLAGS := $(CPUFLAGS) -std=gnu89 -O2 -g -gdwarf-4 -ffunction-sections -fdata-sections -w -DPOSIX -DNEEDUNISTD \
	-isystem $(ROOT)/posix/include -ffile-prefix-map=$(abspath $(ROOT)/../..)=. -ffile-prefix-map=$(abspath $(BUILD))=build
$(BUILD)/kermit/source: $(KERMIT)/fetch.sh
	@mkdir -p $(@D)
	$(if $(filter command file,$(firstword $(origin KERMIT_SOURCE))),,$(KERMIT)/fetch.sh)
	test -f '$(KERMIT_SOURCE)/gproto.c'
	@touch $@
$(BUILD)/kermit/gkermit.o: KERMIT_CFLAGS += -Dmain=gkermit_main
$(filter-out %/program.o,$(KERMIT_OBJECTS)): $(BUILD)/kermit/%.o: $(BUILD)/kermit/source $(FLAGS_STAMP)
	$(CC) $(KERMIT_CFLAGS) -ffile-prefix-map=$(KERMIT_SOURCE)=./guests/kermit/$(notdir $(KERMIT_SOURCE)) \
	  -c $(KERMIT_SOURCE)/$*.c -o $@
$(BUILD)/kermit/program.o: $(KERMIT)/program.c system/marks.h posix/program.h $(FLAGS_STAMP)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(SYSTEM_CPPFLAGS) $(CFLAGS) -c $< -o $@

$(BUILD)/libprograms.a: $(USER_OBJECTS) $(KERMIT_OBJECTS)
	rm -f $@
	$(AR) rcsD $@ $^

.PHONY: system
system: $(BUILD)/system.elf
SYSTEM_SCRIPT := board/$(BOARD)/board.ld
$(BUILD)/system.elf: $(SYSTEM_OBJECTS) $(BUILD)/librtos.a $(BUILD)/libprograms.a $(SYSTEM_SCRIPT) board/at91/sections.ld
	$(CC) $(CPUFLAGS) -nostartfiles -L$(ROOT)/link -T $(SYSTEM_SCRIPT) -Wl,--gc-sections -Wl,--fatal-warnings \
	  -Wl,--build-id=none -Wl,--wrap=gwart -Wl,-Map=$(BUILD)/system.map -o $@ $(SYSTEM_OBJECTS) \
	  -Wl,--whole-archive $(BUILD)/libprograms.a -Wl,--no-whole-archive $(BUILD)/librtos.a -lc -lgcc

-include $(SYSTEM_OBJECTS:.o=.d) $(USER_OBJECTS:.o=.d)
