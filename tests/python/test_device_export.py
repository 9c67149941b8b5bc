"""Register tables written for drivers and hardware designers, and read back."""

import importlib.util
import subprocess
from pathlib import Path

import pytest
from socscope import _core
from socscope.cli import app
from socscope.device import Device, Field, Register, RegisterArray, from_model, from_systemrdl
from socscope.device.header import header
from socscope.device.models import Table, built_in
from socscope.device.register import AnyRegister
from socscope.device.systemrdl_text import systemrdl
from socscope.errors import DeviceError
from typer.testing import CliRunner

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "rule30.py"
MODELS = [model["compatible"][0] for model in _core.device_models()]
# Its registers are bytes.
OF_BYTES = "fsl,ns16550"
KINDS = ("readable", "writable", "one_clears", "one_sets", "read_clears")


def facts(register: AnyRegister) -> tuple[object, ...]:
    bits = [register.bits(kind) for kind in KINDS]
    return (
        register.offset,
        register.count,
        register.stride,
        register.reset,
        register.group,
        register.summary,
        *bits,
    )


def typed(*arguments: str | Path, status: int = 0) -> str:
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert done.exit_code == status, done.output
    return done.output


class Odd(Device):
    """A block with "everything" in it."""

    alias = Register(0, reset=0x8000_0001, fields=[Field("reg", 0), Field("MODE", 4, 3)], summary='A "word".')
    FLAGS = Register(
        4,
        fields=[
            Field("A", 0, on_write="one-clears"),
            Field("B", 1, on_write="one-sets"),
            Field("C", 2, 4, read_clears=True, access="read-only"),
        ],
    )
    NARROW = RegisterArray(0x10, 3, stride=8, writable=0x0FF0)
    KEY = Register(0x40, access="write-only")


@pytest.mark.parametrize("name", [*(name for name in MODELS if name != OF_BYTES), "Odd"])
def test_systemrdl_comes_back_the_same(name: str, tmp_path: Path) -> None:
    table = Odd.table() if name == "Odd" else built_in(name)
    path = tmp_path / "block.rdl"
    path.write_text(systemrdl(table))
    back = from_systemrdl(path)
    # A register with fewer than 32 bits has a field of them, and so shows no other bits when it is read.
    assert {one: facts(register)[:6] for one, register in back.items()} == {
        one: facts(register)[:6] for one, register in table.registers.items()
    }
    for one, register in table.registers.items():
        assert facts(back[one])[7:] == facts(register)[7:], one
        for field, known in register.fields.items():
            assert (back[one].fields[field].mask, back[one].fields[field].summary) == (
                known.mask,
                known.summary,
            )


@pytest.mark.parametrize("name", MODELS)
def test_headers_compile_alone(name: str, tmp_path: Path) -> None:
    path = tmp_path / "block.h"
    path.write_text(header(built_in(name)))
    options = ["-Wall", "-Wextra", "-Werror", "-std=c90", "-fsyntax-only", "-x"]
    subprocess.run(["arm-none-eabi-gcc", *options, "c", path], check=True)
    subprocess.run(
        ["arm-none-eabi-gcc", "-c", "-o", "/dev/null", "-x", "assembler-with-cpp", path], check=True
    )


def test_a_header_says_what_the_table_says(tmp_path: Path) -> None:
    registers = from_model("socscope,rule30")
    program = ['#include "rule30.h"', "#define SAME(a, b) typedef char same[(a) == (b) ? 1 : -1]"]
    for name, register in registers.items():
        if isinstance(register, RegisterArray):
            program.append(f"SAME(RULE30_{name}(3), {register.offset + 3 * register.stride});")
            program.append(f"SAME(RULE30_{name}_COUNT, {register.count});")
        else:
            program.append(f"SAME(RULE30_{name}, {register.offset});")
        for field in register.fields.values():
            program.append(f"SAME(RULE30_{name}_{field.name}, {field.mask}u);")
            if field.width > 1:
                program.append(f"SAME(RULE30_{name}_{field.name}_SHIFT, {field.lsb});")
    assert typed("device", "header", "rule30", "--out", tmp_path / "rule30.h").startswith("written: ")
    (tmp_path / "program.c").write_text("\n".join(program))
    subprocess.run(["arm-none-eabi-gcc", "-Werror", "-fsyntax-only", tmp_path / "program.c"], check=True)


def test_the_same_table_in_all_places() -> None:
    by_model = typed("device", "header", "rule30")
    assert by_model == typed("device", "header", "socscope,rule30")
    by_class = typed("device", "header", f"{EXAMPLE}:Rule30")
    assert by_class.splitlines()[1:] == by_model.splitlines()[1:]
    assert "#define WOLFRAM_CONTROL_LATCH 0x2 " in typed("device", "header", "rule30", "--prefix", "wolfram")
    assert "} OUTPUT[32] @ 0x100 += 0x4;" in typed("device", "systemrdl", "rule30")
    page = typed("devices", "rule30")
    assert "IRQ_ENABLE" in page
    assert "latency_ns" in page


def test_a_file_that_says_so_already_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "rule30.h"
    typed("device", "header", "rule30", "--out", path)
    before = path.stat().st_mtime_ns
    typed("device", "header", "rule30", "--out", path)
    assert path.stat().st_mtime_ns == before


def test_errors_name_what_there_is(tmp_path: Path) -> None:
    assert "rule31: no device model is called so; there are: " in typed(
        "device", "header", "rule31", status=1
    )
    assert f"{EXAMPLE}: no device is called Rule31; there are: " in typed(
        "device", "header", f"{EXAMPLE}:Rule31", status=1
    )
    assert "none.py: no such file" in typed("device", "systemrdl", "none.py:X", status=1)
    (tmp_path / "bad.py").write_text("x = 1 / 0")
    said = typed("device", "header", f"{tmp_path / 'bad.py'}:X", status=1)
    assert "bad.py: ZeroDivisionError: division by zero" in said
    assert "a folder; name a file" in typed("device", "header", "rule30", "--out", tmp_path, status=1)
    twice = Table("x", "X", {"A": Register(0, fields=[Field("B", 0)]), "A_B": Register(4)})
    for name, register in twice.registers.items():
        register.name = name
    with pytest.raises(DeviceError, match=r"^X: two things would be called X_A_B; rename one of them$"):
        header(twice)


def test_registers_of_bytes_are_refused() -> None:
    with pytest.raises(
        DeviceError, match=r"is not at a word; only tables of 32-bit registers are written as Sys"
    ):
        systemrdl(built_in(OF_BYTES))


def test_a_class_takes_the_table_of_a_model() -> None:
    spec = importlib.util.spec_from_file_location("rule30_example", EXAMPLE)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    own = module.Rule30.table().registers
    assert {name: facts(one) for name, one in own.items()} == {
        name: facts(one) for name, one in from_model("rule30").items()
    }
