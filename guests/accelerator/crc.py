"""A CRC-32 engine that fetches its data by itself."""

import zlib

from socscope.device import (
    BusFault,
    Context,
    Device,
    Field,
    Register,
    Word,
    attribute,
    event,
    on_write,
    output_line,
    state,
)


class Crc(Device):
    """A CRC-32 engine that fetches its data by itself."""

    limits = "It reads the whole block at once, at the end of its work."

    ADDRESS = Register(0x00, group="DMA", summary="First byte of the block.")
    LENGTH = Register(0x04, group="DMA", summary="Bytes of the block.")
    CONTROL = Register(
        0x08,
        access="write-only",
        group="control",
        fields=[Field("START", 0), Field("ACKNOWLEDGE", 1)],
        summary="Starts the engine, and takes its interrupt back.",
    )
    STATUS = Register(
        0x0C,
        access="read-only",
        group="status",
        fields=[Field("BUSY", 0), Field("DONE", 1), Field("FAULT", 2)],
        summary="How far it is.",
    )
    RESULT = Register(0x10, access="read-only", summary="The CRC-32 of the block.")

    done = output_line("The result is there.")
    cycles_per_word = attribute(4, minimum=1, summary="Cycles that the engine takes for a word.")
    blocks = state(0, "Blocks since reset.")

    @on_write("CONTROL")
    def control(self, value: Word, context: Context) -> None:
        """Starts, or takes the interrupt back."""
        if value.ACKNOWLEDGE:
            self.done = False
        if value.START and not self.STATUS.BUSY:
            self.STATUS = self.STATUS.replaced(BUSY=1, DONE=0, FAULT=0)
            words = -(-self.LENGTH // 4)
            context.schedule(self.finish, cycles=words * self.cycles_per_word)
        elif value.START:
            context.warn("started while it works: ignored")

    @event
    def finish(self, _argument: int, context: Context) -> None:
        """The work is over."""
        try:
            self.RESULT = zlib.crc32(context.read(self.ADDRESS, self.LENGTH))
            self.STATUS = self.STATUS.replaced(BUSY=0, DONE=1)
        except BusFault:
            self.STATUS = self.STATUS.replaced(BUSY=0, FAULT=1)
        self.blocks += 1
        self.done = True
