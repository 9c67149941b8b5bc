"""The tables of a run record: their columns, in order, with what they mean."""

from dataclasses import dataclass

import pyarrow as pa

TEXT, INTEGER, REAL, BYTES = pa.string(), pa.int64(), pa.float64(), pa.binary()


@dataclass(frozen=True)
class Table:
    """One table: what a row is, and its columns as name -> (type, meaning)."""

    row: str
    columns: dict[str, tuple[pa.DataType, str]]

    @property
    def schema(self) -> pa.Schema:
        """The Arrow schema."""
        return pa.schema([pa.field(name, kind, nullable=False) for name, (kind, _) in self.columns.items()])


# What the compiled core counts; `_core.Machine.profile()` gives exactly these.
COUNTED: dict[str, Table] = {
    "nodes": Table(
        "a calling context: a function as reached through one chain of callers",
        {
            "node": (INTEGER, "number of the context"),
            "core": (INTEGER, "the core on which it ran: each has contexts of its own"),
            "parent": (INTEGER, "the caller's context; -1 at the root"),
            "function": (INTEGER, "the function; -1 for code outside all functions"),
            "entry": (TEXT, "how it was entered: root, call, jump, exception"),
            "entered": (
                INTEGER,
                "times that it was entered; -1 where that was not counted",
            ),
        },
    ),
    "instructions": Table(
        "instructions of one context fetched from one region",
        {
            "node": (INTEGER, "calling context"),
            "region": (TEXT, "region that the code lies in"),
            "instructions": (INTEGER, "instructions executed, those passed over by their condition included"),
            "cycles": (INTEGER, "cycles they took"),
        },
    ),
    "accesses": Table(
        "data accesses of the core from one context",
        {
            "node": (INTEGER, "calling context"),
            "region": (TEXT, "region accessed"),
            "width_bits": (INTEGER, "8, 16 or 32"),
            "direction": (TEXT, "read or write"),
            "count": (INTEGER, "accesses"),
        },
    ),
    "io": Table(
        "register accesses of the core from one context",
        {
            "node": (INTEGER, "calling context"),
            "device": (TEXT, "device, by its name in the platform"),
            "register": (TEXT, "register, by its name in the data sheet"),
            "group": (TEXT, "what the register is for"),
            "direction": (TEXT, "read or write"),
            "count": (INTEGER, "accesses"),
        },
    ),
    "exceptions": Table(
        "a kind of exception, as one core took it",
        {
            "core": (INTEGER, "the core"),
            "number": (
                INTEGER,
                "as its architecture counts: the vector's offset / 4 on ARM, / 32 on PowerPC",
            ),
            "count": (INTEGER, "times that it was taken, interrupts included"),
            "exception": (TEXT, "its name"),
        },
    ),
    "dma_transfers": Table(
        "a DMA transfer from its start to its end",
        {
            "device": (TEXT, "device that masters the bus"),
            "channel": (TEXT, "channel: receive, transmit"),
            "region": (TEXT, "memory accessed"),
            "direction": (TEXT, "read or write, as memory sees it"),
            "width_bits": (INTEGER, "width of one access"),
            "accesses": (INTEGER, "accesses made"),
            "bytes": (INTEGER, "bytes moved"),
            "start_cycle": (INTEGER, "core cycle of the start, or of the window's"),
            "end_cycle": (INTEGER, "core cycle of the end, or of the window's"),
        },
    ),
    "interrupts": Table(
        "an interrupt source, as one core took it",
        {
            "core": (INTEGER, "the core that took it"),
            "source": (TEXT, "source"),
            "count": (INTEGER, "times that it was taken"),
            "spurious": (INTEGER, "times that it was gone when the core asked"),
            "measured": (INTEGER, "latencies that were measured"),
            "latency_cycles_min": (
                INTEGER,
                "cycles from the line to the first instruction at the vector",
            ),
            "latency_cycles_total": (INTEGER, "sum of the latencies"),
            "latency_cycles_max": (INTEGER, "longest latency"),
            "handler_measured": (INTEGER, "times that software jumped to the address the controller gave"),
            "handler_cycles_min": (INTEGER, "cycles from the line to the first instruction at that address"),
            "handler_cycles_total": (INTEGER, "sum of these"),
            "handler_cycles_max": (INTEGER, "longest of these"),
        },
    ),
    "marks": Table(
        "a magic instruction that was executed",
        {
            "number": (INTEGER, "its number"),
            "argument": (
                INTEGER,
                "what the first argument register held: r0 on ARM, r3 on PowerPC; of a device the value "
                "that was read or written, or the source of the interrupt",
            ),
            "core": (INTEGER, "the core that executed it, or accessed the register; -1 for an interrupt"),
            "cycle": (INTEGER, "core cycle"),
            "time_ps": (INTEGER, "simulated time"),
        },
    ),
    "spans": Table(
        "a time span that was counted on one core",
        {
            "core": (INTEGER, "the core"),
            "start_cycle": (INTEGER, "first core cycle"),
            "end_cycle": (INTEGER, "core cycle after the last"),
            "start_ps": (INTEGER, "simulated time of the start"),
            "end_ps": (INTEGER, "simulated time of the end"),
            "instructions": (INTEGER, "instructions executed"),
            "stopped_cycles": (INTEGER, "cycles in which the core's clock was off"),
            "bus_held_cycles": (INTEGER, "cycles in which DMA held the bus"),
        },
    ),
}

# What awareness of the operating system finds; `socscope.awareness.linux.found` gives exactly these.
TASKS: dict[str, Table] = {
    "task_spans": Table(
        "a stretch of time in which a core did one thing for one task",
        {
            "core": (INTEGER, "the core"),
            "start_cycle": (INTEGER, "first core cycle"),
            "end_cycle": (INTEGER, "core cycle after the last"),
            "start_ps": (INTEGER, "simulated time of the start"),
            "end_ps": (INTEGER, "simulated time of the end"),
            "pid": (INTEGER, "number of the thread; 0 for the idle tasks and before the kernel has any"),
            "tgid": (INTEGER, "number of the process"),
            "task": (TEXT, "its name"),
            "state": (TEXT, "user, kernel, interrupt or idle"),
            "detail": (TEXT, "which system call, fault or interrupt"),
            "number": (INTEGER, "number of the system call or interrupt source, offset of the vector; or -1"),
        },
    ),
    "task_times": Table(
        "the time that one core spent for one task in one state",
        {
            "core": (INTEGER, "the core"),
            "pid": (INTEGER, "number of the thread"),
            "tgid": (INTEGER, "number of the process"),
            "task": (TEXT, "its name"),
            "state": (TEXT, "user, kernel, interrupt or idle"),
            "cycles": (INTEGER, "core cycles, without any loss: a core's rows add up to the time watched"),
            "spans": (INTEGER, "stretches of time"),
        },
    ),
    "system_calls": Table(
        "a system call that has returned",
        {
            "core": (INTEGER, "the core on which it returned"),
            "start_cycle": (INTEGER, "core cycle at which its exception was taken"),
            "end_cycle": (INTEGER, "core cycle at which user code went on"),
            "start_ps": (INTEGER, "simulated time of the start"),
            "end_ps": (INTEGER, "simulated time of the end"),
            "pid": (INTEGER, "number of the thread"),
            "tgid": (INTEGER, "number of the process"),
            "task": (TEXT, "its name"),
            "number": (INTEGER, "number of the system call"),
            "call": (TEXT, "its name in the kernel"),
            "result": (INTEGER, "what it gave, as a signed number"),
        },
    ),
}

# What is worked out from the counts and the image.
DERIVED: dict[str, Table] = {
    "functions": Table(
        "a function of the image, with its own counts over all contexts; none in a run without a profile",
        {
            "function": (INTEGER, "number of the function; -1 for code outside all functions"),
            "name": (TEXT, "symbol; all code of a kernel's program is one function, named after its task"),
            "source": (TEXT, "source file"),
            "line": (INTEGER, "line of its definition; 0 when not known"),
            "section": (TEXT, "linker section"),
            "address": (INTEGER, "first address"),
            "size": (INTEGER, "bytes"),
            "layer": (TEXT, "layer by the rules; library functions are `library` here"),
            "instructions": (INTEGER, "instructions executed in it"),
            "cycles": (INTEGER, "cycles they took"),
            "entered": (
                INTEGER,
                "times that it was entered: called, jumped or fallen into, ...; -1 where not counted",
            ),
            "instructions_inclusive": (
                INTEGER,
                "instructions of it and all that it called; recursion once",
            ),
            "cycles_inclusive": (INTEGER, "cycles they took"),
        },
    ),
    "layers": Table(
        "a software layer, library functions counted to the layer that called them",
        {
            "layer": (TEXT, "layer"),
            "instructions": (INTEGER, "instructions executed"),
            "cycles": (INTEGER, "cycles they took"),
            "reads": (INTEGER, "data reads of the core"),
            "writes": (INTEGER, "data writes of the core"),
            "register_reads": (INTEGER, "device registers read"),
            "register_writes": (INTEGER, "device registers written"),
        },
    ),
    "dma": Table(
        "a DMA channel and the memory that it used",
        {
            "device": (TEXT, "device that masters the bus"),
            "channel": (TEXT, "channel"),
            "region": (TEXT, "memory accessed"),
            "direction": (TEXT, "read or write, as memory sees it"),
            "width_bits": (INTEGER, "width of one access"),
            "transfers": (INTEGER, "transfers"),
            "accesses": (INTEGER, "accesses"),
            "bytes": (INTEGER, "bytes"),
            "bytes_mean": (REAL, "mean length of a transfer"),
        },
    ),
    "input": Table(
        "something that reached the machine from outside: with all of it, the run can be repeated",
        {
            "cycle": (INTEGER, "core cycle at which it came"),
            "time_ps": (INTEGER, "simulated time"),
            "part": (INTEGER, "which of several instructions of this cycle it followed; 0 in most machines"),
            "settled": (INTEGER, "1 when the events of the cycle had passed before"),
            "kind": (TEXT, "serial, bit errors, line, memory, ..."),
            "target": (TEXT, "port, device, address; empty for the whole machine"),
            "detail": (TEXT, "what came, in words"),
            "bytes": (BYTES, "the bytes that came, where it was bytes"),
            "encoded": (BYTES, "the whole of it, for a replay"),
        },
    ),
    "caches": Table(
        "a cache of the timing model, from the machine's start on; none without such a model",
        {
            "core": (INTEGER, "the core that it belongs to"),
            "cache": (TEXT, "instruction, data or second level"),
            "read_hits": (INTEGER, "reads or fetches that found their line"),
            "read_misses": (INTEGER, "reads or fetches that did not"),
            "write_hits": (INTEGER, "writes that found their line"),
            "write_misses": (INTEGER, "writes that did not"),
            "write_backs": (INTEGER, "changed lines that were written to the next level"),
        },
    ),
    "console": Table(
        "characters on a serial port that followed each other in one direction",
        {
            "port": (TEXT, "port"),
            "direction": (TEXT, "in (to the machine) or out"),
            "start_ps": (INTEGER, "simulated time at the first character's end"),
            "end_ps": (INTEGER, "simulated time at the last character's end"),
            "bytes": (BYTES, "the characters"),
        },
    ),
}
DERIVED["nodes"] = Table(
    COUNTED["nodes"].row,
    {
        **COUNTED["nodes"].columns,
        "layer": (TEXT, "layer: that of the function, or for library functions that of the nearest caller"),
    },
)
DERIVED["marks"] = Table(
    "a magic instruction that was executed, or a mark that was set besides",
    {
        **COUNTED["marks"].columns,
        "source": (TEXT, "magic, address (mark_at) or device (mark_on)"),
        "name": (TEXT, "place of a mark that is not magic: symbol, address, or what the device did"),
    },
)
DERIVED["interrupts"] = Table(
    COUNTED["interrupts"].row,
    {**COUNTED["interrupts"].columns, "latency_cycles_mean": (REAL, "mean latency; 0 when never taken")},
)

TABLES: dict[str, Table] = dict(sorted((COUNTED | TASKS | DERIVED).items()))
