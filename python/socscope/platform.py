"""Platforms: where their device trees are, and how they are compiled."""

import hashlib
import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from socscope.errors import PlatformError
from socscope.tree_compiler import OUTPUT_BYTES_MAX, compile_tree, limited

# A board has some ten thousand.
BYTES_MAX = OUTPUT_BYTES_MAX

Value = int | str | bool | Sequence[int]
"""A property of a device-tree node: cells, a string, or True for a flag."""

ROOT = Path(os.environ.get("SOCSCOPE_ROOT", Path(__file__).parents[2]))
# A wheel holds the platforms, also compiled: who only runs them needs no device-tree compiler.
PACKAGED = Path(__file__).parent / "platforms"
FOLDER = PACKAGED if PACKAGED.is_dir() and "SOCSCOPE_ROOT" not in os.environ else ROOT / "platforms"


@dataclass(frozen=True)
class Platform:
    """A compiled device tree with its name."""

    name: str
    dtb: bytes = field(repr=False)

    @cached_property
    def sha256(self) -> str:
        """Hash of the compiled tree."""
        return hashlib.sha256(self.dtb).hexdigest()

    def property(self, node: str, name: str) -> str | None:
        """A text property of a node."""
        with tempfile.NamedTemporaryFile(suffix=".dtb") as file:
            file.write(self.dtb)
            file.flush()
            status, said, _ = limited(["fdtget", "-t", "s", file.name, node, name], b"", self.name)
        return said.decode(errors="replace").strip() if status == 0 else None


def of_project(*parts: str) -> Path:
    """A file of the project's checkout, which studies and their guests need."""
    path = ROOT.joinpath(*parts)
    if not path.exists():
        raise PlatformError(f"{path} is missing: set SOCSCOPE_ROOT to the folder of the project's checkout")
    return path


def names() -> list[str]:
    """Names of the platforms that come with Socscope."""
    return sorted(path.stem for path in FOLDER.glob("*.dts"))


def find(platform: str) -> Path:
    """The file of a platform: a name, or a path to a .dts or .dtb file."""
    if platform.endswith((".dts", ".dtb")) or "/" in platform:
        path = Path(platform)
        if not path.is_file():
            raise PlatformError(f"{platform}: no such device tree")
        return path
    path = FOLDER / f"{platform}.dts"
    if not path.is_file():
        raise PlatformError(
            f"{platform}: no such platform; there are {', '.join(names())}; or give a .dts or .dtb file"
        )
    return path


def load(platform: str) -> Platform:
    """Finds a platform and compiles it when it is source."""
    path = find(platform)
    compiled = path.with_suffix(".dtb")
    if path.parent == PACKAGED and compiled.is_file():
        path = compiled
    try:
        with path.open("rb") as file:
            content = file.read(BYTES_MAX + 1)
    except OSError as error:
        raise PlatformError(f"{path}: cannot be read: {error.strerror}") from None
    if len(content) > BYTES_MAX:
        raise PlatformError(f"{path}: more than {BYTES_MAX:,} bytes, which no device tree has: is it one?")
    if path.suffix == ".dtb":
        return Platform(path.stem, content)
    return Platform(path.stem, compile_tree(path, FOLDER))


def node_tree(
    compatible: str,
    base: int,
    *,
    name: str | None,
    size: int,
    interrupt: int | None,
    properties: Mapping[str, Value],
) -> bytes:
    """The tree of one device that is added to a machine."""
    label = name or re.sub(r"^.*,", "", compatible).replace("-", "_")
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", label):
        raise PlatformError(f"{label}: no name of a device; give letters, digits and underscores")
    lines = [f"compatible = {_text(compatible)};", f"reg = <{base:#x} {size:#x}>;"]
    if interrupt is not None:
        lines.append(f"interrupts = <{interrupt}>;")
    lines += [_property_text(key, value) for key, value in properties.items()]
    body = "\n".join(lines)
    source = (
        "/dts-v1/;\n/ { #address-cells = <1>; #size-cells = <1>;\n"
        f"{label}: {label.replace('_', '-')}@{base:x} {{\n{body}\n}};\n}};\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"{label}.dts")
        path.write_text(source)
        return compile_tree(path, FOLDER)


def _property_text(name: str, value: Value) -> str:
    if not re.fullmatch(r"[A-Za-z0-9,._+?#-]+", name):
        raise PlatformError(f"{name!r}: no name of a property; give letters, digits and ,._+?#-")
    if value is True:
        return f"{name};"
    if isinstance(value, str):
        return f"{name} = {_text(value)};"
    cells = [value] if isinstance(value, int) else value
    return f"{name} = <{' '.join(str(int(cell)) for cell in cells)}>;"


def _text(value: str) -> str:
    """A text as the compiler reads it."""
    plain = [byte for byte in range(32, 127) if byte not in b'"\\']
    return '"' + "".join(chr(byte) if byte in plain else f"\\x{byte:02x}" for byte in value.encode()) + '"'
