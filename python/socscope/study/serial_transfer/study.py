"""The study: what goes into its runs, how one is made, what follows from them."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from socscope import platform
from socscope.platform import of_project
from socscope.profiled import DEFAULT_LAYERS
from socscope.study.serial_transfer import outputs, transfer
from socscope.study.serial_transfer import parameters as own_parameters
from socscope.study.serial_transfer.measures import Measured
from socscope.study.serial_transfer.parameters import Parameters, plan
from socscope.study.sheet import Sheet
from socscope.study.space import Point
from socscope.study.study import Result, Say, Study, hash_of


class SerialTransfer(Study[Parameters]):
    """A file arrives over a serial line."""

    parameters = Parameters
    name = "serial-transfer"

    def text(self) -> str:
        """What is asked, and the choices made."""
        return of_project("studies", "serial_transfer", "README.md").read_text(encoding="utf-8")

    def space(self, *, quick: bool) -> Mapping[str, Sequence[Parameters]]:
        """The points by the output that they serve."""
        return plan(quick=quick).parts()

    def parts(self, *, quick: bool, settings: Sequence[str] = ()) -> dict[str, list[Parameters]]:
        """The same with parameters fixed."""
        return plan(quick=quick, settings=settings).parts()

    def sources(self) -> Sequence[Path]:
        """What says how a run is made."""
        return [Path(module.__file__) for module in (own_parameters, transfer) if module.__file__]

    def inputs(self, parameters: Parameters, say: Say) -> Mapping[str, str]:
        """The guest's image, which is built when it is missing, the platform and the rules of the layers."""
        settings = parameters.guest()
        known: dict[str, str] = self.__dict__.setdefault("_images", {})
        text = " ".join(f"{name}={value}" for name, value in settings.items() if value)
        if text not in known:
            say(f"guest {text}")
            known[text] = hash_of(transfer.image(parameters))
        return {
            "image": known[text],
            "platform": platform.load("at91x40").sha256,
            "layers": hash_of(DEFAULT_LAYERS),
        }

    def make(self, parameters: Parameters, point: Point, folder: Path) -> None:
        """One transfer."""
        transfer.worker(point, folder)

    def sheets(self, results: Mapping[str, Sequence[Result[Parameters]]]) -> list[Sheet]:
        """The outputs whose runs are there."""
        parts = {name: [Measured(one.run) for one in part] for name, part in results.items()}
        by_size, sent = parts.get("sizes", []), parts.get("send", [])
        sheets = []
        if by_size and sent:
            sheets += [outputs.overview(by_size, sent), outputs.overhead(by_size, sent)]
            sheets += [outputs.classes(by_size, sent), outputs.dma(by_size, sent)]
        if detail := parts.get("detail"):
            one = detail[0]
            sheets += [outputs.modules(one), outputs.functions(one)]
            sheets += [outputs.accesses(one), outputs.registers(one)]
            if variants := parts.get("variants"):
                sheets.append(outputs.variants(one, variants))
        if clocks := parts.get("clocks"):
            sheets.append(outputs.occupation(clocks))
        if noisy := parts.get("noisy"):
            sheets.append(outputs.errors(noisy))
        return sorted(sheets, key=lambda sheet: outputs.ORDER.index(sheet.name))
