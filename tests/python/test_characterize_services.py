"""The description of a kernel: what it says, and what is wrong with it."""

from pathlib import Path

import pytest
from socscope.characterize.dynamic.call import Address, Memory, Statement, String, Value
from socscope.characterize.services import Services
from socscope.errors import CharacterizeError, FormulaError
from socscope.sheet.formula import Formula

GOOD = """
format = 1
[kernel]
name = "toy"
[image]
ready = {mark = 10}
begin = {mark = 1}
end = {mark = 2}
[guest]
case = "the_case"
parameters = "the_parameters"
[[blocking]]
kind = "scheduler"
symbol = "locks"
not_zero = true
[sections]
"kernel heap" = [".kernel_heap"]
kinds = {"kernel heap" = "heap"}
[[service]]
name = "put"
entry = "put"
[[service.parameter]]
name = "N"
meaning = "bytes"
fit = [1, 2]
verify = [3]
[[service.path]]
name = "worst"
case = "case_put"
"""


def _read(tmp_path: Path, text: str) -> Services:
    path = tmp_path / "services.toml"
    path.write_text(text)
    return Services.read(path)


def test_a_description_is_read(tmp_path: Path) -> None:
    found = _read(tmp_path, GOOD)
    assert found.sections.members == {"kernel heap": [".kernel_heap"]}
    assert found.sections.kinds == {"kernel heap": "heap"}
    assert found.blocking[0].holds() == (0xFFFFFFFF, None)
    assert str(found.image.ready) == "mark 10"


def test_our_own_descriptions_are_read() -> None:
    root = Path(__file__).parents[2]
    for path in sorted(root.glob("guests/**/services.toml")):
        assert Services.read(path).service


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("format = 1", "format = 2", "format: Input should be 1"),
        ("ready = {mark = 10}", "", "image / ready: Field required"),
        ("{mark = 10}", "{}", "image / ready: give exactly one of mark, symbol and time_ms: {mark = 10}"),
        ("{mark = 2}", "{time_ms = 3}", "image / end: a time is no place in a case; give a mark or a symbol"),
        ("end = {mark = 2}", "", "image: cases need begin and end, such as {mark = 1} and {mark = 2}"),
        ("fit = [1, 2]", "fit = []", "service / put / parameter / N / fit: List should have at least 1 item"),
        (
            "verify = [3]",
            "verify = [2]",
            "service / put / parameter / N: N: 2 stands in fit and in verify; verify on other values",
        ),
        (
            "verify = [3]",
            "maximum = 1",
            "service / put / parameter / N: N: 2 is outside of minimum and maximum",
        ),
        (
            'case = "case_put"',
            "",
            "service / put / path / worst: give case, a function of the guest, or call with setup",
        ),
        (
            'case = "case_put"',
            'case = "case_put"\nsetup = ["open()"]',
            "service / put / path / worst: setup belongs to call; a case of the guest prepares itself",
        ),
        (
            'case = "case_put"',
            'case = "case_put"\nfixed = {M = 1}',
            "service / put: path worst: fixed M is no parameter of the service",
        ),
        (
            'case = "case_put"',
            "setup = ['h = make(memory(N))']\ncall = 'put(h, value(K))'",
            "service / put: path worst: K in 'put(h, value(K))' is no parameter of the service and no result "
            "of an earlier call; known: N, h",
        ),
        (
            'case = "case_put"',
            'case = "case_put"\nexpect = "N +"',
            "service / put / path / worst: expect: 'N +'",
        ),
        (
            '[guest]\ncase = "the_case"\nparameters = "the_parameters"',
            "",
            "service put, path worst: a case needs [guest]; or give call",
        ),
        (
            "not_zero = true",
            "",
            'blocking / 0: say when it blocks: not_zero = true, or condition = "& 4 = 0"',
        ),
        (
            'symbol = "locks"',
            'device = "aic"',
            "blocking / 0: a device's place needs both device and register",
        ),
        (
            'symbol = "locks"',
            "",
            'blocking / 0: give exactly one of when = "masked", symbol, and device with register',
        ),
        ("not_zero = true", 'condition = "odd"', "blocking / 0: 'odd' is no condition"),
        ('kind = "scheduler"', 'kind = "tasks"', "blocking / 0 / kind: Input should be 'interrupts'"),
        (
            'name = "toy"',
            'name = "toy"\ncolour = "red"',
            "kernel / colour: is not known here; there are configuration, name, version",
        ),
        (
            'case = "case_put"',
            'call = "put(1) + 2"',
            "service / put / path / worst / call: 'put(1) + 2': no call; a call is `function(...)`",
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_place(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in GOOD
    with pytest.raises(CharacterizeError) as caught:
        _read(tmp_path, GOOD.replace(old, new, 1))
    assert str(caught.value).startswith(f"{tmp_path / 'services.toml'}: {message}")


def test_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(CharacterizeError, match=r"services.toml: no TOML: Expected '=' after a key"):
        _read(tmp_path, "service\n")
    with pytest.raises(CharacterizeError, match=r"none.toml: cannot be read: No such file"):
        Services.read(tmp_path / "none.toml")


def test_a_name_occurs_once(tmp_path: Path) -> None:
    twice = GOOD + GOOD[GOOD.index("[[service]]") :]
    with pytest.raises(CharacterizeError, match=r"there are two services called put; give each a name"):
        _read(tmp_path, twice)


def test_calls_are_read() -> None:
    found = Statement.parse('repeat 2*N: h = open(memory(4*N), word(), string("a"), value(address("x")), -1)')
    assert (found.function, found.result, str(found.repeat)) == ("open", "h", "2*N")
    assert found.arguments == (
        Memory(Formula.parse("4*N")),
        Memory(Formula.parse(4)),
        String("a"),
        Value(Address("x")),
        Formula.parse(-1),
    )


@pytest.mark.parametrize(
    "text",
    ["f", "f(x=1)", "a.b()", "f(); g()", "x = y = f()", "f(__import__('os'))", "f(open('x'))", "f(*x)"],
)
def test_other_code_is_no_call(text: str) -> None:
    with pytest.raises(FormulaError):
        Statement.parse(text)
