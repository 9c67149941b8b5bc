"""The wheel in an environment of its own: images run outside of the checkout, without other tools."""

import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
IMAGE = ROOT / "build/guests/at91eb40a-arm/system.elf"
SCRIPT = """
import socscope
from socscope import platform
from socscope.simulation import Simulation

assert "site-packages" in socscope.__file__, socscope.__file__
assert platform.load("at91eb40a").dtb == platform.load(f"{platform.FOLDER}/at91eb40a.dtb").dtb
simulation = Simulation("at91eb40a", "system.elf", profile=True)
assert simulation.run("1s", until_output="Ready").stop.kind == "output"
print(simulation.counts().totals.instructions > 10_000)
"""


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel; packages that it needs come from this one."""
    folder = tmp_path_factory.mktemp("wheel")
    # As the compiled module was built: another profile takes minutes.
    environment = {**os.environ, "SOCSCOPE_PROFILE": "release"}
    building = [ROOT / "scripts/wheel", folder]
    built = subprocess.run(building, check=True, stdout=subprocess.PIPE, text=True, env=environment)
    venv.create(folder / "env", with_pip=False)
    (packages,) = (folder / "env/lib").glob("python*/site-packages")
    # Such a path gives packages, but not what they add to the path: the checkout is not in it.
    (packages / "needed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    command = [sys.executable, "-m", "pip", "--python", str(folder / "env/bin/python"), "install", "-q"]
    subprocess.run([*command, "--no-deps", "--no-index", built.stdout.strip()], check=True)
    (folder / "system.elf").write_bytes(IMAGE.read_bytes())
    return folder


def typed(environment: Path, *command: str) -> "subprocess.CompletedProcess[str]":
    """A command outside of the checkout, on a host without any tools."""
    settings = {"PATH": str(environment / "env/bin"), "HOME": os.environ.get("HOME", "/")}
    return subprocess.run(
        [environment / "env/bin" / command[0], *command[1:]],
        cwd=environment,
        env=settings,
        capture_output=True,
        text=True,
        check=False,
    )


def test_an_image_runs(environment: Path) -> None:
    options = ["--until-output", "Ready", "--for", "1s", "--profile", "--out", "record"]
    done = typed(environment, "socscope", "run", "at91eb40a", "system.elf", *options)
    assert done.returncode == 0, done.stderr
    done = typed(environment, "socscope", "query", "record", "SELECT count(*) AS found FROM functions")
    assert done.returncode == 0, done.stderr
    assert typed(environment, "socscope", "verify", "record").returncode == 0


def test_the_interface_works(environment: Path) -> None:
    done = typed(environment, "python", "-c", SCRIPT)
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr


def test_what_needs_the_checkout_says_so(environment: Path) -> None:
    done = typed(environment, "socscope", "study", "serial-transfer", "--quick")
    assert done.returncode == 1
    assert "is missing: set SOCSCOPE_ROOT to the folder of the project's checkout" in done.stderr
