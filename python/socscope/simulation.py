"""A machine with an image in it: run it, talk to it, record it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from socscope import _core, awareness, checkpoint, crash, debugged, ending, platform
from socscope.attached import Attached
from socscope.awareness.linux import Kernel, Linux
from socscope.awareness.linux.found import columns
from socscope.clear import clear_errors
from socscope.console import LAST_WORDS, WITHIN, Console
from socscope.device.device import Device
from socscope.device.signals import between_instructions
from socscope.errors import AwarenessError, CheckpointError, ImageError, OptionError
from socscope.history import BUDGET_MB, INTERVAL_MS, History
from socscope.image import Image
from socscope.marks import Marking
from socscope.options import LENGTH_MAX, PICOSECONDS, Duration, Progress, Window, duration, override
from socscope.platform import Platform
from socscope.profiled import DEFAULT_LAYERS, Profiled
from socscope.record import sources
from socscope.record.counts import Counts, build, empty_profile
from socscope.record.manifest import POWER_ON, Begin, ImageFacts, Manifest, PlatformFacts, Stop, Timing
from socscope.record.run import Run, open_run
from socscope.record.write import check_free, write
from socscope.share import DEVICE, Share, share
from socscope.version import VERSION

Engine = Literal["translated", "interpreted"]
Parameters = dict[str, int | float | str | bool]


@dataclass(frozen=True)
class Outcome:
    """How a run ended, and the report when the guest crashed."""

    stop: Stop
    crash: str | None = None


class Simulation(Attached, Marking, Profiled):
    """A machine of a platform that runs an image.

    `profile` switches exact counting on, for a window: `all`, `marks`, `marks 3..4`, `symbols A..B`, or
    `commands`, which `count` starts and ends. `initrd` (a file) and `append` (the end of the command line)
    are handed to a PowerPC machine's kernel, as a boot loader does. `images` has the images of other cores
    than the first, by the core's number.
    """

    def __init__(
        self,
        platform_name: str | Platform,
        image: str | Path | Image,
        *,
        overrides: Sequence[str] = (),
        profile: bool = False,
        window: str = "all",
        layers: Path | None = None,
        engine: Engine = "translated",
        devices: Sequence[Device] = (),
        initrd: str | Path | None = None,
        append: str = "",
        images: Mapping[int, str | Path | Image] | None = None,
    ) -> None:
        loaded = platform.load(platform_name) if isinstance(platform_name, str) else platform_name
        self._prepare(
            loaded, image if isinstance(image, Image) else Image.read(Path(image)), overrides, layers
        )
        with clear_errors():
            self.machine = _core.Machine(
                self.platform.dtb, self.platform.name, [override(text) for text in self.overrides]
            )
            self.machine.load_elf(self.image.data, str(self.image.path))
            for core, other in sorted((images or {}).items()):
                read = other if isinstance(other, Image) else Image.read(Path(other))
                if not 0 <= core < self.machine.core_count:
                    last = self.machine.core_count - 1
                    raise ImageError(
                        f"{read.path}: the machine has no core {core}; its cores are 0 to {last}"
                    )
                self.machine.load_image(core, read.data, str(read.path))
            self._boot(initrd, append)
            self.machine.engine = engine
            for device in devices:
                self.add(device)
            if profile:
                self.enable_profile(window)

    def _boot(self, initrd: str | Path | None, append: str) -> None:
        """Does what a boot loader does beside loading the image."""
        if initrd is None and not append:
            return
        try:
            data = Path(initrd).read_bytes() if initrd is not None else b""
        except OSError as error:
            raise ImageError(f"{initrd}: the initial file system cannot be read: {error.strerror}") from None
        if initrd is not None and not data:
            raise ImageError(f"{initrd}: the initial file system is empty: build it again")
        try:
            self.machine.boot(data, append)
        except _core.ImageError as error:
            raise ImageError(f"{initrd or append}: {error}") from error

    def _prepare(
        self,
        platform: Platform,
        image: Image | Callable[[], Image],
        overrides: Sequence[str],
        layers: Path | None,
    ) -> None:
        """All but the machine."""
        self.platform = platform
        self._image = image
        self._layers_given = layers is not None
        self._set_layers(layers or DEFAULT_LAYERS)
        self.overrides = list(overrides)
        self.window = Window()
        self.profiled = False
        self.profile_from = None
        self.module_functions = ()
        self.tasks_from: Begin | None = None
        self.mark_points = ()
        self.linked = [self]
        self.stop: Stop | None = None
        self._history: History | None = None
        self.devices: dict[str, Device] = {}
        self._kernel: Kernel | None = None

    @property
    def image(self) -> Image:
        """The image that the machine runs."""
        if isinstance(self._image, Image):
            return self._image
        return self._image()

    def _here(self) -> Begin:
        """The present place in the run."""
        cycle, part, settled = self.machine.moment
        return Begin(cycle=cycle, part=part, settled=settled, inputs=len(self.machine.inputs()["cycle"]))

    @classmethod
    def _around(
        cls,
        machine: _core.Machine,
        platform: Platform,
        image: Image | Callable[[], Image],
        overrides: Sequence[str],
        layers: Path | None,
    ) -> "Simulation":
        """With a machine that is there already."""
        one = cls.__new__(cls)
        one._prepare(platform, image, overrides, layers)
        one.machine = machine
        return one

    def checkpoint(self, path: str | Path) -> None:
        """Writes the complete state of this machine and of those connected to it, with image and profile."""
        checkpoint.save(self, path)

    @classmethod
    def restore(
        cls,
        path: str | Path,
        *,
        image: str | Path | Image | None = None,
        profile: bool = False,
        window: str = "all",
        layers: Path | None = None,
        engine: Engine = "translated",
        devices: Sequence[Device] = (),
    ) -> "Simulation":
        """The simulation of a checkpoint file, as it was saved; `linked` has those connected to it.

        A profile that was on goes on; `profile` begins one where there is none. `devices` are those
        written in Python that were added to the machines. Peers of serial ports are attached anew.
        """
        found = checkpoint.Checkpoint.read(path)
        machines = found.restore(devices)
        together = []
        for number, (machine, facts) in enumerate(zip(machines, found.machines, strict=True)):
            given = image if number == found.focus else None
            one = cls._around(
                machine,
                found.platform(number),
                found.image_when_needed(number, given),
                facts["overrides"],
                layers,
            )
            machine.engine = engine
            if facts["profiled"]:
                found.check_functions(number, one.image)
                one._goes_on(facts["notes"]["window"], *found.profile_of(number))
            elif profile and number == found.focus:
                one.enable_profile(window)
            for device in devices:
                if device.name in [name for name, _ in facts["added_devices"]] and device.simulation is None:
                    one.devices[device.name] = device
                    device.joined(one)
            together.append(one)
        for one in together:
            one.linked = together
        focus = together[found.focus]
        if profile and window not in ("all", focus.window.text):
            raise CheckpointError(f"{path}: its profile goes on and counts {focus.window.text}, not {window}")
        return focus

    def fork(self) -> "Simulation":
        """A second simulation in the same state, that goes its own way; `linked` has those connected to it.

        Memory is shared until one of them writes it. Peers of serial ports stay with this one.
        """
        origins = sorted(self.linked, key=lambda one: one.machine.place)
        with clear_errors():
            machines = self.machine.fork()
        together = []
        for origin, machine in zip(origins, machines, strict=True):
            one = Simulation.__new__(Simulation)
            one.__dict__.update(origin.__dict__)
            one.machine = machine
            one.devices = {name: device.twin(one) for name, device in origin.devices.items()}
            one._history = None
            together.append(one)
        for one in together:
            one.linked = together
        return together[origins.index(self)]

    def console(self, port: str | None = None, *, prompt: str = "$ ", within: str = WITHIN) -> Console:
        """A script of a port, the platform's console by default: waits for what the guest says, and types.

        `prompt` is what its shell writes at the beginning of a line, `within` the longest simulated time that
        anything is awaited.
        """
        return Console(self, port, prompt=prompt, within=within)

    @property
    def console_port(self) -> str:
        """The port that the platform calls its console."""
        ports = self.machine.ports()
        if not ports:
            raise OptionError(f"{self.platform.name}: the platform has no serial port")
        return ports[0]

    def share(self, folder: str | Path, *, read_only: bool = True, device: str = DEVICE) -> Share:
        """Gives the guest a folder of the host as it is now, at any time before the guest mounts it."""
        return share(self, folder, read_only=read_only, device=device)

    def history(self, *, interval: str = f"{INTERVAL_MS}ms", budget_mb: int = BUDGET_MB) -> History:
        """Keeps a history from now on, to go back in time.

        A state is kept every `interval` of simulated time; above `budget_mb` those of long ago are thinned
        out.
        """
        self._history = History(self, interval, budget_mb)
        return self._history

    def send(self, data: bytes, port: str | None = None) -> None:
        """Sends bytes to a port, the console by default."""
        with clear_errors():
            self.machine.serial_input(port or self.console_port, data)

    def output(self, port: str | None = None) -> bytes:
        """All that the machine has sent on a port, the console by default."""
        with clear_errors():
            return self.machine.serial_output(port or self.console_port)

    def run(
        self,
        limit: str | Duration | None = None,
        *,
        until_symbol: str | None = None,
        until_output: str | bytes | None = None,
        until_mark: int | None = None,
        until_panic: bool = False,
        port: str | None = None,
        on_progress: Progress | None = None,
    ) -> Outcome:
        """Goes on until the first of the conditions, the guest's end, or Ctrl-C.

        `limit` counts from now. `until_output` looks at the console unless `port` is given; empty, it is any
        output. With `until_panic` a line of the console in which a kernel gives up ends the run, 0.1 s of
        simulated time later at most.
        """
        length = duration(limit) if isinstance(limit, str) else limit
        until_ps = self.machine.time_ps + self.picoseconds(length) if length else None
        if until_output is not None and self._history and self._history.in_past:
            raise OptionError(
                "output was awaited, and the machine stands in the past: go to the present first"
            )
        text = until_output.encode() if isinstance(until_output, str) else until_output
        named = self.images.named(until_symbol) if until_symbol else None
        machine = self.machine
        try:
            with clear_errors(), between_instructions(on_progress, devices=bool(self.devices)) as progress:
                reason = machine.run(
                    until_ps=until_ps,
                    until_address=named.address if named and named.is_number else None,
                    until_linked=named.address if named and not named.is_number else None,
                    until_cores=named.cores if named else (),
                    until_output=None if text is None else (port or self.console_port, text),
                    until_mark=until_mark,
                    until_last_word=self._last_words() if until_panic else None,
                    on_progress=progress,
                )
        except KeyboardInterrupt as interrupt:
            detail = ending.reason(interrupt)
            self.stop = Stop(kind="interrupted", detail=detail, cycle=machine.cycle, time_ps=machine.time_ps)
            return Outcome(self.stop)
        detail = reason.detail
        if reason.kind == "loop":
            image = self.images.of(machine.turn)
            detail = crash.endless_loop(image, machine.registers(), machine.nominal_address)
        self.stop = Stop(kind=reason.kind, detail=detail, cycle=reason.cycle, time_ps=reason.time_ps)
        return Outcome(self.stop, self._crash_report(detail) if reason.kind == "crash" else None)

    def _last_words(self) -> tuple[str, list[bytes]] | None:
        ports = self.machine.ports()
        return (ports[0], [word.encode() for word in LAST_WORDS]) if ports else None

    def debug(
        self,
        port: int = 0,
        *,
        host: str | None = None,
        limit: str | Duration | None = None,
        system: Path | None = None,
        on_event: Callable[[str, str], None] | None = None,
    ) -> Outcome:
        """Lets GDB debug this machine and those connected to it, until it kills the guest, `limit` or Ctrl-C.

        The machine waits for GDB. `system` describes an operating system whose tasks shall be threads,
        besides those that are known. `on_event` is told of `listening` (with the address), `blind` (what
        cannot be seen: tasks, cores, and why), `connected`, `refused` (who connected and is no debugger),
        `detached`, `closed` and `broken`.
        """
        length = duration(limit) if isinstance(limit, str) else limit
        until_ps = self.machine.time_ps + self.picoseconds(length) if length else None
        kind, detail = debugged.serve(self, (host, port), until_ps, system, on_event)
        self.stop = Stop(kind=kind, detail=detail, cycle=self.machine.cycle, time_ps=self.machine.time_ps)
        return Outcome(self.stop, self._crash_report(detail) if kind == "crash" else None)

    def count_again(self) -> None:
        """Counts the course that the machine has taken in the end, and watches its tasks on it, where a
        debugger went back in time.
        """
        if not self.profiled and self.tasks_from is None:
            return
        columns = self.machine.inputs()
        moments = zip(columns["cycle"], columns["part"], map(bool, columns["settled"]), strict=True)
        inputs = list(zip(moments, columns["encoded"], strict=True))
        with clear_errors():
            again = Simulation._around(
                self.machine.sibling(), self.platform, self.image, self.overrides, None
            )
            again.machine.load_elf(self.image.data, str(self.image.path))
            stages: list[tuple[Begin, Callable[[], None]]] = []
            if self.profiled:
                enable = partial(again.enable_again, self.window.text, self.module_functions)
                stages.append((self.profile_from or POWER_ON, enable))
            if self.tasks_from is not None:
                stages.append((self.tasks_from, again.watch_tasks))
            for begin, action in sorted(stages, key=lambda stage: stage[0].order):
                if not begin.at_power_on:
                    _core.Replay(again.machine, inputs[: begin.inputs], begin.place).advance()
                action()
            _core.Replay(again.machine, inputs, self.machine.moment).advance()
            self.machine.adopt_probes(again.machine)

    def tasks(self, system: Path | None = None) -> awareness.Tasks:
        """The tasks of the guest's operating system: one that is known, or the one that `system`
        describes.
        """
        if system is not None:
            table = awareness.resolve(awareness.Description.read(system), self.image)
        else:
            found = awareness.find(self.image)
            if found is None:
                known = ", ".join(awareness.known())
                raise AwarenessError(
                    f"{self.image.path}: no operating system that is known ({known}): describe it"
                )
            table = found
        return awareness.Tasks(self.machine, table)

    @property
    def linux(self) -> Linux:
        """The Linux kernel that the image is: its tasks and modules, read whenever they are asked for."""
        if self._kernel is None:
            self._kernel = Kernel.of(self.image)
        return Linux(self.machine, self._kernel)

    def watch_tasks(self) -> None:
        """Watches from here on which task of a Linux kernel each core runs, and what for.

        It costs little, changes nothing, and begins anew each time. What was found is in the tables
        `task_spans`, `task_times` and `system_calls` of `counts()` and of the record.
        """
        layout = self.linux.kernel.layout
        with clear_errors():
            self.machine.watch_linux(**layout)
        self.tasks_from = self._here()

    def picoseconds(self, length: Duration) -> int:
        """A duration as simulated time of this machine."""
        if length.unit == "ps":
            return length.count
        # Rounded up: the run ends at or after the cycle. More than 50 simulated days never end here.
        return min(-(-length.count * PICOSECONDS["s"] // self.machine.clock_hz), LENGTH_MAX)

    def _crash_report(self, detail: str) -> str:
        machine, core = self.machine, self.machine.stuck_core
        image, registers = self.images.of(core), machine.registers(core)
        peek = partial(machine.peek, core=core)
        nominal = partial(machine.nominal_address, core=core)
        return crash.report(detail, image, registers, peek, nominal)

    def counts(self) -> Counts:
        """The tables of what was counted so far."""
        self._check_history()
        machine = self.machine
        serial = {port: machine.serial_log(port) for port in machine.ports()}
        profile = machine.profile() if self.profiled else {**empty_profile(), "marks": machine.marks()}
        found = machine.linux()
        tasks = None if found is None else columns(found, self.linux.kernel)
        return build(
            profile,
            self.image,
            self.layers,
            serial,
            machine.inputs(),
            modules=self.module_functions,
            tasks=tasks,
            caches=machine.caches(),
            marked=machine.marked(),
        )

    def _check_history(self) -> None:
        """Counts are those of the course that was run."""
        counted = self.profiled or self.mark_points or self.tasks_from is not None
        if counted and self._history and self._history.in_past:
            raise OptionError("the counts are those of the present: go there first")
        if counted and self._history and self._history.changes:
            raise OptionError("the past was changed after it was counted: run again without going back")

    def record(
        self,
        folder: str | Path,
        *,
        command: Sequence[str] = (),
        parameters: Parameters | None = None,
        images: Path | None = None,
    ) -> Run:
        """Writes a run record: the whole folder or nothing.

        The record keeps the image, so that it can be run again; records of one image share it in the folder
        `images`.
        """
        if self.stop is None:
            raise OptionError("nothing has run yet: there is nothing to record")
        check_free(Path(folder))
        counts = self.counts()
        rerun, files = sources.keep(
            self.machine.moment,
            self.platform,
            self.layer_rules,
            self.image,
            images=images,
            profile_from=self.profile_from,
            tasks_from=self.tasks_from,
            modules=self.module_functions,
            marks=self.mark_points,
            devices=sources.added_devices(counts.tables["input"]),
        )
        manifest = Manifest(
            socscope=VERSION,
            platform=PlatformFacts(
                name=self.platform.name, dtb_sha256=self.platform.sha256, overrides=self.overrides
            ),
            image=ImageFacts(name=self.image.path.name, sha256=self.image.sha256),
            command=list(command),
            profiled=self.profiled,
            window=self.window.text,
            layer_names=self.layers.names(),
            stop=self.stop,
            state_hash=self.machine.state_hash(),
            timing=Timing.model_validate(self.machine.timing()),
            totals=counts.totals,
            warnings=[*self.machine.warnings(), *filter(None, [self.image.damage if self.profiled else ""])],
            not_told_apart=self.machine.not_told_apart(),
            parameters=parameters or {},
            rerun=rerun,
        )
        write(Path(folder), manifest, counts.tables, files)
        return open_run(folder)
