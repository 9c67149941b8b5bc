"""The manifest of a run record: what ran, on what, for how long, and how far the numbers can be trusted."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

FORMAT = 5
# Records of these formats can be read. Those of format 1 hold no input, those of 2 do not say of which kind
# an added device is: they cannot be run again, of format 2 only those with such devices. Up to 3 there is one
# core in a profile, and no table says which, nor what exceptions it took. Up to 4 entries
# of functions are not counted.
READABLE = (1, 2, 3, 4, 5)

# Text of a record becomes names of files and of SQL tables: nothing else may be one.
Hash = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
TableName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,62}$")]
# What a table's integers hold, and what an address of the machine can be.
Count = Annotated[int, Field(ge=0, lt=1 << 63)]
Address = Annotated[int, Field(ge=0, lt=1 << 32)]


class _Facts(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class PlatformFacts(_Facts):
    """The machine that was built."""

    name: str
    dtb_sha256: Hash
    overrides: list[str] = []


class ImageFacts(_Facts):
    """The software that ran."""

    name: str
    sha256: Hash


class Stop(_Facts):
    """Why and when the run ended. After `interrupted` (by the user) and `memory` (the limit of the process)
    the counts up to there are exact.
    """

    kind: str
    detail: str
    cycle: Count
    time_ps: Count


class Timing(_Facts):
    """The accuracy label of all cycles: model, what it was checked against, error seen, left out."""

    model: str
    validated_against: str
    known_error: str
    leaves_out: str


class Totals(_Facts):
    """Sums over the window, and over all cores: cycles are those of instructions, of exceptions' entries, of
    DMA on the bus, and of a stopped clock. The time is that of one core, the longest where they differ.
    """

    instructions: Count = 0
    cycles: Count = 0
    stopped_cycles: Count = 0
    bus_held_cycles: Count = 0
    time_ps: Count = 0
    reads: Count = 0
    writes: Count = 0
    register_reads: Count = 0
    register_writes: Count = 0
    dma_bytes: Count = 0
    interrupts: Count = 0

    @property
    def executing_cycles(self) -> int:
        """Cycles that instructions took: all but those of a stopped clock and of DMA on the bus."""
        return self.cycles - self.stopped_cycles - self.bus_held_cycles

    @property
    def cpi(self) -> float:
        """Executing cycles per instruction; 0 when nothing was executed."""
        return self.executing_cycles / self.instructions if self.instructions else 0.0


class TableFacts(_Facts):
    """One table: its length and the hash of its file."""

    rows: Count
    sha256: Hash


class Begin(_Facts):
    """Where a probe was switched on in the middle of a run."""

    cycle: Count
    part: Count
    settled: bool
    inputs: Count

    @property
    def order(self) -> tuple[int, int, int, bool]:
        """Greater where the run is further."""
        return (self.cycle, self.part, self.inputs, self.settled)

    @property
    def place(self) -> tuple[int, int, bool]:
        """The place between two instructions, whatever came in there."""
        return (self.cycle, self.part, self.settled)

    @property
    def at_power_on(self) -> bool:
        """Whether nothing happened before: no instruction was executed, and nothing came in."""
        return self.cycle == self.part == self.inputs == 0


POWER_ON = Begin(cycle=0, part=0, settled=False, inputs=0)


class MarkPoint(_Facts):
    """Where marks were set besides those of magic instructions, and since when."""

    source: str
    """`address` or `device`."""
    place: str
    """The symbol or address, or what the device does."""
    number: Address
    since: Begin


class ModuleFunction(_Facts):
    """A function of a kernel's module, where it was loaded, or of another core's image."""

    module: str
    name: str
    start: Address
    size: Address
    section: str
    core: Annotated[int, Field(ge=0, lt=8)] | None = Field(default=None, exclude_if=lambda core: core is None)
    """The core that alone sees the memory in which it lies."""


class Rerun(_Facts):
    """What a second run needs besides the input: where exactly the first ended, what it was built from."""

    part: Count
    settled: bool
    layers_sha256: Hash
    image_kept: bool
    profile_from: Begin | None = None
    tasks_from: Begin | None = None
    """Where the watching of tasks began; none when they were not watched."""
    module_functions: list[ModuleFunction] = []
    """Functions of modules that had names in the profile."""
    marks: list[MarkPoint] = []
    devices: list[str] = []
    """Devices written in Python that were added; who runs again has to give them."""


class Manifest(_Facts):
    """Everything about a run that is not in a table."""

    format: int = FORMAT
    socscope: str
    platform: PlatformFacts
    image: ImageFacts
    command: list[str]
    profiled: bool
    window: str
    layer_names: list[str]
    stop: Stop
    state_hash: Hash
    timing: Timing
    totals: Totals
    warnings: list[str] = []
    not_told_apart: list[str] = []
    """What was so much that it is not all told apart, and what is exact all the same."""
    parameters: dict[str, int | float | str | bool] = {}
    rerun: Rerun | None = None
    tables: dict[TableName, TableFacts] = {}
