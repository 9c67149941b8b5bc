"""What holds for the project as a whole: the order of its folders, its lints, its pins."""

import json
import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]

# Top to bottom: a dependency points up the list, never down.
ORDER = re.findall(r"^\| `crates/([a-z/]+)` \|", (ROOT / "ARCHITECTURE.md").read_text(), re.MULTILINE)
UNSAFE_ALLOWED = {"memory", "host", "jit"}
HOST_ALLOWED = {"host", "python"}


def tracked(*patterns: str) -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "--", *patterns], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return [ROOT / line for line in listed.stdout.splitlines() if (ROOT / line).exists()]


def packages() -> dict[str, dict[str, Any]]:
    """Returns the workspace's crates by folder, as cargo reads them; `fuzz` only uses them."""
    said = subprocess.run(
        ["cargo", "metadata", "--no-deps", "--offline", "--format-version", "1"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    folders = {
        Path(package["manifest_path"]).parent: package for package in json.loads(said.stdout)["packages"]
    }
    crates = ROOT / "crates"
    return {
        str(folder.relative_to(crates)): package
        for folder, package in folders.items()
        if folder.is_relative_to(crates)
    }


CRATES = packages()


@pytest.mark.parametrize("folder", CRATES)
def test_dependencies_point_up_the_list_of_folders(folder: str) -> None:
    above = {f"socscope-{Path(name).name}" for name in ORDER[: ORDER.index(folder)]}
    ours = {
        d["name"]
        for d in CRATES[folder]["dependencies"]
        if d["name"].startswith("socscope-") and d["kind"] != "dev"
    }
    assert ours <= above


@pytest.mark.parametrize("folder", CRATES)
def test_every_crate_takes_the_workspace_lints(folder: str) -> None:
    manifest = tomllib.loads((ROOT / "crates" / folder / "Cargo.toml").read_text())
    assert manifest["lints"] == {"workspace": True}


@pytest.mark.parametrize("folder", sorted(set(CRATES) - HOST_ALLOWED))
def test_core_crates_have_no_exemption_from_the_host_lints(folder: str) -> None:
    assert not (ROOT / "crates" / folder / "clippy.toml").exists()
    for path in tracked(f"crates/{folder}/src"):
        assert not re.search(r"(allow|expect)\(\s*clippy::disallowed", path.read_text()), path
    random = {"rand", "rand_core", "getrandom", "fastrand"}
    normal = {d["name"] for d in CRATES[folder]["dependencies"] if d["kind"] != "dev"}
    assert not normal & random


@pytest.mark.parametrize("folder", sorted(set(CRATES) - UNSAFE_ALLOWED))
def test_unsafe_is_not_allowed_outside_its_folders(folder: str) -> None:
    for path in tracked(f"crates/{folder}/src"):
        assert not re.search(r"allow\([^)]*unsafe_code", path.read_text()), path


def test_python_packages_are_pinned_with_hashes() -> None:
    lock = (ROOT / "requirements-tests.lock").read_text()
    entries = re.findall(r"^([a-z0-9-]+)==\S+ \\\n    --hash=sha256:[0-9a-f]{64}", lock, re.MULTILINE)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = [
        *project["dependencies"],
        *(n for extra in project["optional-dependencies"].values() for n in extra),
    ]
    assert {re.split(r"[<>=]", name)[0] for name in named} <= set(entries)
    assert len(entries) == len(re.findall(r"^\S+==", lock, re.MULTILINE))


def test_versions_agree() -> None:
    cargo = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
    python = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert cargo == python
    assert f"## {cargo}" in (ROOT / "CHANGELOG.md").read_text()


def test_rooms_are_small() -> None:
    files = tracked("*.rs", "*.py", "*.c", "*.h", "*.S")
    large = {
        str(path.relative_to(ROOT)): n for path in files if (n := len(path.read_text().splitlines())) > 500
    }
    assert not large


def test_folder_names_say_what_is_in_them() -> None:
    vague = {"misc", "utils", "util", "helpers", "common"}
    assert not [path for path in tracked() if vague & {part.removesuffix(path.suffix) for part in path.parts}]


PAGES = tracked("docs/*.md", "docs/**/*.md", "README.md", "CONTRIBUTING.md")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_code_in_the_documentation_is_run_or_quoted(page: Path) -> None:
    """conftest.py runs or compares these; `text` is a picture in letters, braces are Sphinx's own."""
    for kind in re.findall(r"^```(.+)$", page.read_text(), re.MULTILINE):
        language, _, source = kind.partition(" ")
        run_or_shown = language in {"console", "python", "sh", "text"} or language.startswith("{")
        assert run_or_shown or (ROOT / source).is_file(), kind


def test_make_targets_in_the_documentation_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = {
        name
        for page in PAGES
        for name in re.findall(r"(?:`|^\$ )make ([a-z-]+)", page.read_text(), re.MULTILINE)
    }
    assert named
    assert named <= targets


def locked(name: str) -> dict[str, set[str]]:
    """Packages with their versions, and the hashes that are taken for each."""
    text = (ROOT / name).read_text()
    return {
        entry[1]: set(re.findall(r"sha256:\w+", entry[2]))
        for entry in re.finditer(r"(?m)^(\S+==\S+) \\\n((?:    --hash.*\n)+)", text)
    }


def test_the_demo_installs_part_of_what_the_tests_install() -> None:
    demo, tests = locked("requirements.lock"), locked("requirements-tests.lock")
    assert demo
    assert demo.items() <= tests.items()
    names = {package.split("==")[0] for package in demo}
    assert not names & {"pytest", "sphinx", "playwright", "parsl", "mypy", "unicorn", "uv"}


def test_every_file_of_integration_tests_is_run() -> None:
    """Where they are one program, a file that its main.rs does not name would not be compiled."""
    for main in ROOT.glob("crates/**/tests/main.rs"):
        assert "autotests = false" in (main.parents[1] / "Cargo.toml").read_text()
        named = set(re.findall(r"(?m)^mod (\w+);", main.read_text()))
        files = {path.stem for path in main.parent.glob("*.rs")} - {"main"}
        assert files <= named, main


def test_commands_can_be_pasted_as_they_stand() -> None:
    """A continued line has no prefix of its own; longer scripts are blocks that hold nothing else."""
    for page in PAGES:
        for block in re.findall(r"(?ms)^```(?:console|text|sh)\n(.*?)^```", page.read_text()):
            assert not re.search(r"(?m)^\$ .*\n>", block), page


def test_nothing_is_skipped() -> None:
    """What tests need, the set-up installs (packages-for-tests.txt); a program that tests start is none."""
    marks = re.compile(
        r"mark\.(skip|xfail)|pytest\.(skip|xfail|importorskip)\(|#\[ignore(?! = \"the program that)"
    )
    assert not [
        path
        for path in tracked("tests/*.py", "crates/*.rs", "fuzz/*.rs")
        if path != Path(__file__) and marks.search(path.read_text())
    ]
