"""A machine in the ready state of a description: every run of a case is a fork of it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from socscope import _core, platform
from socscope.characterize.dynamic.call import Statement
from socscope.characterize.dynamic.caller import Caller, entry_of, word, word_at
from socscope.characterize.dynamic.episode import Application, Episode, cut
from socscope.characterize.dynamic.sections import Sections
from socscope.characterize.dynamic.trace import Mask, Trace
from socscope.characterize.services import BlockingRule, Guest, PathFacts, Place, ServiceFacts, Services
from socscope.characterize.static.places import Places
from socscope.clear import clear_errors
from socscope.errors import CharacterizeError, SocscopeError
from socscope.image import Image
from socscope.sheet.formula import Formula
from socscope.simulation import Outcome, Simulation

IRQ_MASKED, FIQ_MASKED = 1 << 7, 1 << 6
EXTERNAL_ENABLED = 1 << 15
"""EE of a PowerPC's machine state."""
READY_LIMIT = "10s"
# What a row of a trace and what is computed from it take at most, measured on long cases.
ROW_BYTES = 400

Values = Mapping[str, int]


FIXED_CPI = re.compile(r"^fixed CPI \d+/1$")
ARM, POWERPC = "EM_ARM", "EM_PPC"
"""Images that are measured: by the bus cycles of an ARM7TDMI, and by the cycles of instructions."""


def rows_that_fit(memory_bytes: int) -> int:
    """How many rows a trace may have that is taken apart in so much memory."""
    return max(1, memory_bytes // ROW_BYTES)


@dataclass(frozen=True)
class Source:
    """What is characterised, and on what: enough to build a bench anew in another process."""

    image: Path
    services: Path
    platform: str
    overrides: tuple[str, ...] = ()


class Bench:
    """An image that has run to its ready state on a platform."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.services = Services.read(source.services)
        self.image = Image.read(source.image)
        if self.image.machine not in (ARM, POWERPC):
            raise CharacterizeError(
                f"{source.image}: is for {self.image.machine.removeprefix('EM_')}; sheets are measured "
                "by the bus cycles of an ARM7TDMI, or by the instructions of a PowerPC; give such an image"
            )
        self.by_instruction = self.image.machine == POWERPC
        if not self.image.symbols:
            raise CharacterizeError(
                f"{source.image}: has no symbols, and they name the services; give the image before it was "
                "stripped"
            )
        self._check_symbols()
        self.ready = Simulation(platform.load(source.platform), self.image, overrides=source.overrides)
        self._run_to(self.ready, self.services.image.ready, READY_LIMIT, "the ready state")
        if self.by_instruction:
            self._check_instructions()
        facts = self.services
        with clear_errors():
            self.sections = Sections.of(
                self.image, self.ready.machine.regions(), facts.sections.members, facts.sections.kinds
            )
        self.application = Application.of(self.image, facts.image.application)
        self._places = Places(self.image)
        self._watched = [self._place(rule) for rule in facts.blocking if rule.when is None]

    def episode(
        self, service: ServiceFacts, path: PathFacts, values: Values, *, by_row: bool = False
    ) -> Episode:
        """Runs the case of a path with these values of the parameters, and counts the service in it; kinds of
        rows, too, if they are wanted `by_row`.
        """
        what = _described(service, path, values)
        one = self.ready.fork()
        try:
            if path.call is not None:
                trace = self._called(one, path, path.call, values, what)
            else:
                trace = self._driven(one, path, service, values, what)
        except CharacterizeError:
            raise
        except SocscopeError as error:
            raise CharacterizeError(f"{what}: {error}") from None
        counted = self.application.counted(trace.rows)
        if path.call is not None:
            counted[:] = True
        if not counted.any():
            raise CharacterizeError(
                f"{what}: nothing of the service was executed between begin and end; see [image] application"
            )
        if trace.bus_held_cycles:
            raise CharacterizeError(
                f"{what}: DMA took {trace.bus_held_cycles} cycles of the bus in it; prepare the case so that "
                "no transfer is under way"
            )
        episode = cut(
            trace,
            counted,
            self._blocking(trace),
            self.sections,
            entry=self._places.address(service.static.start or service.entry),
            stops=[self._places.address(stop) for stop in service.static.stop],
            returns=service.static.start is None,
            by_row=by_row,
        )
        if sum(episode.costs.values()) != episode.cycles:
            raise CharacterizeError(
                f"{what}: the bus cycles cost {sum(episode.costs.values())} cycles, and the run took "
                f"{episode.cycles}: the timing model of {self.ready.platform.name} does not count them; set "
                '/cpus/cpu@0:socscope,timing="arm7tdmi"'
            )
        return episode

    def _check_instructions(self) -> None:
        """What instructions of a PowerPC take must be a whole number, and no other core may run."""
        name, place = self.ready.platform.name, f"{self.source.services}: "
        if (cores := len(self.ready.machine.cores)) != 1:
            raise CharacterizeError(
                f"{name}: has {cores} cores, and what others do would be counted, too; "
                "give a platform with the first one alone, as powerpc755 is to mixed-soc"
            )
        if not FIXED_CPI.search(self.ready.machine.timing()["model"]):
            raise CharacterizeError(
                f"{name}: a PowerPC's sheet counts instructions, each of as many cycles: set "
                '/cpus/<core>:socscope,timing="fixed-cpi" and socscope,cpi=<1 1>'
            )
        for service in self.services.service:
            for path in service.path:
                if path.call is not None:
                    raise CharacterizeError(
                        f"{place}service {service.name}, path {path.name}: call: the simulator calls "
                        "functions of ARM images only; let the guest make the call, in a case"
                    )

    def _check_symbols(self) -> None:
        """All names of the description must be in the image, before anything runs."""
        facts = self.services
        names = [
            (f"image.{name}", place.symbol)
            for name in ("ready", "begin", "end", "done")
            if (place := getattr(facts.image, name)) is not None
        ]
        names.append(("image.memory", facts.image.memory))
        if facts.guest is not None:
            guest = facts.guest
            names += [
                ("guest.case", guest.case),
                ("guest.parameters", guest.parameters),
                ("guest.result", guest.result),
            ]
        names += [(f"blocking {rule.kind}", rule.symbol) for rule in facts.blocking]
        for service in facts.service:
            names.append((f"service {service.name}: entry", service.entry))
            for path in service.path:
                place = f"service {service.name}, path {path.name}"
                names.append((f"{place}: case", path.case))
                calls = [*path.setup, *([path.call] if path.call else [])]
                names += [(f"{place}: call", call.function) for call in calls]
        for place, name in names:
            if name is None:
                continue
            try:
                self.image.address_of(name)
            except SocscopeError as error:
                raise CharacterizeError(f"{self.source.services}: {place}: {error}") from None

    def _place(self, rule: BlockingRule) -> tuple[int, int]:
        """Address and bytes of what decides about a blocking."""
        if rule.symbol is not None:
            address = self.image.address_of(rule.symbol)
            return address, min(self.image.sizes.get(rule.symbol, 4), 4)
        devices = {one["name"]: one for one in self.ready.machine.devices()}
        if rule.device not in devices:
            raise CharacterizeError(
                f"{self.source.services}: blocking {rule.kind}: {self.ready.platform.name} has no device "
                f"{rule.device}; it has {', '.join(devices)}"
            )
        device = devices[rule.device]
        offsets = _register_offsets(device["compatible"])
        if rule.register_name not in offsets:
            raise CharacterizeError(
                f"{self.source.services}: blocking {rule.kind}: {rule.device} has no register "
                f"{rule.register_name}; it has {', '.join(offsets)}"
            )
        return device["base"] + offsets[rule.register_name], 4

    def _blocking(self, trace: Trace) -> list[tuple[str, Mask]]:
        found: list[tuple[str, Mask]] = []
        place = 0
        for rule in self.services.blocking:
            if rule.when is not None:
                found.append((rule.kind, self._masked(rule.when, trace)))
                continue
            mask, wanted = rule.holds()
            value = trace.watched[place] & mask
            found.append((rule.kind, value != 0 if wanted is None else value == wanted))
            place += 1
        return found

    def _masked(self, when: str, trace: Trace) -> Mask:
        """Before which rows the core lets no interrupts in."""
        status = trace.rows.status
        masked: Mask
        if not self.by_instruction:
            masked = status & (FIQ_MASKED if when == "cpsr.f" else IRQ_MASKED) != 0
        elif when == "masked":
            masked = status & EXTERNAL_ENABLED == 0
        else:
            raise CharacterizeError(
                f'{self.source.services}: blocking: when = "{when}": a PowerPC has no CPSR; write "masked"'
            )
        return masked

    @property
    def _limit(self) -> str:
        return f"{self.services.image.limit_ms:g}ms"

    def _address(self, place: Place) -> int | None:
        return None if place.symbol is None else self.image.address_of(place.symbol)

    def _run_to(self, one: Simulation, place: Place, limit: str, what: str) -> None:
        if place.time_ms is not None:
            outcome = one.run(f"{place.time_ms:g}ms")
            reached = outcome.stop.kind == "time"
        else:
            outcome = one.run(limit, until_mark=place.mark, until_symbol=place.symbol)
            reached = outcome.stop.kind in ("mark", "address")
        if not reached:
            raise CharacterizeError(_not_reached(what, str(place), outcome, limit))

    def _traced(
        self, one: Simulation, what: str, *, mark: int | None = None, address: int | None = None
    ) -> Trace:
        """Runs to a mark or an address, and writes down what happens."""
        limit_ps = round(self.services.image.limit_ms * 1e9)
        with clear_errors():
            kind, detail, tables = one.machine.trace(
                self._watched,
                one.machine.time_ps + limit_ps,
                address,
                mark,
                rows_that_fit(_core.memory_limit()),
                by_instruction=self.by_instruction,
            )
        if kind == "full":
            raise CharacterizeError(
                f"{what}: {detail}, which is what fits into half of this host's memory: the case is too "
                "long; choose smaller parameters, or a host with more memory"
            )
        if kind not in ("mark", "address"):
            place = f"mark {mark}" if mark is not None else f"{address or 0:#010x}"
            inside = self.image.describe(one.machine.pc)
            why = f"the time limit (image.limit_ms) came first, in {inside}" if kind == "time" else detail
            raise CharacterizeError(f"{what}: its end ({place}) was not reached: {why}")
        return Trace.unpack(tables, len(self._watched))

    def _driven(
        self, one: Simulation, path: PathFacts, service: ServiceFacts, values: Values, what: str
    ) -> Trace:
        """A case of the guest."""
        facts, guest = self.services.image, self.services.guest
        assert guest is not None and facts.begin is not None and facts.end is not None  # noqa: PT018
        machine = one.machine
        with clear_errors():
            machine.poke(
                self.image.address_of(guest.case), self._word(entry_of(self.image, path.case or "")), 0
            )
            words = b"".join(self._word(values[parameter.name]) for parameter in service.parameter)
            machine.poke(self.image.address_of(guest.parameters), words, 0)
        self._run_to(one, facts.begin, self._limit, f"{what}: its begin")
        trace = self._traced(one, what, mark=facts.end.mark, address=self._address(facts.end))
        if facts.done is not None:
            self._run_to(one, facts.done, self._limit, f"{what}: its last mark")
        self._check_result(one, guest, path, values, what)
        return trace

    def _word(self, value: int) -> bytes:
        return word(value, self.image)

    def _check_result(
        self, one: Simulation, guest: Guest, path: PathFacts, values: Values, what: str
    ) -> None:
        if guest.result is None or path.expect is None:
            return
        found = word_at(one, self.image.address_of(guest.result))
        _check(what, found, path, values)

    def _called(self, one: Simulation, path: PathFacts, call: Statement, values: Values, what: str) -> Trace:
        """Calls that the simulator makes in the ready state, the last of them traced."""
        memory = self.services.image.memory
        caller = Caller(one, None if memory is None else self.image.address_of(memory), values)
        for statement in path.setup:
            for _ in range(caller.times(statement)):
                caller.prepare(statement)
                outcome = one.run(self._limit, until_symbol=f"{caller.back:#x}")
                if outcome.stop.kind != "address":
                    returns = f"{what}: the return of {statement.text!r}"
                    raise CharacterizeError(_not_reached(returns, "to the caller", outcome, self._limit))
                caller.returned(statement)
        caller.prepare(call)
        end = self.services.image.end if path.ends == "switches" else None
        if end is None:
            trace = self._traced(one, what, address=caller.back)
        else:
            trace = self._traced(one, what, mark=end.mark, address=self._address(end))
        if path.expect is not None:
            _check(what, one.machine.registers()["r0"], path, values)
        return trace


def _register_offsets(compatible: Sequence[str]) -> dict[str, int]:
    from socscope import _core  # noqa: PLC0415 - only for descriptions that name registers.

    for model in _core.device_models():
        if set(model["compatible"]) & set(compatible):
            return {register["name"]: register["offset"] for register in model["registers"]}
    return {}


def _described(service: ServiceFacts, path: PathFacts, values: Values) -> str:
    given = ", ".join(f"{name}={value}" for name, value in values.items())
    return f"service {service.name}, path {path.name}" + (f", {given}" if given else "")


def _check(what: str, found: int, path: PathFacts, values: Values) -> None:
    expected = int(Formula.parse(path.expect or 0).evaluate(dict(values)))
    if (found ^ expected) & 0xFFFFFFFF:
        signed = int(np.uint32(found).astype(np.int32))
        raise CharacterizeError(
            f"{what}: the result is {signed} ({found:#x}), and {expected} was expected: the case did not do "
            "what it is for; correct it, or expect"
        )


def _not_reached(what: str, place: str, outcome: Outcome, limit: str) -> str:
    stop = outcome.stop
    why = f"nothing came within {limit}" if stop.kind == "time" else stop.detail
    return f"{what} ({place}) was not reached: {why}" + (f"\n{outcome.crash}" if outcome.crash else "")
