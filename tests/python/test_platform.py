"""Platforms by name and by path, and what the device tree compiler says of bad ones."""

import re
from pathlib import Path

import pytest
from socscope import platform
from socscope.errors import PlatformError


def test_every_platform_compiles_and_has_a_model() -> None:
    assert {"at91x40", "at91eb40a"} <= set(platform.names())
    for name in platform.names():
        loaded = platform.load(name)
        assert loaded.name == name
        assert loaded.property("/", "model")
        assert loaded.property("/", "no-such-property") is None


def test_compiled_tree_is_taken_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "board.dtb"
    path.write_bytes(platform.load("at91x40").dtb)
    assert platform.load(str(path)).sha256 == platform.load("at91x40").sha256


def test_source_may_include_what_comes_with_socscope(tmp_path: Path) -> None:
    path = tmp_path / "mine.dts"
    path.write_text('/dts-v1/;\n/include/ "at91x40-common.dtsi"\n/ { model = "mine"; };\n')
    assert platform.load(str(path)).property("/", "model") == "mine"


def test_unknown_name() -> None:
    listed = ", ".join(platform.names())
    message = f"at91: no such platform; there are {listed}; or give a .dts or .dtb file"
    with pytest.raises(PlatformError, match=f"^{re.escape(message)}$"):
        platform.load("at91")


def test_missing_file(tmp_path: Path) -> None:
    path = tmp_path / "none.dts"
    with pytest.raises(PlatformError, match=f"^{re.escape(str(path))}: no such device tree$"):
        platform.load(str(path))


def test_syntax_error_names_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "bad.dts"
    path.write_text("/dts-v1/;\n/ { a = <1>\n b; };\n")
    message = f"{path}: does not compile:\n  {path}:3.2-3 syntax error"
    with pytest.raises(PlatformError, match=f"^{re.escape(message)}$"):
        platform.load(str(path))


def test_missing_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    message = "dtc is missing: install the Debian package device-tree-compiler"
    with pytest.raises(PlatformError, match=f"^{message}$"):
        platform.load("at91x40")
