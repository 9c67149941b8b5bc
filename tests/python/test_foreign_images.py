"""Images that were built for another core are refused by what they say of themselves; ours are not."""

import re
import subprocess
from pathlib import Path

import pytest
from socscope.errors import SocscopeError
from socscope.simulation import Simulation

ARM, POWERPC = "arm-none-eabi-gcc", "powerpc-linux-gnu-gcc"
# The printing of floating-point numbers links most of what there is of libraries.
PRINTING = (
    '#include <stdio.h>\n#include <math.h>\nint main(int n, char **v) { printf("%f %s\\n", sin(n), *v); }\n'
)
BARE = "int _start(int a) { return a; }\n"


def build(folder: Path, source: str, *command: str) -> Path:
    (folder / "x.c").write_text(source)
    subprocess.run(
        [*command, "x.c", "-o", "x.elf", "-lm"] if "-lm" in command else [*command, "x.c", "-o", "x.elf"],
        cwd=folder,
        check=True,
        capture_output=True,
    )
    return folder / "x.elf"


def refusal(platform: str, image: Path, *overrides: str) -> str:
    with pytest.raises(SocscopeError) as raised:
        Simulation(platform, image, overrides=overrides)
    return str(raised.value).removeprefix(f"{image}: ")


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ("-mcpu=cortex-m3", "ARMv7 of the profile for microcontrollers (Cortex-M)"),
        ("-mcpu=cortex-m0", "ARMv6S-M of the profile for microcontrollers (Cortex-M)"),
        ("-mcpu=cortex-m4 -mfloat-abi=hard", "ARMv7E-M of the profile for microcontrollers (Cortex-M)"),
        ("-mcpu=cortex-a7", "ARMv7 of the profile for applications (Cortex-A)"),
        ("-mcpu=arm926ej-s", "ARMv5TEJ"),
        ("-mcpu=arm946e-s", "ARMv5TE"),
        ("-mcpu=arm1136jf-s -mfloat-abi=hard", "ARMv6"),
        ("-mcpu=arm7tdmi -mfpu=vfp -mfloat-abi=softfp", "a VFP floating-point unit"),
    ],
)
def test_arm_images_of_other_cores(options: str, found: str, tmp_path: Path) -> None:
    image = build(tmp_path, BARE, ARM, *options.split(), "-nostdlib", "-Ttext=0x100")
    assert refusal("at91x40", image) == (
        f"built for {found}; the machine's core is an ARM7TDMI (ARMv4T): build it and its libraries with "
        "-mcpu=arm7tdmi -mfloat-abi=soft"
    )


@pytest.mark.parametrize("options", ["-mcpu=arm7tdmi", "-mcpu=arm7tdmi -mthumb", "-march=armv4t", ""])
def test_images_for_the_core_with_libraries_are_taken(options: str, tmp_path: Path) -> None:
    place = ["--specs=nosys.specs", "-lm"]
    Simulation("at91eb40a", build(tmp_path, PRINTING, ARM, *options.split(), *place))


def test_image_without_attributes_is_taken(tmp_path: Path) -> None:
    image = build(tmp_path, BARE, ARM, "-mcpu=cortex-m3", "-nostdlib", "-Ttext=0x100")
    subprocess.run(["arm-none-eabi-objcopy", "-R", ".ARM.attributes", image], check=True)
    Simulation("at91x40", image)


def test_damaged_attributes_say_nothing_and_break_nothing(tmp_path: Path) -> None:
    image = build(tmp_path, BARE, ARM, "-mcpu=cortex-m3", "-nostdlib", "-Ttext=0x100")
    whole = image.read_bytes()
    start = whole.index(b"aeabi\0") - 5
    for offset in range(start, start + 40):
        for byte in (0, 0x7F, 0xFF):
            image.write_bytes(whole[:offset] + bytes([byte]) + whole[offset + 1 :])
            try:
                Simulation("at91x40", image)
            except SocscopeError as error:
                assert re.search("built for|damaged", str(error))  # noqa: PT017 - either way is right.


def test_architecture_comes_before_byte_order(tmp_path: Path) -> None:
    arm = build(tmp_path, BARE, ARM, "-mcpu=arm7tdmi", "-nostdlib", "-Ttext=0x100")
    assert refusal("mpc8641d", arm) == (
        "built for ARM, the machine's core is PowerPC: build it with a compiler for that, such as "
        "powerpc-linux-gnu-gcc -mcpu=powerpc"
    )
    big = build(tmp_path, BARE, ARM, "-mcpu=arm7tdmi", "-mbig-endian", "-nostdlib", "-Ttext=0x100")
    assert "not little-endian like the machine's core" in refusal("at91x40", big)
    powerpc = build(tmp_path, BARE, POWERPC, "-nostdlib", "-static", "-Ttext=0x1000")
    assert refusal("at91x40", powerpc).startswith(
        "built for PowerPC, the machine's core is ARM: build it with"
    )


@pytest.mark.parametrize(
    ("instruction", "assembler", "found"),
    [
        ("evaddw 1, 2, 3", "-me500", "the signal processing extension (SPE)"),
        ("isel 1, 2, 3, 0", "-me500", "isel"),
    ],
)
def test_powerpc_images_of_an_e500(instruction: str, assembler: str, found: str, tmp_path: Path) -> None:
    (tmp_path / "x.s").write_text(f".globl _start\n_start: {instruction}\n")
    command = [POWERPC, f"-Wa,{assembler}", "-nostdlib", "-static", "-Ttext=0x1000", "x.s", "-o", "x.elf"]
    subprocess.run(command, cwd=tmp_path, check=True)
    assert refusal("mpc8641d", tmp_path / "x.elf") == (
        f"built for {found} of an e500; the machine's core is a PowerPC e600: build it and its libraries for "
        "the classic architecture, without these: -mcpu=powerpc"
    )


def test_powerpc_images_with_altivec_need_a_core_that_has_it(tmp_path: Path) -> None:
    source = "typedef int four __attribute__((vector_size(16)));\nfour f(four a) { return a + a; }\n"
    options = ["-mcpu=7450", "-maltivec", "-mabi=altivec", "-nostdlib", "-static", "-Ttext=0x1000"]
    options += ["-Wl,-ef", "-Wl,--build-id=none", "-Wl,-z,noseparate-code", "-Wl,-N"]
    image = build(tmp_path, source, POWERPC, *options)
    Simulation("mpc8641d", image)
    overrides = [f"/cpus/PowerPC,8641@{core}:compatible=PowerPC,750" for core in range(2)]
    assert "built for AltiVec; the machine's core is a PowerPC 750: " in refusal(
        "mpc8641d", image, *overrides
    )
