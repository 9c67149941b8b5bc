"""The engine for cellular automata that Socscope has built in, written in Python: a model to try changes on.

Its registers are those of the built-in engine; `socscope device systemrdl rule30` writes them for hardware
designers, `socscope device header rule30` for drivers, and `socscope devices rule30` explains them.
"""

from socscope.device import (
    BusFault,
    Context,
    Device,
    Word,
    attribute,
    event,
    from_model,
    on_write,
    output_line,
    state,
)

WORDS = 32


def next_line(line: int, rule: int, length: int) -> int:
    """The line after `line`, cell i being bit i; cells outside of the line are 0."""
    everything = (1 << length) - 1
    left, right = line << 1, line >> 1
    after = 0
    for pattern in range(8):
        if rule >> pattern & 1:
            cells = left if pattern & 4 else ~left
            cells &= line if pattern & 2 else ~line
            cells &= right if pattern & 1 else ~right
            after |= cells
    return after & everything


class Rule30(Device):
    """Rule 30 cellular automaton engine, in Python."""

    limits = "DMA moves its words in one go: the input at START, all output lines when the last one is done."
    size = 0x1000

    registers = from_model("socscope,rule30")

    irq = output_line("DONE, when CONTROL asks for it.")
    latency_ns = attribute(100, minimum=0, maximum=10**12, summary="Time for a line.")
    interrupt_number = attribute(0, minimum=0, summary="What IRQ says.")
    batch = attribute(False, summary="The extension BATCH is there.")
    dma = attribute(False, summary="The extension DMA is there.")

    pending = state(-1, "The event at which the lines are done.")
    line = state(b"", "The line that is computed from, its first cell in the first bit.")
    rule = state(0)
    length = state(0)
    lines = state(0)
    destination = state(-1, "Where the lines go; -1 for nowhere.")
    failed = state(False, "The input could not be read.")

    def reset(self, context: Context) -> None:
        """Shows what this engine is."""
        self.clear()

    def clear(self) -> None:
        """Gives every register its reset value."""
        for register in type(self).registers.values():
            if register.count == 1:
                self[register.name] = register.reset
        for index in range(WORDS):
            self[f"INPUT{index}"] = self[f"OUTPUT{index}"] = 0
        self["VERSION"] = self["VERSION"].replaced(BATCH=self.batch, DMA=self.dma)
        self["IRQ"] = self.interrupt_number
        self.irq = False

    def drive(self) -> None:
        """Sets the interrupt line."""
        self.irq = bool(self["STATUS"].DONE and self["CONTROL"].IRQ_ENABLE)

    @on_write("CONTROL")
    def control(self, value: Word, context: Context) -> None:
        """Options of extensions are there only with the extension."""
        if not self.dma:
            self["CONTROL"] = self["CONTROL"].replaced(DMA_READ=0, DMA_WRITE=0)
        self.drive()

    @on_write("STATUS")
    def status(self, value: Word, context: Context) -> None:
        """A one clears DONE and with it the interrupt."""
        self.drive()

    @on_write("RESET")
    def reset_engine(self, value: Word, context: Context) -> None:
        """Drops the line in work."""
        if value.RESET:
            if self.pending >= 0:
                context.cancel(self.pending)
            self.pending = -1
            self.clear()
        self["RESET"] = 0

    @on_write("LINES")
    def count_lines(self, value: Word, context: Context) -> None:
        """Is there only with the extension."""
        self.keep("LINES", there=self.batch, context=context)

    @on_write("SOURCE")
    def read_from(self, value: Word, context: Context) -> None:
        """Is there only with the extension."""
        self.keep("SOURCE", there=self.dma, context=context)

    @on_write("DESTINATION")
    def write_to(self, value: Word, context: Context) -> None:
        """Is there only with the extension."""
        self.keep("DESTINATION", there=self.dma, context=context)

    def keep(self, register: str, *, there: bool, context: Context) -> None:
        """Forgets what was written to a register that this engine does not have."""
        if not there:
            self[register] = 0
            context.warn(f"write to {register} ignored: VERSION does not say that this extension is there")

    @on_write("START")
    def start(self, value: Word, context: Context) -> None:
        """Takes everything that the lines depend on, and says when they will be done."""
        self["START"] = 0
        if not value.START:
            return
        if self.pending >= 0:
            self["STATUS"] = self["STATUS"].replaced(ERROR=1)
            context.warn("started while it works: ignored")
            return
        length = int(self["LENGTH"])
        if not 1 <= length <= 32 * WORDS:
            self["STATUS"] = self["STATUS"].replaced(DONE=0, ERROR=1)
            context.warn(f"started with LENGTH {length}: ignored; it is 1 to 1024")
            self.drive()
            return
        control = self["CONTROL"]
        self.length, self.rule = length, int(self["RULE"])
        self.lines = max(1, int(self["LINES"]))
        self.failed = bool(control.DMA_READ) and not self.fetch(context)
        self.destination = int(self["DESTINATION"]) if control.DMA_WRITE else -1
        self.line = b"".join(int(self[f"INPUT{index}"]).to_bytes(4, "little") for index in range(WORDS))
        self["STATUS"] = self["STATUS"].replaced(BUSY=1, DONE=0, ERROR=0)
        self.pending = context.schedule(self.finish, ps=self.latency_ns * 1000 * self.lines)
        self.drive()

    def fetch(self, context: Context) -> bool:
        """Reads the input from memory, word by word; false when it ends before."""
        try:
            for index in range(-(-self.length // 32)):
                word = context.read(int(self["SOURCE"]) + 4 * index & 0xFFFF_FFFF, 4)
                self[f"INPUT{index}"] = int.from_bytes(word, context.byteorder)
        except BusFault:
            return False
        return True

    @event
    def finish(self, _argument: int, context: Context) -> None:
        """The lines are done."""
        line = int.from_bytes(self.line, "little") & ((1 << self.length) - 1)
        words = -(-self.length // 32)
        written = b""
        for _ in range(self.lines):
            line = next_line(line, self.rule, self.length)
            parts = (line >> 32 * index & 0xFFFF_FFFF for index in range(words))
            written += b"".join(part.to_bytes(4, context.byteorder) for part in parts)
        failed = self.failed
        if self.destination >= 0:
            try:
                context.write(self.destination, written)
            except BusFault:
                failed = True
        for index in range(WORDS):
            self[f"OUTPUT{index}"] = line >> 32 * index & 0xFFFF_FFFF
            if self["CONTROL"].LATCH:
                self[f"INPUT{index}"] = self[f"OUTPUT{index}"]
        self.pending = -1
        status = self["STATUS"]
        self["STATUS"] = status.replaced(BUSY=0, DONE=1, ERROR=1 if failed else status.ERROR)
        self.drive()
