"""Device trees that others wrote: what they may include, and what their compiler may cost."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from socscope import platform, tree_compiler
from socscope.errors import PlatformError

HEAD = "/dts-v1/;\n"
# So many cells of a clock that dtc counts them for ever.
SPINS = HEAD + (
    "/ { clock: clock { #clock-cells = <0xffffffff>; }; cpu { clocks = <&clock>; }; "
    "rom@0 { reg = <0 1>; }; };\n"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of trees beside a secret."""
    (tmp_path / "secret").write_text('/ { secret = "word"; };\n')
    trees = tmp_path / "trees"
    trees.mkdir()
    return trees


def load(folder: Path, text: str) -> platform.Platform:
    (folder / "x.dts").write_text(HEAD + text)
    return platform.load(str(folder / "x.dts"))


def refused(folder: Path, text: str) -> str:
    with pytest.raises(PlatformError) as raised:
        load(folder, text)
    return str(raised.value).replace(str(folder), "T").replace(str(folder.parent), "UP")


@pytest.mark.parametrize("name", platform.names())
def test_trees_are_compiled_as_dtc_alone_compiles_them(name: str) -> None:
    command = ["dtc", "-q", "-@", "-I", "dts", "-O", "dtb", "-i", str(platform.FOLDER)]
    alone = subprocess.run([*command, str(platform.find(name))], capture_output=True, check=True).stdout
    assert platform.load(name).dtb == alone


def test_what_lies_in_the_own_folder_can_be_included(folder: Path) -> None:
    (folder / "more.dtsi").write_text(
        '/* " /include/ "nothing" */ / { b = "it\'s // a /* text"; }; // end "\n'
    )
    (folder / "bytes").write_bytes(bytes(range(8)))
    loaded = load(
        folder,
        '/include/ "more.dtsi"\n/ { a = [00], /incbin/("bytes"), /incbin/ ("bytes", 2, 0x3); '
        'quote = <\'"\'>; };\n// /include/ "nothing"\n',
    )
    expected = '/dts-v1/;\n/ { b = "it\'s // a /* text"; a = [00 00 01 02 03 04 05 06 07 02 03 04]; '
    assert loaded.dtb == load(folder, expected.removeprefix(HEAD) + "quote = <34>; };").dtb


@pytest.mark.parametrize(
    "text", ['/include/ "{}"', '/ {{ a = /incbin/("{}"); }};', '/ {{ a = /incbin/("{}", 0, 1); }};']
)
@pytest.mark.parametrize("name", ["../secret", "link", "UP/secret", "up/secret", "/etc/passwd"])
def test_what_lies_elsewhere_cannot(folder: Path, text: str, name: str) -> None:
    (folder / "link").symlink_to("../secret")
    (folder / "up").symlink_to("..")
    message = refused(folder, text.format(name.replace("UP", str(folder.parent))))
    real = "/etc/passwd" if name == "/etc/passwd" else "UP/secret"
    assert f": {real} lies outside of the tree's folder T; a tree may only include files" in message
    assert re.match(rf"T/x\.dts:2: /inc\w+/ {re.escape(name)}: ", message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('\n/include/ "none"', "T/x.dts:3: /include/ none: no such file beside it or in "),
        ("/include/ more", 'T/x.dts:2: /include/ without a file; write /include/ "file"'),
        (
            "#include <a.h>",
            "T/x.dts:2: #include is for the C preprocessor, which is not run",
        ),
        ("/ { a = /incbin/(1); };", 'T/x.dts:2: /incbin/ is none; write /incbin/("file")'),
        (
            '/ { a = /incbin/("x.dts", 1, 9999); };',
            "T/x.dts:2: /incbin/ of bytes 1 to 10000 of T/x.dts",
        ),
        ('/include/ "x.dts"', "/include/ more than 32 files deep: x.dts"),
        (
            '/include/ "twice"',
            "the tree has more than 16000000 bytes with all that it includes",
        ),
        ('/include/ "bad"\n/ { a; };', "T/x.dts: does not compile:\n  T/bad:2.5-6 syntax error"),
        ('/include/ "good"\n/ { a = <b>; };', "T/x.dts: does not compile:\n  T/x.dts:3.10-11 syntax error"),
    ],
)
def test_errors_name_file_line_and_rule(folder: Path, text: str, message: str) -> None:
    (folder / "bad").write_text("/ {\n  a b;\n};\n")
    (folder / "good").write_text("/ { };\n")
    (folder / "large").write_text(" " * 1_000_000)
    (folder / "twice").write_text('/include/ "large"\n' * 17)
    assert message in refused(folder, text)


def test_words_in_a_text_are_text(folder: Path) -> None:
    assert (
        b'see /include/ "x" or /incbin/\0'
        in load(folder, r'/ { a = "see /include/ \"x\" or /incbin/"; };').dtb
    )


def test_compiler_that_spins_is_ended(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree_compiler, "CPU_SECONDS_MAX", 1)
    message = refused(folder, SPINS.removeprefix(HEAD))
    assert message.startswith("T/x.dts: dtc was ended after 1 s of computing; look for a number of cells, ")


def test_time_that_passes_ends_a_tool_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree_compiler, "WALL_SECONDS_MAX", 0.2)
    with pytest.raises(PlatformError, match=r"^it: sleep was ended after 0\.2 s; "):
        tree_compiler.limited(["sleep", "60"], b"", "it")


def test_tools_have_so_much_memory_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree_compiler, "MEMORY_BYTES_MAX", 1 << 28)
    code = "import sys; sys.stdin.read(); bytearray(1 << 28)"
    status, _, messages = tree_compiler.limited([sys.executable, "-c", code], b"", "it")
    assert status == 1
    assert b"MemoryError" in messages


def test_texts_and_names_of_properties_stay_what_they_are() -> None:
    texts = {"me,text": 'a"; /incbin/("/etc/passwd"); \\ \n é'}
    tree = platform.node_tree("me,it", 0, name="it", size=4, interrupt=None, properties=texts)
    assert b'a"; /incbin/("/etc/passwd"); \\ \n \xc3\xa9\0' in tree
    with pytest.raises(PlatformError, match=r"^'a; b': no name of a property; give letters"):
        platform.node_tree("me,it", 0, name="it", size=4, interrupt=None, properties={"a; b": 1})
