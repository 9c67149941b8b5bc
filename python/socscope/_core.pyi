"""The compiled core: machines, their runs and what was counted in them."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Self, final

__all__ = [
    "BusFault",
    "Checkpoint",
    "CheckpointError",
    "CoreError",
    "DeviceContext",
    "DeviceError",
    "DeviceModel",
    "Flow",
    "GdbServer",
    "HistoryError",
    "ImageError",
    "Machine",
    "Place",
    "PlatformError",
    "Replay",
    "ReplayError",
    "SerialError",
    "ShareError",
    "StopReason",
    "TaskTable",
    "__version__",
    "device_models",
    "device_value",
    "exception_name",
    "in_device_call",
    "link",
    "memory_limit",
    "node_models",
    "set_device_value",
    "set_memory_limit",
]

__version__: str

class CoreError(Exception):
    """Base of all errors below; the message names file, place, rule and remedy."""

class DeviceError(CoreError):
    """A device written in Python does not hold together, or its function has raised an exception (the
    cause).
    """

class BusFault(CoreError):
    """A device reads or writes memory where none is, or where it is read-only."""

class PlatformError(CoreError):
    """The device tree, or a property set on it, does not describe a machine."""

class ImageError(CoreError):
    """The image cannot be loaded into this machine."""

class HistoryError(CoreError):
    """A time that a history does not reach."""

class CheckpointError(CoreError):
    """A checkpoint that cannot be read, or does not fit what it is restored with; the message says which
    part.
    """

class SerialError(CoreError):
    """A serial port, or what shall be attached to it, does not work."""

class ReplayError(CoreError):
    """A run does not repeat."""

class ShareError(CoreError):
    """A folder of the host that cannot be shared, or not be written back."""

@final
class Flow:
    """Blocks, loops and calls of a program, found from the semantics of its instructions.

    `given` has architecture (its name), constants (address and bytes of memory that never changes), entry
    (address, how its code is encoded, mode, bounds of registers), never, stops, marked (addresses), targets,
    registers, recursion (by address), loop_bounds (first and last addresses where heads lie, which of them is
    meant, how often it runs at most, and function, register, bytes of a run, runs added, where a size says
    it), inline, blocks_max, steps_max.
    """

    def __new__(cls, given: Mapping[str, Any]) -> Self:
        """Analyses the program from its entry on."""
    def blocks(self) -> list[tuple[int, int, list[int], int, int | None]]:
        """Number, context, addresses of the instructions, how its code is encoded, visits at most."""
    def addresses(self) -> dict[int, int]:
        """First address of each block."""
    def exits(self) -> list[tuple[int, int, str, int | None, int | None]]:
        """From, to (-1 return, -2 stop), how, address to which it leads, function that is stepped over."""
    def contexts(self) -> list[tuple[int | None, int, int, int]]:
        """Parent, address of the call, function, return address, by number of the context."""
    def loops(self) -> list[tuple[int, list[int], int | None, list[int], list[int], int | None]]:
        """Head, blocks, executions of the head at most for each entry, other blocks that are entered, numbers
        of the bounds that are given for it, and the greatest that sizes make of it.
        """
    def troubles(self) -> list[tuple[int, str, int | None]]:
        """Address, what is wrong there, the function that it is about."""
    def steps(self) -> int:
        """Executions of blocks that were gone through while loops were counted."""
    def assumed(self) -> list[int]:
        """Stores that were taken to stay in the objects that their pointers lead to."""
    def used(self) -> list[tuple[str, int, int | None]]:
        """Facts that made a difference: never, targets, register, recursion; address, register."""
    @property
    def impossible(self) -> int:
        """Ways out of blocks that no values allow."""
    def price(
        self, regions: Sequence[tuple[Any, ...]], cycles_per_instruction: int | None = None
    ) -> tuple[list[int], list[tuple[int, int, int, int]]]:
        """The block of each node, and edges: from node, to node (-1 out), block that follows, cycles.

        Cycles are those of the core with these memories, or as many for each instruction.

        A region is (first, last, cycles by direction, width and sequence, (float cycles, external, early
        read), (writable, pointed to by unknown pointers, holds stacks, holds code)).
        """

@final
class StopReason:
    """Why a run returned."""

    @property
    def kind(self) -> str:
        """One of time, address, output, mark, crash, stopped (nothing can happen any more), closed (the
        terminal's user left), interrupted.
        """
    @property
    def detail(self) -> str:
        """The reason in one sentence."""
    @property
    def cycle(self) -> int:
        """Core cycle at which the run stopped."""
    @property
    def time_ps(self) -> int:
        """Simulated time at which the run stopped."""

@final
class Place:
    """Where a way back ended: `begin` (nothing was met), `breakpoint` or `watchpoint`."""

    @property
    def kind(self) -> str:
        """How it ended."""
    @property
    def address(self) -> int | None:
        """Address of the instruction, or of the access."""
    @property
    def direction(self) -> Literal["read", "write"] | None:
        """What the access was."""
    @property
    def device(self) -> str | None:
        """Name of the device whose DMA it was."""
    @property
    def old(self) -> bytes:
        """What stood at the address before the access."""
    @property
    def new(self) -> bytes:
        """What stood there after it."""

@final
class Machine:
    """A machine built from a device tree."""

    def __new__(cls, dtb: bytes, name: str, overrides: Sequence[tuple[str, str]] = ...) -> Self:
        """Builds the machine; overrides are (`/path:property`, value)."""
    def load_elf(self, image: bytes, path: str) -> None:
        """Loads the segments and resets the machine; the path is for messages."""

    def load_image(self, core: int, image: bytes, path: str) -> None:
        """Loads the image of one core beside those that are loaded, before the machine runs."""

    @property
    def other_images(self) -> list[tuple[int, str, bytes]]:
        """The images of cores behind the first: core, name of the file, and its bytes."""
    @property
    def cores(self) -> list[tuple[str, int, int]]:
        """Of each core its model, the machine number of its images (ELF), and its clock in hertz."""

    def boot(self, initrd: bytes, append: str) -> None:
        """Hands an initial file system and the end of the command line to the image that was loaded.

        For PowerPC machines, before they run. Raises `ImageError` where that is not possible.
        """

    def run(
        self,
        until_ps: int | None = None,
        until_address: int | None = None,
        until_linked: int | None = None,
        until_cores: Sequence[int] = ...,
        until_output: tuple[str, bytes] | None = None,
        until_mark: int | None = None,
        until_last_word: tuple[str, Sequence[bytes]] | None = None,
        on_progress: Callable[[int, int], None] | None = None,
    ) -> StopReason:
        """Runs until the first of the conditions.

        `until_cores` are those that the address is for; none is all. `until_ps` is absolute.
        `until_output` matches bytes that the port sends after
        this call. `until_last_word` matches beginnings of lines with which a guest gives up; it may go on
        for 0.1 s to say more. Signals are looked at several times a second: KeyboardInterrupt leaves the
        machine between two instructions. `on_progress` is called as often with cycle and time; the machine
        is busy then, so the function must not call it.
        """

    def attach(self, port: str, peer: str) -> str:
        """Attaches a peer such as `tcp::5001` to a port such as `usart1`; gives the peer's real address."""

    def close(self) -> None:
        """Ends all links of the machine: files that take the guest's output get their names."""

    def peers(self) -> list[tuple[str, dict[str, Any]]]:
        """What is known about the peers of the ports so far, by port: see `socscope.attached.Peer`."""

    def ports(self) -> list[str]:
        """Names of all serial ports; the console (`stdout-path`) comes first."""

    def serial_output(self, port: str) -> bytes:
        """All that the machine has sent on the port; of millions of characters the first and the last."""

    def serial_since(self, port: str, cursor: int) -> tuple[bytes, int]:
        """What the machine has sent on the port since an entry of its log, from 0, and the entry behind."""

    def serial_input(self, port: str, data: bytes) -> None:
        """Queues bytes for the port; they go onto the line at the port's own speed."""

    def serial_log(self, port: str) -> tuple[list[int], list[str], bytes]:
        """Every character on the port, in time order: time_ps at its end, direction (`in`, `out`), value."""

    def set_bit_errors(self, port: str, rate: float, seed: int) -> None:
        """Flips each bit on a port's wire with this probability, from a seed; 0 switches it off."""

    def bits_flipped(self, port: str) -> int:
        """Bits that were flipped on a port's wire so far."""

    @property
    def moment(self) -> tuple[int, int, bool]:
        """This place of the run: cycle, which of several instructions of it, whether its events have
        passed.
        """
    def inputs(self) -> dict[str, list[Any]]:
        """All that came from outside so far, as the columns of a record's table `input`."""
    def set_input(self, device: str, line: str, level: bool) -> None:
        """Drives an input line of a device, as the board around the chip would."""

    def add_device(
        self, model: DeviceModel, instance: object, place: object, attributes: Sequence[tuple[str, Any]]
    ) -> None:
        """Puts a device into the machine, now, and resets it; `place` is a `socscope.device.device.Place`."""

    def give_device(self, model: DeviceModel, instance: object, name: str) -> None:
        """Gives the machine a device that its state or its recorded inputs may name, without putting it
        in.
        """

    def add_node(self, blob: bytes) -> str:
        """Puts the device of a device-tree blob into the machine, now, and resets it; gives its name."""

    def remove_device(self, name: str) -> None:
        """Takes a device that was added out of the machine."""

    def device_attribute(self, device: str, name: str) -> object:
        """A variable or register of a device, without side effects."""

    def set_device_attribute(self, device: str, name: str, value: object) -> None:
        """Changes an attribute of a device, now; it is recorded as input."""

    def share_folder(self, device: str, folder: Path, writable: bool) -> dict[str, Any]:
        """Takes a folder of the host as it is now and gives it to a share; it is recorded as input.

        Gives files, bytes, blake3 and left_out (path and reason).
        """

    def write_back_share(self, device: str, folder: Path) -> dict[str, Any]:
        """Writes back what the guest has made of a share: written, removed, left_out, unfinished."""

    def step(self) -> None:
        """Executes one instruction or takes one exception."""

    def enable_profile(
        self,
        functions: Sequence[tuple[int, int, int]],
        window: tuple[str, int, int] = ...,
        kernel: int | None = None,
        window_cores: tuple[Sequence[int], Sequence[int]] = ...,
        own: Sequence[tuple[int, Sequence[tuple[int, int, int]]]] = ...,
    ) -> None:
        """Switches exact counting on. Functions are (start, end, id), disjoint and sorted. `kernel` is the
        distance of a kernel's addresses from physical ones, when its code is to be told from its programs'.
        `own` has the functions in memory that a core alone sees, by core.

        The window is ("all", 0, 0), which is the default, ("marks", first, last) or ("addresses", first,
        last): counting runs from each `first` to the next `last`. `window_cores` begin and end it at these
        addresses; without any, all do.
        """

    def count(self, on: bool) -> None:
        """Switches counting on or off; for the window ("commands", 0, 0)."""

    def fold_contexts(self, contexts_max: int) -> None:
        """Tells fewer calling contexts apart than usual on each core; called when the profile begins."""

    def profile(self) -> dict[str, dict[str, list[Any]]]:
        """The counts as columns by table; the columns are those of `socscope.record.tables`."""

    def core_cycles(self) -> dict[str, list[int]]:
        """Where the cycles of each core went: `executing`, `asleep`, and `bus_held` by DMA.

        Counted since the machine was built or restored from a file; forks carry on.
        """

    def marks(self) -> dict[str, list[Any]]:
        """The magic instructions that were executed so far, as columns of the record's table `marks`."""
    def mark_address(self, number: int, name: str, address: int, cores: Sequence[int] = ...) -> None:
        """Marks the instruction at an address, from now on, on these cores; without any, on all."""
    def mark_device(self, number: int, name: str, device: str, what: str, which: str | None = None) -> None:
        """Marks what a device does, from now on: accesses of a register (`which` is read or write), or
        `interrupt` at a controller (`which` is the source).
        """
    def marked(self) -> dict[str, list[Any]] | None:
        """The marks that were set so, as columns of the record's table `marks`; None when there is nothing
        to be marked.
        """

    def checkpoint(
        self, images: Sequence[tuple[str, bytes] | None], notes: Sequence[Mapping[str, str]]
    ) -> bytes:
        """This machine and all linked to it as a checkpoint. Images (name, file) and notes are by place."""
    def fork(self) -> list[Machine]:
        """Second machines in the same state, for this one and all linked to it, by place."""
    def sibling(self) -> Machine:
        """A machine as this one was built, without an image, that was given the same devices."""
    def adopt_probes(self, other: Machine) -> None:
        """Takes the probes of another machine in place of its own: those of a sibling in the same state."""

    def state_hash(self) -> str:
        """Hash of the complete state, independent of probes and peers."""

    @property
    def core_count(self) -> int:
        """How many cores the machine has."""

    @property
    def turn(self) -> int:
        """The core that executes the next instruction."""

    def unknown_to_gdb(self) -> list[int]:
        """The cores whose architecture GDB does not know."""

    @property
    def stuck_core(self) -> int:
        """The core that a guest which is stuck is stuck for."""

    @property
    def pc(self) -> int:
        """Address of that instruction."""

    def registers(self, core: int | None = None) -> dict[str, int]:
        """The registers of a core, by default of the one that executes the next instruction.

        ARM: r0..r15, cpsr, spsr where the mode has one; r13_svc and so on by mode. PowerPC: r0..r31, pc,
        msr, cr, the segments sr0..sr15, and all special registers by the manual's names in lower case.
        """

    def image_note(self) -> str | None:
        """What the user should know of how the image was loaded."""

    def nominal_address(self, address: int, core: int | None = None) -> int:
        """Where an image was linked for what a core, or the one whose turn it is, finds at an address now: a
        remap moves memories.
        """

    def watch_linux(
        self, current: int | tuple[int, int, list[int]], pid: int, tgid: int, name: int, name_bytes: int
    ) -> None:
        """Watches from now on what the cores do for the tasks of a Linux kernel.

        `current` says where the pointer to the task is: in a register, to this member of the control block;
        or in a variable, with its address on the bus, the distance of the kernel's addresses from those, and
        the addresses behind the instructions that write it. The others are offsets within its
        `struct task_struct`, all as `socscope.awareness.linux` finds them.
        """
    def linux(self) -> dict[str, Any] | None:
        """Tasks (pid, tgid, name), and columns of 64-bit numbers as bytes: `spans` of cores, `sums` of
        further ones, system `calls`.

        None when nobody watches. `socscope.awareness.linux.found.columns` makes tables of it.
        """
    def peek(self, address: int, size: int, core: int | None = None) -> bytes:
        """Memory without side effects, as a core sees it, or all; shorter where nothing is mapped."""

    def poke(self, address: int, data: bytes, core: int | None = None) -> None:
        """Changes memory, as a core sees it, or all."""

    def trace(
        self,
        watched: Sequence[tuple[int, int]],
        until_ps: int,
        until_address: int | None = None,
        until_mark: int | None = None,
        rows_max: int = ...,
        by_instruction: bool = ...,
    ) -> tuple[str, str, dict[str, Any]]:
        """Runs, and writes down every instruction and bus cycle; `socscope.characterize.dynamic.trace` reads
        it.

        Watched places are (address, bytes) of memory or of a device's register. Gives why it ended (as a
        run's stop, or `full`), a sentence, and the tables `rows`, `bus`, `changes` as packed columns. A trace
        `by_instruction` has the cycles of instructions as I cycles instead of bus cycles.
        """
    def set_register(self, number: int, value: int) -> None:
        """Changes a register: 0 to 14 as the mode in force sees them, 15 the program counter, 16 the status
        register.
        """
    def access_costs(self) -> list[dict[str, Any]]:
        """What an access to each region costs, in cycles.

        A row has name, start, size, `read_n8` to `write_a32` (nonsequential, sequential, sequential after an
        internal cycle), float (cycles after a read before another
        memory may drive the bus), external (number of the memory on the external bus, 0 on the chip),
        early_read.
        """
    def regions(self) -> list[dict[str, Any]]:
        """The address map now: name, kind (ram, rom, device), start, size, the core that alone sees it."""

    def own_places(self) -> dict[int, list[tuple[int, int]]]:
        """Where memories and devices are that a core alone sees: first and last address, by core. None of a
        core that translates addresses: where its code was linked for says nothing about where it lies.
        """

    def core_signals(self) -> list[tuple[str, bool]]:
        """The signals that end at cores, `cpu0.irq` and others, with their levels now."""

    def devices(self) -> list[dict[str, Any]]:
        """The devices of this machine: name, base, compatible, title."""

    def warnings(self) -> list[str]:
        """What went wrong without stopping the machine: accesses to nodes without a model and the like."""

    def unmodelled(self) -> dict[str, int]:
        """Accesses that no model answered: what was accessed and how, and how often."""

    def not_told_apart(self) -> list[str]:
        """What was so much that it is not all told apart, and what is exact all the same."""

    def timing(self) -> dict[str, str]:
        """The timing model and its accuracy label: model, validated_against, known_error, leaves_out."""

    def caches(self) -> dict[str, list[Any]]:
        """The table `caches` of a run record by its columns; empty where the timing model has no caches."""

    def engine_statistics(self) -> dict[str, int]:
        """What the translating engine did: instructions interpreted, translations, instructions in them,
        bytes of machine code, translations dropped because their code was written to, times that all were
        dropped, entries into translated code, and returns from it by reason (left, unchained, computed,
        refused_accesses, deadlines). An instruction is left to the interpreter for an exception, a return,
        the status register, a call or something else (left_exceptions and so on).
        """

    def history_start(self, interval_ps: int, budget_bytes: int) -> None:
        """Begins to keep states, `interval_ps` apart; above the budget those of long ago are thinned out."""

    def history_span(self) -> tuple[int, int, bool, int]:
        """Begin and present in ps, whether the machine stands in the past, and how often that was changed."""

    def history_size(self) -> tuple[int, int]:
        """How many states are kept, and roughly their bytes."""

    def history_goto(self, time_ps: int) -> None:
        """Goes to a time between the beginning of the history and the present."""

    def history_goto_cycle(self, cycle: int) -> None:
        """The same with a core cycle."""

    def history_present(self) -> None:
        """Goes back to the present as it was left."""

    def history_back(self) -> bool:
        """Goes one instruction, or one entry of an exception, back; False at the beginning."""

    def history_back_to(
        self,
        breakpoints: Sequence[int],
        watchpoints: Sequence[tuple[int, int, str]],
        on_progress: Callable[[int], None] | None = None,
        cores: Sequence[int] = ...,
    ) -> Place:
        """Goes back to the last instruction at a breakpoint or the last access to what is watched.

        Breakpoints are for these `cores`, for all where there are none.
        Watchpoints are (address, size, `read`, `write` or `access`). The machine then stands before the
        instruction, or at the beginning.
        """

    @property
    def engine(self) -> str:
        """Which engine executes the core: `translated` (the default) or `interpreted`; results are equal."""
    @engine.setter
    def engine(self, engine: str) -> None: ...
    @property
    def place(self) -> int:
        """The machine's place among those linked to it, from 0."""
    @property
    def clock_hz(self) -> int:
        """The first core's clock."""
    @property
    def cycle(self) -> int:
        """Cycles of the first core since reset."""
    @property
    def time_ps(self) -> int:
        """Simulated time since reset."""

@final
class DeviceModel:
    """A class of devices, as the core sees it."""

    def __new__(
        cls,
        *,
        title: str,
        compatible: Sequence[str],
        data_sheet: str,
        limits: str,
        registers: Sequence[object],
        inputs: Sequence[str],
        outputs: Sequence[str],
        variables: Sequence[Mapping[str, Any]],
        events: Sequence[tuple[str, Callable[..., Any]]],
        reset: Callable[..., Any] | None,
        input: Callable[..., Any] | None,
        changed: Callable[..., Any] | None,
    ) -> Self:
        """Checks it; registers are `socscope.device.model.RegisterFacts`."""
    @property
    def span(self) -> int:
        """Bytes from the first to the last register."""

@final
class DeviceContext:
    """The machine around a device, while one of its functions runs."""

    @property
    def now_ps(self) -> int:
        """The time of the access or event."""
    @property
    def cycle(self) -> int:
        """The cycle of the device's clock."""
    @property
    def clock_hz(self) -> int:
        """The device's clock."""
    @property
    def byteorder(self) -> Literal["little", "big"]:
        """The byte order in which the device finds words in memory, as `int.from_bytes` takes it."""
    def read(self, address: int, size: int) -> bytes:
        """Reads memory as a bus master, in words where the address allows it; the core waits as long as it
        takes.
        """
    def write(self, address: int, data: bytes) -> None:
        """Writes memory as a bus master; what was written before a fault stays written."""
    def schedule(
        self,
        event: str | Callable[..., Any],
        *,
        cycles: int | None = None,
        ps: int | None = None,
        argument: int = 0,
    ) -> int:
        """Calls an event's function after so many cycles or picoseconds; gives a number for `cancel`."""
    def cancel(self, event: int) -> bool:
        """Takes an event back; false when it has run already."""
    def warn(self, text: str) -> None:
        """Notes that the guest did something that the device ignores; it stands among the run's warnings."""

def set_memory_limit(bytes: int) -> None:
    """Ends runs when the process takes more memory than this; 0 is the default, half of the host's."""

def memory_limit() -> int:
    """The memory in bytes at which runs end."""

def in_device_call() -> bool:
    """Whether a device's function runs on this thread: its machine is busy then."""

def device_value(instance: object, kind: str, number: int, index: int) -> object:
    """A `register`, `variable` or `line` of a device whose function runs; None when it does not."""

def set_device_value(instance: object, kind: str, number: int, index: int, value: object) -> bool:
    """Sets a register, variable or line; false when no function of the device runs."""

def exception_name(elf_machine: int, number: int) -> str:
    """What the exception of this number is called on the architecture of an ELF machine number."""

def node_models() -> list[dict[str, Any]]:
    """Nodes of device trees that are no devices: `title`, `found_by`, `properties` with their meanings."""

def device_models() -> list[dict[str, Any]]:
    """Manual pages as data.

    A model has compatible, title, data_sheet, limits, registers, inputs, outputs, ports, properties; a
    register has offset, name, permission (read-only, write-only, read-write), reset, group, count, stride,
    summary, fields; a field has name, lsb, width, access (like permission), on_write (set, one-clears),
    summary.
    """

def link(
    first: Machine, first_port: str, second: Machine, second_port: str, quantum_ps: int | None = None
) -> None:
    """Connects two ports; the machines then share one simulated time and run in lock step.

    Each runs for `quantum_ps` (5 us by default) before the wires are carried over. No result depends on it
    as long as it is shorter than a character on the line.
    """

@final
class Checkpoint:
    """A checkpoint that was read and found undamaged."""

    def __new__(cls, data: bytes) -> Self:
        """Reads the content of a file and checks every byte of it."""
    def facts(self) -> dict[str, Any]:
        """What can be said of it: format, socscope, machines, wires, sections (name, bytes, stored bytes).

        A machine has platform, overrides, cycle, time_ps, state_hash, added_devices (name and kind),
        profiled, notes.
        """
    def device_tree(self, machine: int) -> bytes:
        """A machine's device tree."""
    def image(self, machine: int) -> tuple[str, bytes] | None:
        """A machine's image, if it was kept: its name and the file."""
    def build(self) -> list[Machine]:
        """New machines of the same platforms, in their first state: for the devices that have to be given
        to them.
        """
    def restore(self, machines: Sequence[Machine]) -> None:
        """Puts the machines of `build` into the state that was saved. After an error they are of no use."""

@final
class TaskTable:
    """Where the tasks of an image are, and how to read them."""

    def __new__(cls, table: Mapping[str, Any]) -> Self:
        """Takes a table that `socscope.awareness` has resolved."""
    def tasks(self, machine: Machine, view: str | None = None) -> list[dict[str, Any]]:
        """The tasks as they are now, with their registers as far as they are known."""
    def peek(self, machine: Machine, address: int, size: int) -> bytes:
        """Bytes at an address of the system's own, fewer where it has no memory."""

@final
class GdbServer:
    """A port on which debuggers connect."""

    def __new__(cls, port: int = 0, host: str | None = None) -> Self:
        """Listens on the loopback interface, or on the host's address that is given; port 0 takes any free
        one.
        """
    @property
    def address(self) -> tuple[str, int]:
        """Address and real port."""
    @property
    def counts_hold(self) -> bool:
        """Whether the profiles hold what was counted: no debugger went back in time, or changed what is
        counted.
        """
    def serve(
        self,
        machine: Machine,
        images: Sequence[
            tuple[
                Sequence[tuple[int, int, int, str]],
                Mapping[int, Sequence[tuple[int, int, int, str]]],
                TaskTable | None,
            ]
        ],
        until_ps: int | None = None,
        on_event: Callable[[str, str], None] | None = None,
    ) -> tuple[str, str]:
        """Serves debuggers of a machine and of those linked to it, until one kills the guest, the time is
        over, or Ctrl-C.

        `images` holds functions (start, end, id, name), those in memory that a core alone sees, and tasks, by
        machine. Gives why it ended: one of killed, time, crash, stopped, interrupted, and a sentence.
        """

@final
class Replay:
    """A run once more, from its inputs alone."""

    def __new__(
        cls,
        machine: Machine,
        inputs: Sequence[tuple[tuple[int, int, bool], bytes]],
        end: tuple[int, int, bool],
    ) -> Self:
        """Takes a machine as it was built, or with the first inputs; these are moments and `encoded`."""
    @property
    def done(self) -> bool:
        """Whether the end is reached and everything has come in."""
    def advance(
        self, cycle: int | None = None, on_progress: Callable[[int, int], None] | None = None
    ) -> None:
        """Goes on to a cycle, or to the end."""
    def walk(self, count: int, timed: bool) -> tuple[int, int]:
        """Goes on by `count` instructions; gives their number so far and the fingerprint of their way."""
    def over_checkpoint(self) -> int:
        """Goes on with machine and profile as they are read from a checkpoint of them. Gives its size."""
    def keep(self) -> None:
        """Keeps this place."""
    def back(self) -> None:
        """Goes back to the place that was kept last."""
