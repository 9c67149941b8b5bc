"""The lints that keep the host and hash order out of the core really fire, with their reasons."""

import os
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CONFIGURATION = tomllib.loads((ROOT / "clippy.toml").read_text())
WORKSPACE = tomllib.loads((ROOT / "Cargo.toml").read_text())

OFFENCES = {
    "std::collections::HashMap": "pub type A = std::collections::HashMap<u8, u8>;",
    "std::collections::HashSet": "pub type B = std::collections::HashSet<u8>;",
    "std::time::Instant": "pub type C = std::time::Instant;",
    "std::time::SystemTime": "pub type D = std::time::SystemTime;",
    "std::fs::File": "pub type E = std::fs::File;",
    "std::net::TcpListener": "pub type F = std::net::TcpListener;",
    "std::process::Command": "pub type G = std::process::Command;",
    "std::fs::read": "pub fn h() { let _ = std::fs::read(String::new()); }",
    "std::fs::write": "pub fn i() { let _ = std::fs::write(String::new(), []); }",
    "std::env::var": "pub fn j() { let _ = std::env::var(String::new()); }",
    "std::thread::spawn": "pub fn k() { let _ = std::thread::spawn(|| ()).join(); }",
    "std::process::exit": "pub fn l() { std::process::exit(1) }",
}


def lint(folder: Path, source: str) -> str:
    """Returns what clippy says of a crate with this source under the workspace's lints, as errors."""
    lints = "".join(
        f"[lints.{tool}]\n" + "".join(f'{name} = "{level}"\n' for name, level in rules.items())
        for tool, rules in WORKSPACE["workspace"]["lints"].items()
    )
    folder.joinpath("Cargo.toml").write_text(
        f'[package]\nname = "offender"\nedition = "2024"\n[lib]\npath = "lib.rs"\n[workspace]\n{lints}'
    )
    folder.joinpath("lib.rs").write_text("//! A crate that breaks rules.\n" + source)
    outcome = subprocess.run(
        ["cargo", "clippy", "--quiet", "--offline", "--", "-D", "warnings"],
        cwd=folder,
        env=os.environ | {"CLIPPY_CONF_DIR": str(ROOT), "CARGO_TARGET_DIR": str(folder / "target")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (outcome.returncode == 0) == ("error" not in outcome.stderr)
    return outcome.stderr


def test_host_access_and_hash_order_are_refused_with_their_reason(tmp_path: Path) -> None:
    said = lint(tmp_path, "".join(f"/// Offends.\n{source}\n" for source in OFFENCES.values()))
    reasons = {
        rule["path"]: rule["reason"]
        for kind in ("disallowed-types", "disallowed-methods")
        for rule in CONFIGURATION[kind]
    }
    for path in OFFENCES:
        assert f"`{path}`" in said, path
        assert reasons[path] in said, path


@pytest.mark.parametrize(
    ("source", "rule"),
    [
        ("/// Offends.\npub fn f(p: *const u8) -> u8 { unsafe { *p } }", "unsafe"),
        (
            "#![allow(unsafe_code)]\n/// Offends.\n"
            "pub fn f() -> u8 { let a = [1u8]; unsafe { *a.get_unchecked(0) } }",
            "undocumented_unsafe_blocks",
        ),
        ("pub fn f() {}", "missing documentation"),
    ],
)
def test_unsafe_and_undocumented_code_is_refused(tmp_path: Path, source: str, rule: str) -> None:
    assert rule in lint(tmp_path, source)


def test_code_that_keeps_the_rules_passes(tmp_path: Path) -> None:
    assert lint(tmp_path, "/// Adds.\npub fn add(a: u8, b: u8) -> u8 { a.wrapping_add(b) }") == ""
