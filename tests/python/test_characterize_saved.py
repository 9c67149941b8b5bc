"""Stores into saved words are found in traces, and nothing else is."""

import numpy as np
from socscope.characterize.dynamic.saved import overwriting
from socscope.characterize.dynamic.trace import WRITE, Bus, Rows, Trace

SUPERVISOR, IRQ = 0x13, 0x12


def trace(rows: list[tuple[int, int, list[int]]], modes: list[int] | None = None) -> Trace:
    """Rows: the instruction's address, the stack pointer before it, and the addresses it writes."""
    count = len(rows)
    zero = np.zeros(count, np.int64)
    status = np.array(modes or [SUPERVISOR] * count, np.int64)
    address, pointer = (np.array([row[column] for row in rows], np.int64) for column in (0, 1))
    writes = [(number, to) for number, (_, _, all_to) in enumerate(rows) for to in all_to]
    row, to = (np.array([one[column] for one in writes], np.int64) for column in (0, 1))
    same = np.zeros(len(writes), np.int64)
    bus = Bus(row, same + WRITE, same, same + 4, to, same, same)
    return Trace(Rows(address, zero + 4, zero, status, pointer, zero, zero, zero, zero), bus, (), 0, 0)


def found(rows: list[tuple[int, int, list[int]]], modes: list[int] | None = None) -> frozenset[int]:
    return overwriting(trace(rows, modes), np.ones(len(rows), np.bool_))


PUSH = (0x100, 0x2000, [0x1FF8, 0x1FFC])


def test_a_store_into_a_pushed_word_is_found() -> None:
    assert found([PUSH, (0x104, 0x1FF8, [0x1FFC]), (0x108, 0x1FF8, [])]) == {0x104}


def test_a_byte_of_it_is_enough() -> None:
    assert found([PUSH, (0x104, 0x1FF8, [0x1FFB]), (0x108, 0x1FF8, [])]) == {0x104}


def test_stores_beside_it_are_not() -> None:
    assert found([PUSH, (0x104, 0x1FF8, [0x1FF4, 0x2000]), (0x108, 0x1FF8, [])]) == frozenset()


def test_words_that_were_popped_are_free() -> None:
    rows = [PUSH, (0x104, 0x1FF8, []), (0x108, 0x2000, []), (0x10C, 0x2000, [0x1FFC]), (0x110, 0x2000, [])]
    assert found(rows) == frozenset()


def test_each_word_is_freed_by_itself() -> None:
    rows = [
        PUSH,
        (0x104, 0x1FF8, []),
        (0x108, 0x1FFC, [0x1FF8]),
        (0x10C, 0x1FFC, [0x1FFC]),
        (0x110, 0x1FFC, []),
    ]
    assert found(rows) == {0x10C}


def test_another_push_is_no_overwriting() -> None:
    assert found([PUSH, (0x104, 0x2000, [0x1FFC]), (0x108, 0x1FFC, [])]) == frozenset()


def test_the_stack_of_another_mode_frees_nothing() -> None:
    rows = [PUSH, (0x104, 0x1FF8, []), (0x108, 0x3000, []), (0x10C, 0x1FF8, [0x1FF8]), (0x110, 0x1FF8, [])]
    assert found(rows, [SUPERVISOR, SUPERVISOR, IRQ, SUPERVISOR, SUPERVISOR]) == {0x10C}


def test_a_long_life_is_followed() -> None:
    rows = [PUSH, *[(0x104, 0x1FF8, [])] * 1000, (0x108, 0x1FF8, [0x1FFC]), (0x10C, 0x1FF8, [])]
    assert found(rows) == {0x108}
