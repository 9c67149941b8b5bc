"""From the compiled analysis to a result: bounds of loops, costs, worst paths, what has no bound."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import networkx

from socscope import _core
from socscope.characterize.static import remedies, symbolic
from socscope.characterize.static.annotation import Annotation
from socscope.characterize.static.extremes import least, not_negative
from socscope.characterize.static.facts import Assumption, Place
from socscope.characterize.static.paths import Cycle, Edge, Graph, worst
from socscope.characterize.static.places import Places
from socscope.characterize.static.program import Facts, Ranges, facts, given
from socscope.characterize.static.result import Loop, Reference, Region, Unbounded, WorstPath
from socscope.errors import CharacterizeError
from socscope.image import Image
from socscope.sheet.formula import Formula

LEFT_ALONE = (
    "the store stays in the object that its pointer leads to: no return address and no saved register"
)


@dataclass
class Bounded:
    """A loop of one calling context with what bounds it."""

    head: int
    members: frozenset[int]
    irreducible: bool
    automatic: int | None
    given: list[int]
    """Numbers of the bounds in annotations, and of those that are known of library routines."""
    formulas: list[Formula]
    sized: int | None = None
    """What the sizes with which a library routine is called say."""

    @property
    def known(self) -> bool:
        """Whether anything bounds it."""
        return self.automatic is not None or self.sized is not None or bool(self.formulas)

    def at(self, values: Mapping[str, int]) -> int | None:
        """How often the head runs for each entry, for values of the parameters."""
        known = [int(formula.evaluate(values)) for formula in self.formulas]
        known += [one for one in (self.automatic, self.sized) if one is not None]
        return max(0, min(known)) if known else None


def _check_times(places: Places, times: Sequence[Reference]) -> None:
    """Fails where nothing says what instructions cost."""
    for one in times:
        if one.cpi is None and not places.convention.own_timing:
            raise CharacterizeError(
                f"{places.image.path}: its core has no timing model of its own; give the reference "
                f"{one.name!r} cpi=(cycles, instructions), as the platform's socscope,cpi does"
            )
        if one.cpi is not None and not all(0 < number < 2**32 for number in one.cpi):
            raise CharacterizeError(
                f"reference {one.name!r}: cpi={one.cpi}: two numbers from 1 to 4294967295, for example "
                "(19, 10)"
            )


def _whole(counted: int, reference: Reference) -> int:
    """Cycles, where parts of one were counted: what is begun takes a whole one."""
    return -(-counted // reference.cpi[1]) if reference.cpi else counted


class Analysis:
    """One entry of an image, analysed."""

    def __init__(
        self,
        image: Image,
        entry: int | str,
        *,
        times: Sequence[Reference],
        annotations: Sequence[Annotation] = (),
        parameters: Ranges | None = None,
        registers: Mapping[str, tuple[int | str, int | str]] | None = None,
        mode: str = "supervisor",
        start: int | str | None = None,
        stop: Sequence[int | str] = (),
        inline: bool = True,
    ) -> None:
        if not image.functions:
            raise CharacterizeError(
                f"{image.path}: has no symbols (it is stripped); link without -s, and keep the file that "
                "objcopy or strip was given"
            )
        self.places = Places(image)
        self.times = times
        _check_times(self.places, times)
        self.parameters = dict(parameters or {})
        self.entry = self.places.address(entry)
        self.start = None if start is None else self.places.address(start)
        self.annotations = annotations
        self.facts: Facts = facts(self.places, annotations, self.parameters)
        program = given(
            self.places,
            self.facts,
            self.entry,
            registers=registers or {},
            parameters=self.parameters,
            mode=mode,
            start=self.start,
            stop=[self.places.address(one) for one in stop],
            inline=inline,
        )
        self.flow = _core.Flow(program)
        self.addresses = self.flow.addresses()
        self.blocks = {number: (context, steps) for number, context, steps, _, _ in self.flow.blocks()}
        self.contexts = self.flow.contexts()
        self.loops = self._loops()
        self._solved: dict[tuple[str, tuple[tuple[str, int], ...]], tuple[int, dict[tuple[int, int], int]]]
        self._solved = {}

    def _loops(self) -> list[Bounded]:
        found = []
        for head, members, bound, others, numbers, sized in self.flow.loops():
            facts = [self.facts.loops[one] for one in numbers]
            formulas = [one.formula for one in facts if one.formula is not None]
            found.append(Bounded(head, frozenset(members), bool(others), bound, numbers, formulas, sized))
        return found

    @cached_property
    def unbounded(self) -> tuple[Unbounded, ...]:
        """What has no bound, each once, with the annotation that would help."""
        found: dict[tuple[str, int], Unbounded] = {}
        given = {
            self.addresses[loop.head]
            for loop in self.loops
            if any(self.facts.loops[one].annotation is not None for one in loop.given)
        }
        for address, kind, about in self.flow.troubles():
            # What is known of a library routine holds: paths that it leaves without a way out are infeasible.
            if kind == "bound" and address not in given:
                continue
            found[kind, address] = remedies.trouble(self.places, address, kind, about)
        missed = remedies.without_loop(self.facts, self.flow.loops())
        for loop in self.loops:
            address = self.addresses[loop.head]
            if not loop.known:
                found.setdefault(
                    ("loop", address),
                    remedies.loop(self.places, address, loop.irreducible, self.facts, missed),
                )
        return tuple(found.values())

    @cached_property
    def assumptions(self) -> tuple[Assumption, ...]:
        """What the bound takes for granted of stores through pointers."""
        return tuple(Assumption(self.places.at(address), LEFT_ALONE) for address in self.flow.assumed())

    def callers(self, context: int) -> tuple[Place, ...]:
        """The calls that lead to a context, outermost first."""
        sites: list[Place] = []
        number: int | None = context
        while number is not None:
            parent, site, _, _ = self.contexts[number]
            if parent is not None:
                sites.append(self.places.at(site))
            number = parent
        return tuple(reversed(sites))

    def described_loops(self) -> tuple[Loop, ...]:
        """All loops, for people."""
        found = []
        for loop in self.loops:
            place, callers = (
                self.places.at(self.addresses[loop.head]),
                self.callers(self.blocks[loop.head][0]),
            )
            facts = [self.facts.loops[one] for one in loop.given]
            users = [one.formula for one in facts if one.annotation is not None]
            if users:
                found.append(Loop(place, callers, str(users[0]), "annotation"))
            elif loop.automatic is not None:
                found.append(Loop(place, callers, loop.automatic, "analysis"))
            elif loop.known:
                found.append(Loop(place, callers, loop.at({}), "library"))
            else:
                found.append(Loop(place, callers, None, "none"))
        return tuple(found)

    @cached_property
    def exits(self) -> list[tuple[int, int, str, int | None, int | None]]:
        """Ways between blocks."""
        return self.flow.exits()

    def _graph(self, reference: Reference) -> Graph:
        nodes, edges = self._prices[reference.name]
        if self.start is None:
            sources = frozenset([0])
        else:
            at = (node for node, block in enumerate(nodes) if self.addresses[block] == self.start)
            sources = frozenset(at)
            if not sources:
                start, entry = self.places.named(self.start), self.places.named(self.entry)
                raise CharacterizeError(f"start {start} is not reached from {entry}")
        looped = frozenset[int]().union(*(loop.members for loop in self.loops))
        visits = {
            number: most
            for number, _, _, _, most in self.flow.blocks()
            if most is not None and number in looped
        }
        return Graph(nodes, edges, sources, visits)

    @cached_property
    def _prices(self) -> dict[str, tuple[list[int], list[Edge]]]:
        found = {}
        for reference in self.times:
            rows = [self._row(region) for region in reference.regions]
            nodes, edges = self.flow.price(rows, reference.cpi[0] if reference.cpi else None)
            found[reference.name] = (nodes, [Edge(start, end, cycles) for start, end, _, cycles in edges])
        return found

    def solve(
        self, values: Mapping[str, int], reference: Reference
    ) -> tuple[int, dict[tuple[int, int], int]] | None:
        """The worst path for values of the parameters; None where something has no bound."""
        if self.unbounded:
            return None
        key = (reference.name, tuple(sorted(values.items())))
        if key not in self._solved:
            cycles = []
            for loop in self.loops:
                bound = loop.at(values)
                assert bound is not None
                cycles.append(Cycle(loop.head, loop.members, bound, loop.irreducible))
            counted, counts = worst(self._graph(reference), cycles)
            self._solved[key] = _whole(counted, reference), counts
        return self._solved[key]

    @cached_property
    def names(self) -> frozenset[str]:
        """Parameters on which the bound depends."""
        return frozenset[str]().union(*(formula.names for loop in self.loops for formula in loop.formulas))

    def extreme(self) -> dict[str, int]:
        """The greatest values of all parameters."""
        return {name: high for name, (_, high) in self.parameters.items()}

    def bounds(self) -> dict[str, Formula]:
        """Cycles on each platform, as formulas; nothing where something has no bound.

        Where there is no formula it is the bound for the greatest values of all parameters.
        """
        found: dict[str, Formula] = {}
        for reference in self.times:
            formula = self._formula(reference) if self.names and not self.unbounded else None
            solved = self.solve(self.extreme(), reference) if formula is None else None
            if formula is not None:
                found[reference.name] = formula
            elif solved is not None:
                found[reference.name] = Formula(solved[0])
        return found

    def _formula(self, reference: Reference) -> Formula | None:
        nodes, edges = self._prices[reference.name]
        costs: dict[tuple[int, int], int] = {}
        for edge in edges:
            key = (nodes[edge.start], nodes[edge.end] if edge.end >= 0 else -1)
            costs[key] = max(edge.cycles, costs.get(key, 0))
        sources = {nodes[node] for node in self._graph(reference).sources}
        found = symbolic.bound(costs, [self._folded(loop) for loop in self.loops], sources)
        parts = reference.cpi[1] if reference.cpi else 1
        return found if found is None or parts == 1 else Formula.parse(f"(({found}) + {parts - 1})//{parts}")

    def _folded(self, loop: Bounded) -> symbolic.Folded:
        numbers = [one for one in (loop.automatic, loop.sized) if one is not None]
        runs = least([*loop.formulas, *(Formula(one) for one in numbers)], self.parameters)
        # A loop with several entries may run once more before its head is met.
        again = not_negative(runs if loop.irreducible else runs + Formula(-1), self.parameters)
        constant = again.constant
        return symbolic.Folded(loop.head, loop.members, again if constant is None else constant)

    def paths(self) -> tuple[WorstPath, ...]:
        """The worst path of each platform; equal ones, and those that another one is never below, are one."""
        found: list[WorstPath] = []
        for reference in self.times:
            solved = self.solve(self.extreme(), reference)
            if solved is None:
                return ()
            edges = solved[1]
            cycles = {one.name: self._cost(edges, one) for one in self.times} | {reference.name: solved[0]}
            same = next((one for one in found if dict(one.edges) == edges), None)
            if same:
                found.remove(same)
                merged = {name: max(same.cycles[name], cycles[name]) for name in cycles}
                found.append(WorstPath((*same.references, reference.name), merged, edges))
            elif not any(all(one.cycles[name] >= cycles[name] for name in cycles) for one in found):
                found.append(WorstPath((reference.name,), cycles, edges))
        return tuple(found)

    def _cost(self, counts: Mapping[tuple[int, int], int], reference: Reference) -> int:
        """What a path costs on another platform, at most."""
        nodes, edges = self._prices[reference.name]
        most: dict[tuple[int, int], int] = {}
        for edge in edges:
            key = (nodes[edge.start], nodes[edge.end] if edge.end >= 0 else -1)
            most[key] = max(edge.cycles, most.get(key, 0))
        return _whole(sum(count * most.get(key, 0) for key, count in counts.items()), reference)

    def _call_of(self, context: int) -> int:
        """The context of the call that the entry makes itself, around a context; 0 for its own code."""
        while (parent := self.contexts[context][0]) not in (None, 0):
            context = parent or 0
        return context

    def graph(self, counts: Mapping[tuple[int, int], int]) -> networkx.DiGraph:
        """Blocks with the worst path's counts."""
        graph = networkx.DiGraph()
        for number, (context, steps) in self.blocks.items():
            place = self.places.at(self.addresses[number])
            graph.add_node(
                number,
                address=place.address,
                steps=steps,
                function=place.function,
                source=place.source,
                context=context,
                call=self._call_of(context),
                count=0,
            )
        for start, end, kind, address, _ in self.exits:
            # Both ways out, by return (-1) and at a stop (-2), are -1 in a path.
            count = counts.get((start, max(end, -1)), 0)
            graph.add_edge(start, end, kind=kind, address=address, count=count)
        for end in (-1, -2):
            if end in graph:
                graph.nodes[end].update(function="", source="", address=0, steps=[], context=0, call=0)
        for node in graph:
            entering = sum(graph.edges[edge]["count"] for edge in graph.in_edges(node))
            leaving = sum(graph.edges[edge]["count"] for edge in graph.out_edges(node))
            graph.nodes[node]["count"] = max(entering, leaving)
        return graph

    def calls(self) -> networkx.DiGraph:
        """Functions that call each other, by their addresses."""
        graph = networkx.DiGraph()
        graph.add_node(self.entry, name=self.places.named(self.entry))
        for parent, site, function, _ in self.contexts[1:]:
            caller = self.contexts[parent or 0][2] if parent is not None else self.entry
            graph.add_node(function, name=self.places.named(function))
            graph.add_edge(caller, function)
            sites: set[int] = graph.edges[caller, function].setdefault("sites", set())
            sites.add(site)
        for _, _, kind, _, over in self.exits:
            if kind == "over" and over is not None:
                graph.add_node(over, name=self.places.named(over))
                graph.add_edge(self.entry, over)
        return graph

    def _row(self, region: Region) -> tuple[object, ...]:
        """A region as the compiled analysis takes it."""
        last = region.start + region.size - 1
        code = any(one.start <= last and region.start < one.end for one in self.places.image.sections)
        memory = region.kind in ("ram", "rom")
        may = (region.kind != "rom", memory or region.kind == "device", region.kind == "ram", code)
        buses = (region.float_cycles, region.external, region.early_read)
        return (region.start, last, region.cycles, buses, may)
