"""The steps of the CI job of the example: it fails when the firmware does, and keeps the report."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
FIRMWARE_C = """
#define US ((volatile unsigned *)0xfffd0000)
static void say(const char *p) { for (; *p; p++) { while (!(US[5] & 2)) {} US[7] = *p; } }
void __attribute__((naked)) start(void) { __asm__("mov sp, #0x2000\\n b work"); }
void work(void) {
    US[0] = 0xac; US[1] = 0x8c0; US[8] = 22; US[0] = 0x50;
    say(TEXT);
    while (!(US[5] & 0x200)) {}
    if (CRASH) __asm__ volatile(".word 0xe7f000f0\\n b .");
    for (;;) {}
}
"""
OPTIONS = ["-mcpu=arm7tdmi", "-g", "-O1", "-nostdlib", "-Wl,-Ttext=0x100,-e,start", "-o", "firmware.elf"]


def steps() -> list[dict[str, str]]:
    job = yaml.safe_load((ROOT / "examples/ci/firmware.yml").read_text())["jobs"]["self-test"]
    return [step for step in job["steps"] if "run" in step]


@pytest.mark.parametrize(
    ("text", "crash", "status"),
    [("self-test passed\\n", 0, 0), ("self-test failed\\n", 0, 6), ("self-test\\n", 1, 3)],
)
def test_the_job_fails_when_the_firmware_does_and_keeps_the_report(
    text: str, crash: int, status: int, tmp_path: Path
) -> None:
    (tmp_path / "firmware.c").write_text(FIRMWARE_C)
    defines = [f'-DTEXT="{text}"', f"-DCRASH={crash}"]
    subprocess.run(["arm-none-eabi-gcc", *OPTIONS, *defines, "firmware.c"], cwd=tmp_path, check=True)
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    ended: list[int] = []
    for step in steps():
        if ended and any(ended) and step.get("if") != "always()":
            continue
        command = step["run"].replace("--for 10s", "--for 20ms")
        done = subprocess.run(["bash", "-ec", command], cwd=tmp_path, env=environment, check=False)
        ended.append(done.returncode)
    assert ended == [status, 0]
    assert (tmp_path / "record" / "report.html").exists()
