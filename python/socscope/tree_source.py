"""A device tree's source with all that it includes, so that its compiler opens no file.

Only files of the tree's own folder and of the platforms' folder are read.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from socscope.errors import PlatformError

DEPTH_MAX = 32
BYTES_MAX = 16_000_000
INCLUDE, BINARY = "/include/", "/incbin/"

# The compiler's own words: comments, strings, characters, and the two that read files.
_WORD = re.compile(
    r"""/\*.*?\*/|//[^\n]*|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|/include/|/incbin/|^[ \t]*\#[ \t]*include\b""",
    re.DOTALL | re.MULTILINE,
)
_NAME = re.compile(r'\s*"((?:[^"\\]|\\.)*)"', re.DOTALL)
_PART = re.compile(
    r'\s*\(\s*"((?:[^"\\]|\\.)*)"\s*(?:,\s*(0x[0-9a-fA-F]+|\d+)\s*,\s*(0x[0-9a-fA-F]+|\d+)\s*)?\)', re.DOTALL
)


def whole(path: Path, library: Path) -> bytes:
    """The source of a tree with its inclusions put in; files of the folder `library` may be included, too."""
    source = _Source(path.parent, library)
    source.read(path, path, [])
    return "".join(source.parts).encode("latin-1")


@dataclass
class _Source:
    folder: Path
    library: Path
    parts: list[str] = field(default_factory=list)
    size: int = 0

    def read(self, path: Path, shown: Path, above: list[Path]) -> None:
        """Adds a file; `above` are those that include it."""
        text = self._content(path, shown).decode("latin-1")
        self._begin(shown, 1)
        for part in self._expanded(text, shown, [*above, path]):
            self.parts.append(part)

    def _begin(self, shown: Path, line: int) -> None:
        name = str(shown).replace("\\", "\\\\").replace('"', '\\"')
        self.parts.append(f'\n# {line} "{name}"\n'.encode().decode("latin-1"))

    def _expanded(self, text: str, shown: Path, files: list[Path]) -> Iterator[str]:
        done = 0
        while word := _WORD.search(text, done):
            yield text[done : word.start()]
            found, done = word.group(), word.end()
            line = 1 + text.count("\n", 0, word.start())
            place = f"{shown}:{line}"
            if found.startswith(("/*", "//")):
                yield "\n" * found.count("\n") or " "
            elif found == INCLUDE:
                name = _NAME.match(text, done)
                if name is None:
                    raise PlatformError(f'{place}: {INCLUDE} without a file; write {INCLUDE} "file"')
                done = name.end()
                if len(files) > DEPTH_MAX:
                    raise PlatformError(
                        f"{place}: {INCLUDE} more than {DEPTH_MAX} files deep: {files[-1].name}"
                    )
                self.read(*self._find(name[1], shown, place, INCLUDE), files)
                self._begin(shown, 1 + text.count("\n", 0, done))
            elif found == BINARY:
                part = _PART.match(text, done)
                if part is None:
                    form = f'{BINARY}("file") or {BINARY}("file", offset, length) with plain numbers'
                    raise PlatformError(f"{place}: {BINARY} is none; write {form}")
                done = part.end()
                yield self._binary(part, shown, place)
            elif found[0] in "\"'":
                # The two words stand nowhere in what the compiler gets: not in a text either.
                reads = INCLUDE in found or BINARY in found
                yield re.sub(r"(?<!\\)/", r"\\x2f", found) if reads else found
            else:
                raise PlatformError(
                    f'{place}: #include is for the C preprocessor, which is not run; write {INCLUDE} "file"'
                )
        yield text[done:]

    def _binary(self, part: re.Match[str], shown: Path, place: str) -> str:
        path, found = self._find(part[1], shown, place, BINARY)
        content = self._content(path, found)
        if part[2] is not None:
            offset, length = int(part[2], 0), int(part[3], 0)
            if offset + length > len(content):
                raise PlatformError(
                    f"{place}: {BINARY} of bytes {offset} to {offset + length} of {found}, which has "
                    f"{len(content)}; correct the numbers"
                )
            content = content[offset : offset + length]
        return f"[{content.hex()}]" + "\n" * part[0].count("\n")

    def _find(self, name: str, shown: Path, place: str, word: str) -> tuple[Path, Path]:
        """The file that is meant, and how it is called in messages: beside the one that names it, or ours."""
        for candidate in (shown.parent / name, self.library / name):
            if candidate.is_file():
                break
        else:
            raise PlatformError(
                f"{place}: {word} {name}: no such file beside it or in {self.library}; correct the name"
            )
        real = candidate.resolve()
        allowed = [self.folder.resolve(), self.library.resolve()]
        if not any(real.is_relative_to(folder) for folder in allowed):
            raise PlatformError(
                f"{place}: {word} {name}: {real} lies outside of the tree's folder {allowed[0]}; a tree may "
                "only include files of its own folder; copy it there"
            )
        return real, candidate

    def _content(self, path: Path, shown: Path) -> bytes:
        try:
            self.size += path.stat().st_size
            if self.size > BYTES_MAX:
                raise PlatformError(
                    f"{shown}: the tree has more than {BYTES_MAX} bytes with all that it includes; "
                    "include less"
                )
            return path.read_bytes()
        except OSError as error:
            raise PlatformError(f"{shown}: cannot be read: {error.strerror}") from None
