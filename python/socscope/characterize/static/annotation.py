"""What people tell the static analysis that it cannot find out."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Annotation:
    """One fact, at a place: an address, a symbol with offset, a source line, or `file:function:while`.

    Exactly one of: `loop_bound` (how often the loop's head executes for each entry, a formula), `never` (the
    place is not reached in this service), `targets` (of an indirect jump or call; `return` means that it
    returns to its caller), `recursion_depth` (how often the function calls itself at most), `length` (how
    many bytes a library function handles at most, a formula; of strings with the ending zero), or `register`
    with `minimum` and `maximum` of its value there: formulas of parameters and of symbols' addresses.
    """

    at: str
    loop_bound: int | str | None = None
    never: bool = False
    targets: tuple[str, ...] = ()
    recursion_depth: int | None = None
    length: int | str | None = None
    register: str = ""
    minimum: int | str = 0
    maximum: int | str | None = None
