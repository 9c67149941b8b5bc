"""Exact counting: since when, of which part of a run, of whose functions."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from socscope import _core
from socscope.awareness.linux.kernel import offset_of
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
        self._enable(window, (*(one for image in self.other_images for one in functions_of(image)), *loaded))

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
        known = [(one.start, one.end, one.id) for one in self.image.functions]
        known += [(one.start, one.start + one.size, len(known) + place) for place, one in enumerate(loaded)]
        window_of = (self.window.kind, self.window.first, self.window.last)
        try:
            cores = (self.window.first_cores, self.window.last_cores)
            self.machine.enable_profile(sorted(known), window_of, offset_of(self.image), cores)
        except ValueError as error:
            names = ", ".join(str(image.path) for image in (self.image, *self.other_images))
            raise OptionError(f"{names}: {error}; link the images for different addresses") from None

    def _goes_on(self, window: str, begin: Begin | None, loaded: tuple[ModuleFunction, ...]) -> None:
        """The machine has this profile."""
        self.window = parse_window(window, self.images)
        self.profiled = True
        self.profile_from = begin
        self.module_functions = loaded
        if not self._layers_given and offset_of(self.image) is not None:
            self._set_layers(LINUX_LAYERS)

    def count(self, *, on: bool) -> None:
        """Switches the profile's counting on or off; for the window `commands`."""
        self.machine.count(on)

    def _set_layers(self, rules: Path) -> None:
        self.layers = Layers.read(rules)
        self.layer_rules = rules.read_bytes()


def functions_of(image: Image) -> tuple[ModuleFunction, ...]:
    """The functions of another core's image, under the name of its file."""
    return tuple(
        ModuleFunction(
            module=image.path.stem, name=one.name, start=one.start, size=one.end - one.start, section=".text"
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
