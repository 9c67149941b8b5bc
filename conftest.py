"""Runs the code of the documentation: commands, Python, and quotations from the source."""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sybil import Document, Example, Region, Sybil
from sybil.parsers.markdown.lexers import FencedCodeBlockLexer
from sybil.parsers.myst import CodeBlockParser, PythonCodeBlockParser

ROOT = Path(__file__).parent
SEEN_BY_A_READER = (
    "benches",
    "build",
    "examples",
    "guests",
    "platforms",
    "scripts",
    "studies",
    "tests",
    "README.md",
)
COMMAND_LIMIT_S = 300


def enter_readers_folder(namespace: dict[str, Any]) -> None:
    """Enters a folder that looks like the project's root to a reader's commands, and is thrown away."""
    folder = Path(tempfile.mkdtemp(prefix="socscope-docs-"))
    for name in SEEN_BY_A_READER:
        if (ROOT / name).exists():
            (folder / name).symlink_to(ROOT / name)
    namespace["before"] = Path.cwd()
    namespace["folder"] = folder
    os.chdir(folder)


def leave_readers_folder(namespace: dict[str, Any]) -> None:
    """Goes back to where the tests run."""
    os.chdir(namespace["before"])
    shutil.rmtree(namespace["folder"])


def without_margin(text: str) -> str:
    """Returns the text without blanks at the lines' ends and without empty lines around it."""
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n")


def as_pattern(shown: str) -> str:
    """Turns shown output into a pattern: a line `...` stands for any lines, `...` in a line for any text."""
    text = re.escape(without_margin(shown)).replace("\\\n", "\n").replace("\\ ", " ")
    text = re.sub(r"(?m)^\s*\\\.\\\.\\\.$\n?", "(?s:.*?)", text)
    return text.replace(r"\.\.\.", ".*?")


def commands(block: str) -> Iterator[tuple[str, str]]:
    """Yields the commands of a block (lines `$ `, which a backslash goes on), each with the output shown."""
    yield from re.findall(r"(?m)^\$ (.*(?:(?<=\\)\n.*)*)\n((?:(?!\$ ).*\n?)*)", block + "\n")


def in_shell(text: str) -> "subprocess.CompletedProcess[str]":
    """Gives commands to a shell as a reader's terminal would have it."""
    return subprocess.run(
        ["bash", "-ec", text],
        capture_output=True,
        text=True,
        env=os.environ
        | {"PATH": f"{ROOT}/.venv/bin:{os.environ['PATH']}", "COLUMNS": "100", "NO_COLOR": "1"},
        timeout=COMMAND_LIMIT_S,
        check=False,
    )


def run_script(example: Example) -> str | None:
    """Runs a block of shell commands as a whole, as a reader pastes it; none of them may fail."""
    done = in_shell(str(example.parsed))
    return None if done.returncode == 0 else f"exit status {done.returncode}\n{done.stdout}{done.stderr}"


def run_console(example: Example) -> str | None:
    """Runs a block of `$ command` lines; the output shown below a command must be what it prints."""
    for command, shown in commands(example.parsed):
        if command.startswith("make "):
            continue  # The tests' own doing; test_project.py checks that the target exists.
        done = in_shell(command)
        if done.returncode != 0:
            return f"{command}\nexit status {done.returncode}\n{done.stdout}{done.stderr}"
        if shown.strip() and not re.fullmatch(as_pattern(shown), without_margin(done.stdout)):
            return f"{command}\nprinted\n{done.stdout}\ninstead of\n{shown}"
    return None


def quotations(document: Document) -> Iterator[Region]:
    """Finds blocks that name a source file after their language."""
    for found in FencedCodeBlockLexer(r"[a-z]+ \S+", {"language": "arguments", "source": "source"})(document):
        yield Region(found.start, found.end, found.lexemes, check_quotation)


def lines_of(text: str) -> list[str]:
    """Returns the lines without indentation and without empty ones."""
    return [line.strip() for line in text.splitlines() if line.strip()]


def check_quotation(example: Example) -> str | None:
    """A quotation must stand in the file that it names; a comment `...` leaves something out."""
    path = example.parsed["arguments"].split()[1]
    source = lines_of((ROOT / path).read_text())
    place = 0
    for piece in re.split(r"(?m)^\s*(?://|#|;|/\*)?\s*\.\.\.\s*(?:\*/)?$", str(example.parsed["source"])):
        wanted = lines_of(piece)
        starts = [n for n in range(place, len(source)) if source[n : n + len(wanted)] == wanted]
        if not starts:
            return f"{path} does not hold\n{piece}"
        place = starts[0] + len(wanted)
    return None


pytest_collect_file = Sybil(
    parsers=[
        PythonCodeBlockParser(),
        CodeBlockParser("console", run_console),
        CodeBlockParser("sh", run_script),
        quotations,
    ],
    patterns=["docs/**/*.md", "docs/*.md", "README.md", "CONTRIBUTING.md"],
    excludes=["docs/reference/generated/*"],
    setup=enter_readers_folder,
    teardown=leave_readers_folder,
).pytest()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keeps the blocks of one page together and in order when the tests run on several cores."""
    for item in items:
        if item.path.suffix == ".md":
            item.add_marker(pytest.mark.xdist_group(item.path.stem))
