"""How Linux, its user land and the driver are built; what runs of them say stands in other files."""

import gzip
import os
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import ARMAttributesSection

ROOT = Path(__file__).parents[2]
KERNEL_V5 = "linux-arm BOARD=integrator-v5"


@cache
def guest(target: str) -> Path:
    """Builds a guest, once for each content of its sources."""
    command = [str(ROOT / "scripts/guest"), *target.split()]
    return Path(subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip())


def kconfig_taken(asked: str, got: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    (folder / "asked").write_text(asked)
    (folder / "got").write_text(got)
    command = [ROOT / "scripts/kconfig-taken", folder / "asked", folder / "got"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def archive_names(archive: bytes) -> list[str]:
    """Returns the names in a cpio archive of the kind that the kernel reads, its end mark among them."""
    names: list[str] = []
    place = 0
    while not names or names[-1] != "TRAILER!!!":
        assert archive[place : place + 6] == b"070701"
        size, name_size = (int(archive[place + at : place + at + 8], 16) for at in (54, 94))
        names.append(archive[place + 110 : place + 110 + name_size - 1].decode())
        place += (110 + name_size + 3) // 4 * 4
        place += (size + 3) // 4 * 4
    return names


def test_the_kernel_is_an_image_for_the_machine() -> None:
    with (guest("linux") / "vmlinux").open("rb") as file:
        elf = ELFFile(file)
        assert (elf["e_machine"], elf.elfclass, elf.little_endian) == ("EM_PPC", 32, False)
        assert next(elf.iter_segments("PT_LOAD"))["p_paddr"] == 0


def test_the_kernel_describes_the_structures_of_its_scheduler() -> None:
    with (guest("linux") / "vmlinux").open("rb") as file:
        units = ELFFile(file).get_dwarf_info().iter_CUs()
        unit = next(u for u in units if u.get_top_DIE().attributes["DW_AT_name"].value == b"init/init_task.c")
        members = {}
        for entry in unit.iter_DIEs():
            if entry.tag == "DW_TAG_structure_type" and "DW_AT_declaration" not in entry.attributes:
                name = entry.attributes.get("DW_AT_name")
                names = {
                    c.attributes["DW_AT_name"].value
                    for c in entry.iter_children()
                    if "DW_AT_name" in c.attributes
                }
                members[name.value if name else b""] = names
    assert {b"pid", b"tgid", b"comm", b"thread", b"mm"} <= members[b"task_struct"]
    assert members[b"thread_struct"]


def test_the_root_file_system_holds_what_a_script_needs() -> None:
    folder = guest("initramfs")
    archive = (folder / "initramfs.cpio").read_bytes()
    assert gzip.decompress((folder / "initramfs.cpio.gz").read_bytes()) == archive
    names = archive_names(archive)
    assert {"init", "bin/busybox", "bin/sh", "bin/mount", "sbin/insmod", "mnt", "dev/console"} <= set(names)


def test_the_shell_works(tmp_path: Path) -> None:
    command = ["qemu-ppc", str(guest("busybox") / "busybox"), "sh", "-c", "echo $((6 * 7)) | sed s/4/5/"]
    assert subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path).stdout == "52\n"


def test_the_shell_for_arm_is_of_the_oldest_version(tmp_path: Path) -> None:
    """Instructions of version 5 end it on an ARM920T; the emulated core has none."""
    busybox = guest("busybox-arm") / "busybox"
    command = ["qemu-arm", "-cpu", "ti925t", str(busybox), "sh", "-c", "echo $((6 * 7)) | sed s/4/5/"]
    assert subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path).stdout == "52\n"
    with busybox.open("rb") as file:
        attributes = ELFFile(file).get_section_by_name(".ARM.attributes")
        assert isinstance(attributes, ARMAttributesSection)
        parts = [part for vendor in attributes.iter_subsections() for part in vendor.iter_subsubsections()]
        tags = {tag.tag: tag.value for part in parts for tag in part.iter_attributes()}
    assert tags["TAG_CPU_ARCH"] == 2


def test_the_driver_is_a_module_of_this_kernel() -> None:
    release = re.search(
        r"^#.* (6\.1\.\d+) Kernel", (guest("linux") / "kernel.config").read_text(), re.MULTILINE
    )
    assert release
    with (guest("rule30") / "rule30.ko").open("rb") as file:
        section = ELFFile(file).get_section_by_name(".modinfo")
        assert section
        facts = section.data().split(b"\0")
    assert b"license=GPL" in facts
    assert f"vermagic={release[1]}-socscope SMP mod_unload ".encode() in facts
    assert b"alias=of:N*T*Csocscope,rule30" in facts


def test_the_driver_includes_the_header_that_the_engine_gives(tmp_path: Path) -> None:
    """If this fails: socscope device header rule30 --out guests/rule30/include/rule30_registers.h"""
    name = "rule30_registers.h"
    subprocess.run(["socscope", "device", "header", "rule30", "--out", tmp_path / name], check=True)
    assert (ROOT / "guests/rule30/include" / name).read_text() == (tmp_path / name).read_text()


@pytest.mark.parametrize("target", ["initramfs", "initramfs-arm", "initramfs-at91x40", "rule30"])
def test_the_build_is_reproducible(target: str, tmp_path: Path) -> None:
    needs, more = {
        "initramfs": (["linux", "busybox"], []),
        "initramfs-arm": ([KERNEL_V5, "busybox-arm"], ["arm"]),
        "initramfs-at91x40": (["linux-at91x40", "busybox-nommu"], ["arm"]),
        "rule30": (["linux"], []),
    }[target]
    copy = tmp_path / "sources" / target
    shutil.copytree(ROOT / "guests" / target.partition("-")[0], copy)
    for path in copy.rglob("*"):
        os.utime(path, (1_000_000_000, 1_000_000_000))
    build = tmp_path / "elsewhere"
    build.mkdir()
    subprocess.run([copy / "build.sh", build, *(guest(need) for need in needs), *more], check=True)
    names = sorted(path.name for path in guest(target).iterdir())
    assert sorted(path.name for path in build.iterdir()) == names
    for name in names:
        assert (build / name).read_bytes() == (guest(target) / name).read_bytes(), name


def test_no_image_tells_where_it_was_built() -> None:
    cache_folder = str(guest("linux").parent).encode()
    images = (
        "linux/vmlinux",
        "busybox/busybox",
        "rule30/rule30.ko",
        "rule30/rule30",
        "initramfs/initramfs.cpio",
        f"{KERNEL_V5}/vmlinux",
        f"{KERNEL_V5}/zImage",
        "busybox-arm/busybox",
        "initramfs-arm/initramfs.cpio",
        "linux-at91x40/vmlinux",
        "busybox-nommu/busybox",
        "initramfs-at91x40/initramfs.cpio",
    )
    for image in images:
        target, name = image.split("/")
        content = (guest(target) / name).read_bytes()
        assert cache_folder not in content, image
        assert str(ROOT).encode() not in content, image


def test_a_change_of_the_driver_builds_no_kernel(tmp_path: Path) -> None:
    """The kernel's place in the cache depends on its own sources, not on those of other guests."""
    tree = tmp_path / "tree"
    for name in ("guests/linux", "guests/busybox", "guests/initramfs", "guests/rule30", "scripts"):
        shutil.copytree(ROOT / name, tree / name)
    (tree / "guests/rule30/driver/bind.c").write_text("#error\n")
    place = subprocess.run([tree / "scripts/guest", "linux"], capture_output=True, text=True, check=True)
    assert Path(place.stdout.strip()) == guest("linux")


def test_an_option_that_kconfig_drops_is_named(tmp_path: Path) -> None:
    asked = "# A comment\nCONFIG_A=y\nCONFIG_B=y\n# CONFIG_C is not set\n# CONFIG_D is not set\nCONFIG_E=32\n"
    assert kconfig_taken(asked, "CONFIG_A=y\nCONFIG_B=y\nCONFIG_E=32\n", tmp_path).returncode == 0
    missing = kconfig_taken(asked, "CONFIG_A=y\nCONFIG_D=y\nCONFIG_E=16\n", tmp_path)
    assert missing.returncode == 1
    assert "Kconfig did not take these options; add what they depend on, or drop them" in missing.stderr
    assert missing.stderr.splitlines()[1:] == ["CONFIG_B=y", "# CONFIG_D is not set", "CONFIG_E=32"]


def test_a_source_package_needs_its_tools(tmp_path: Path) -> None:
    command = [str(ROOT / "scripts/source-package"), "gkermit", "2.01"]
    environment = {"SOCSCOPE_CACHE": str(tmp_path), "PATH": str(tmp_path)}
    got = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert got.returncode == 1
    assert got.stderr == "source-package: apt-get is missing: install the package dpkg-dev\n"


@pytest.mark.parametrize("setting", [[], ["BOARD=integrator"]])
def test_a_kernel_for_arm_is_for_a_board_that_there_is(setting: list[str], tmp_path: Path) -> None:
    command = [str(ROOT / "guests/linux-arm/build.sh"), str(tmp_path), *setting]
    got = subprocess.run(command, capture_output=True, text=True, check=False)
    assert got.returncode == 1
    asked = "".join(setting) or "BOARD="
    known = "BOARD=integrator-v5 or BOARD=integrator-v6"
    assert got.stderr == f"build.sh: {asked} is the name of no configuration: give {known}\n"
