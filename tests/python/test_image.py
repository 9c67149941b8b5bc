"""Functions of an image, and what is said of files that are none."""

import re
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from socscope.cli import app
from socscope.errors import ImageError
from socscope.image import Image
from socscope.image.types import Types
from socscope.image.unwind import call_stack
from socscope.record import open_run
from typer.testing import CliRunner


def test_functions_are_disjoint_and_numbered_by_address(image: Image) -> None:
    for first, second in zip(image.functions, image.functions[1:], strict=False):
        assert first.start < first.end <= second.start
    assert [function.id for function in image.functions] == list(range(len(image.functions)))


def test_static_functions_of_one_name_are_kept_apart(image: Image) -> None:
    sources = [function.origin.source for function in image.functions if function.name == "twice"]
    assert sorted(sources) == ["drivers/driver.c", "second.c"]


def test_origin_is_the_line_of_the_definition(image: Image) -> None:
    main = next(function for function in image.functions if function.name == "main")
    assert (main.origin.source, main.origin.line) == ("main.c", 5)


def test_library_without_debug_information_has_no_source(image: Image) -> None:
    copy = next(function for function in image.functions if function.name == "copy_bytes")
    assert copy.origin.source == ""


def test_thumb_bit_is_not_part_of_the_address(image: Image) -> None:
    idle = next(function for function in image.functions if function.name == "rtos_idle")
    assert idle.thumb
    assert idle.start % 2 == 0
    assert image.address_of("rtos_idle") == idle.start


def test_local_label_is_part_of_the_assembly_function_before_it(image: Image) -> None:
    start = next(function for function in image.functions if function.name == "_start")
    assert image.function_at(image.address_of("done")) == start
    assert image.describe(start.start + 4) == "_start+0x4"


def test_address_outside_all_functions_is_described_as_itself(image: Image) -> None:
    assert image.function_at(0xFFFF0000) is None
    assert image.describe(0xFFFF0000) == "0xffff0000"


def test_symbol_with_two_addresses_is_refused(image: Image) -> None:
    with pytest.raises(
        ImageError, match=r"symbol twice has several addresses \(0x\w+, 0x\w+\); give one of them"
    ):
        image.address_of("twice")


def test_unknown_symbol_names_the_near_ones(image: Image) -> None:
    with pytest.raises(ImageError, match="no symbol driver_sen; it has driver_send"):
        image.address_of("driver_sen")


def test_hexadecimal_address_is_taken_as_it_is(image: Image) -> None:
    assert image.address_of("0x123") == 0x123
    with pytest.raises(ImageError, match="0xzz: not a hexadecimal address of 32 bits"):
        image.address_of("0xzz")
    with pytest.raises(ImageError, match="0x123456789: not a hexadecimal address of 32 bits"):
        image.address_of("0x123456789")


def test_missing_file(tmp_path: Path) -> None:
    path = tmp_path / "none.elf"
    with pytest.raises(ImageError, match=re.escape(f"{path}: cannot be read: No such file or directory")):
        Image.read(path)


def test_foreign_file(tmp_path: Path) -> None:
    path = tmp_path / "text.elf"
    path.write_text("hello")
    with pytest.raises(ImageError, match=re.escape(f"{path}: not an ELF file (it begins with 68 65 6c 6c)")):
        Image.read(path)


def test_truncated_file(tmp_path: Path, elf: Path) -> None:
    path = tmp_path / "short.elf"
    path.write_bytes(elf.read_bytes()[:100])
    with pytest.raises(ImageError, match=re.escape(f"{path}: damaged or truncated ELF file")):
        Image.read(path)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_damaged_files_give_an_error_of_ours_or_an_image(
    data: st.DataObject, elf: Path, tmp_path: Path
) -> None:
    content = bytearray(elf.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path / "damaged.elf"
    path.write_bytes(content[: data.draw(st.integers(0, len(content)))])
    try:
        image = Image.read(path)
    except ImageError as error:
        assert str(error).startswith(str(path))  # noqa: PT017 - both outcomes are right.
        return
    # The debug information is read when it is first asked for; without it an image is an image still.
    assert all(function.origin.line >= 0 for function in image.functions)
    ends = [0, *(function.end for function in image.functions)]
    assert all(
        start <= function.start < function.end < 1 << 32
        for start, function in zip(ends, image.functions, strict=False)
    )
    for function in image.functions:
        call_stack(
            image, dict.fromkeys((f"r{n}" for n in range(16)), function.start), lambda _, size: bytes(size)
        )
    with suppress(ImageError):
        Types(image).variable("buffer")


def test_an_image_without_symbols_has_no_functions(elf: Path, tmp_path: Path) -> None:
    subprocess.run(["arm-none-eabi-strip", elf, "-o", tmp_path / "stripped.elf"], check=True)
    image = Image.read(tmp_path / "stripped.elf")
    assert image.functions == []
    assert image.damage == ""
    assert image.sections == Image.read(elf).sections


def damaged(elf: Path, section: str, content: bytes) -> Path:
    """The image with other bytes at the beginning of a section, beside it."""
    data = bytearray(elf.read_bytes())
    with elf.open("rb") as file:
        found = ELFFile(file).get_section_by_name(section)
        assert found is not None
        place = found["sh_offset"]
    data[place : place + len(content)] = content
    path = elf.with_name(f"damaged{section}.elf")
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("section", [".debug_info", ".debug_abbrev", ".debug_line"])
def test_damaged_debug_information_costs_the_sources_alone(elf: Path, section: str) -> None:
    image, sound = Image.read(damaged(elf, section, b"\xff" * 12)), Image.read(elf)
    assert sound.damage == ""
    assert [one.name for one in image.functions] == [one.name for one in sound.functions]
    assert re.fullmatch(
        rf"damaged{section}.elf: damaged debug information \(.+\): functions have no source files, and rules "
        "for layers that name sources do not find them; build the image again",
        image.damage,
    )


def test_units_behind_a_damaged_one_are_read(elf: Path) -> None:
    with elf.open("rb") as file:
        section = ELFFile(file).get_section_by_name(".debug_info")
        assert section is not None
        head = section.data()[:11]
    image, sound = Image.read(damaged(elf, ".debug_info", head + b"\xff" * 8)), Image.read(elf)
    assert "unit at 0x0: " in image.damage
    kept = [one.name for one in image.functions if one.origin.source]
    assert "driver_send" in kept
    assert len(kept) < len([one for one in sound.functions if one.origin.source])


def test_a_profile_goes_on_without_sources_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "loop.c").write_text(
        'void finish(void) { for (;;) __asm__ volatile(""); }\n'
        'void _start(void) { for (int n = 0; n < 9; n++) __asm__ volatile(""); finish(); }\n'
    )
    options = ["-mcpu=arm7tdmi", "-O1", "-fno-inline", "-g", "-nostdlib", "-Ttext=0x02000000"]
    subprocess.run(["arm-none-eabi-gcc", *options, "loop.c", "-o", "loop.elf"], cwd=tmp_path, check=True)
    path = damaged(tmp_path / "loop.elf", ".debug_info", b"\xff" * 12)
    command = ["run", "at91x40", str(path), "--until", "finish", "--profile", "--out", str(tmp_path / "run")]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    assert "warning: damaged.debug_info.elf: damaged debug information (" in done.output
    run = open_run(tmp_path / "run")
    assert [one for one in run.manifest.warnings if "functions have no source files" in one]
    assert {row["name"]: row["source"] for row in run.rows("functions")} == {"_start": "", "finish": ""}
