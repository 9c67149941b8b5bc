"""The Python reference: everything public is in it, and nothing public floods a terminal."""

import importlib
import inspect
import pkgutil
import re
from pathlib import Path
from typing import Any

import pytest
import socscope
from socscope import sheet
from socscope.image import Image
from socscope.layers import Layers
from socscope.platform import Platform
from socscope.record import Run
from socscope.record.sources import IMAGE_BYTES_MAX
from socscope.report import timeline

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "python.md"
SHEETS = Path(__file__).parents[2] / "examples"
REPR_MAX = 300
OWN = ("socscope.cli", "socscope.study.")


def public_modules() -> list[str]:
    """All modules that say what is public of them, but for the command line and the studies themselves."""
    found = pkgutil.walk_packages(socscope.__path__, "socscope.")
    names = [one.name for one in found if one.ispkg and not one.name.startswith(OWN)]
    return ["socscope", *(name for name in names if hasattr(importlib.import_module(name), "__all__"))]


def directives() -> list[tuple[str, str, dict[str, str]]]:
    """The page's directives: kind, name, options."""
    found = re.findall(
        r"^\.\. (automodule|autoclass):: (\S+)\n((?:   :.*\n)*)", PAGE.read_text(), re.MULTILINE
    )
    return [(kind, name, dict(re.findall(r":([\w-]+): ?(.*)", options))) for kind, name, options in found]


def named(path: str) -> Any:  # noqa: ANN401 - anything public.
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name)


def in_reference() -> set[int]:
    """What the page documents, by identity."""
    found = set()
    for kind, name, options in directives():
        assert {"members", "undoc-members"} <= options.keys(), name
        if kind == "autoclass":
            assert "inherited-members" in options, name
            found.add(id(named(name)))
            continue
        module = importlib.import_module(name)
        assert not hasattr(module, "__all__") or "imported-members" in options, name
        excluded = re.split(r", *", options.get("exclude-members", ""))
        # Sphinx looks at `dir`: what is loaded later must stand there.
        shown = set(getattr(module, "__all__", dir(module))) & set(dir(module)) - set(excluded)
        found |= {id(getattr(module, one)) for one in shown if not one.startswith("_")}
    return found


@pytest.mark.parametrize("module", public_modules())
def test_what_a_module_exports_is_in_the_reference(module: str) -> None:
    imported = importlib.import_module(module)
    assert f".. automodule:: {module}\n" in PAGE.read_text()
    documented = in_reference()
    assert not [name for name in imported.__all__ if id(getattr(imported, name)) not in documented]
    assert not [name for name in imported.__all__ if not inspect.getdoc(getattr(imported, name))]


def test_what_simulations_give_is_in_the_reference() -> None:
    documented = in_reference()
    for path in (
        "simulation.Simulation",
        "simulation.Outcome",
        "console.Console",
        "share.Share",
        "history.History",
    ):
        assert id(named(f"socscope.{path}")) in documented, path


def test_representations_are_short(run: Run, image: Image, layers: Layers) -> None:
    large = Image(image.path, bytes(IMAGE_BYTES_MAX), image.functions * 1000, image.symbols, image.sections)
    shown = [large, image.functions[0], image.functions[0].origins, layers, run, run.manifest.totals]
    shown.append(Platform("board", bytes(100_000)))
    shown.append(sheet.read(next(SHEETS.rglob("*.sheet.json"))))
    shown += timeline.tracks(run)
    for one in shown:
        assert len(repr(one)) < REPR_MAX, f"{type(one).__name__}: {repr(one)[:REPR_MAX]}"
    assert repr(image) == f"Image('{image.path}', {len(image.data)} bytes, {len(image.functions)} functions)"
