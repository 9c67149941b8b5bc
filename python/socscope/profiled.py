"""Exact counting: since when, of which part of a run, of whose functions."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from socscope import _core
from socscope.awareness.linux.kernel import is_linux, offset_of
from socscope.awareness.linux.modules import functions
from socscope.errors import OptionError
from socscope.image import Image
from socscope.images import Images, parsed
from socscope.layers import Layers
from socscope.options import Window
from socscope.options import window as parse_window
from socscope.record.manifest import Begin, ModuleFunction

if TYPE_CHECKING:
    from socscope.awareness.linux import Linux

DEFAULT_LAYERS = Path(__file__).with_name("layers.toml")
LINUX_LAYERS = Path(__file__).with_name("layers_linux.toml")
# First address of a function, the one behind the last, number, name.
Numbered = tuple[int, int, int, str]
# The kernel gives the memory of these back once a module has begun.
FREED = (".init", ".exit")


class Profiled:
    """The part of a simulation that counts."""

    machine: _core.Machine
    window: Window
    profiled: bool
    profile_from: Begin | None
    layers: Layers
    layer_rules: bytes
    module_functions: tuple[ModuleFunction, ...]
    """Functions of the modules that the kernel had loaded when the profile began; of other cores' images."""
    _layers_given: bool

    if TYPE_CHECKING:

        @property
        def image(self) -> Image:
            """The image that the machine runs."""

        @property
        def linux(self) -> Linux:
            """The Linux kernel that the image is."""

        def _here(self) -> Begin: ...

    def enable_profile(self, window: str, *, modules: Sequence[str | Path] = ()) -> None:
        """Switches exact counting on from here, for a window.

        Under a Linux kernel, `watch_tasks` before it tells whose programs run; `modules` are files of modules
        that are loaded now, whose functions then have names.
        """
        loaded = place_modules(self.linux, modules) if modules else ()
        self._enable(window, (*self.functions_of_others(), *loaded))

    def functions_of_others(self) -> tuple[ModuleFunction, ...]:
        """The functions of images of cores behind the first."""
        own = self.machine.own_places()
        return tuple(
            one
            for core, name, data in self.machine.other_images
            for one in functions_of(parsed(name, data), core, own)
        )

    def functions_by_owner(self, others: Sequence[ModuleFunction]) -> dict[int | None, list[Numbered]]:
        """The image's functions and others behind them, sorted, by the core that alone sees their memory."""
        places = self.machine.own_places()
        known: dict[int | None, list[Numbered]] = {None: []}
        for one in self.image.functions:
            core = 0 if _lies_in(one.start, places.get(0, ())) else None
            known.setdefault(core, []).append((one.start, one.end, one.id, one.name))
        for number, other in enumerate(others, start=len(self.image.functions)):
            known.setdefault(other.core, []).append(
                (other.start, other.start + other.size, number, other.name)
            )
        return {core: sorted(functions) for core, functions in known.items()}

    @property
    def other_images(self) -> tuple[Image, ...]:
        """The images of cores behind the first."""
        return tuple(parsed(name, data) for _, name, data in self.machine.other_images)

    @property
    def images(self) -> Images:
        """The images of all cores, with the names in them."""
        others = {core: parsed(name, data) for core, name, data in self.machine.other_images}
        return Images(self.image, others, self.machine.core_count)

    def enable_again(self, window: str, module_functions: Sequence[ModuleFunction]) -> None:
        """What `enable_profile` did in a run that is repeated."""
        self._enable(window, tuple(module_functions))

    def _enable(self, window: str, loaded: tuple[ModuleFunction, ...]) -> None:
        begin = self._here()
        self._goes_on(window, self.profile_from if begin.at_power_on else begin, loaded)
        known = {
            core: [(start, end, number) for start, end, number, _ in functions]
            for core, functions in self.functions_by_owner(loaded).items()
        }
        own = [(core, functions) for core, functions in known.items() if core is not None]
        window_of = (self.window.kind, self.window.first, self.window.last)
        try:
            cores = (self.window.first_cores, self.window.last_cores)
            self.machine.enable_profile(known[None], window_of, offset_of(self.image), cores, own)
        except ValueError as error:
            names = ", ".join(str(image.path) for image in (self.image, *self.other_images))
            raise OptionError(f"{names}: {error}; link the images for different addresses") from None

    def _goes_on(self, window: str, begin: Begin | None, loaded: tuple[ModuleFunction, ...]) -> None:
        """The machine has this profile."""
        self.window = parse_window(window, self.images)
        self.profiled = True
        self.profile_from = begin
        self.module_functions = loaded
        if not self._layers_given and is_linux(self.image):
            self._set_layers(LINUX_LAYERS)

    def count(self, *, on: bool) -> None:
        """Switches the profile's counting on or off; for the window `commands`."""
        self.machine.count(on)

    def _set_layers(self, rules: Path) -> None:
        self.layers = Layers.read(rules)
        self.layer_rules = rules.read_bytes()


Places = Mapping[int, Sequence[tuple[int, int]]]


def _lies_in(address: int, places: Sequence[tuple[int, int]]) -> bool:
    return any(first <= address <= last for first, last in places)


def functions_of(image: Image, core: int, own: Places) -> tuple[ModuleFunction, ...]:
    """The functions of another core's image, under the name of its file."""
    return tuple(
        ModuleFunction(
            module=image.path.stem,
            name=one.name,
            start=one.start,
            size=one.end - one.start,
            section=".text",
            core=core if _lies_in(one.start, own.get(core, ())) else None,
        )
        for one in image.functions
    )


def place_modules(linux: "Linux", files: Sequence[str | Path]) -> tuple[ModuleFunction, ...]:
    """The functions of module files at the addresses where a kernel has loaded them."""
    loaded = {module.name: module for module in linux.modules()}
    placed: dict[int, ModuleFunction] = {}
    for file in map(Path, files):
        # The kernel knows a module by its file's name, with underscores for what names cannot have.
        name = file.name.partition(".")[0].replace("-", "_")
        if name not in loaded:
            there = ", ".join(sorted(loaded)) or "none"
            raise OptionError(f"{file}: the kernel has not loaded module {name} (it has loaded: {there})")
        sections = loaded[name].sections
        for section, offset, size, function in functions(Image.read(file)):
            if section in sections and size and not section.startswith(FREED):
                start = sections[section] + offset
                one = ModuleFunction(module=name, name=function, start=start, size=size, section=section)
                placed.setdefault(start, one)
    return tuple(placed[start] for start in sorted(placed))
