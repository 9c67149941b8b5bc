//! The analysis of control flow, for Python.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use socscope_flow::{
    ARCHITECTURES, Analysed, Analysis, CodeState, Destination, Entry, Fact, LoopBound, Passage,
    Platform, Program, Region, Size, Target, Trouble, price,
};
use socscope_memory::{AccessCost, Direction, Sequence, Width};
use socscope_timing::FixedCpi;
use std::collections::BTreeMap;

/// Register, least and greatest value.
type Bounds = (u32, u32, u32);
/// Cycles by direction, width and sequence.
type Cycles = [[[u16; 3]; 3]; 2];
/// Start, last, cycles, (float cycles, external, early read), (writable, pointed, stacks, code).
type RegionRow = (u32, u32, Cycles, (u16, u8, bool), (bool, bool, bool, bool));

const DIRECTIONS: [Direction; 2] = [Direction::Read, Direction::Write];

/// Number, context, addresses of instructions, how its code is encoded, visits at most.
type BlockRow = (u32, u32, Vec<u32>, u8, Option<u64>);
/// From, to, passage, address to which it leads, function stepped over.
type ExitRow = (u32, i64, &'static str, Option<u32>, Option<u32>);
/// Head, blocks, bound, other entries, numbers of the bounds that people give, and the greatest that sizes make of it.
type LoopRow = (u32, Vec<u32>, Option<u64>, Vec<u32>, Vec<u32>, Option<u64>);
/// Function, register, bytes that one run does, runs that are added.
type SizeRow = (u32, u32, u32, u32);
/// First and last addresses, which of the heads there, how often the head runs at most, a size by which it does.
type LoopBoundRow = (Vec<(u32, u32)>, Option<usize>, u64, Option<SizeRow>);
/// From node, to node, block that follows, cycles.
type EdgeRow = (u32, i64, i64, u64);

/// A program's blocks, loops and calls.
#[pyclass(name = "Flow", frozen)]
pub(crate) struct PyFlow(Analysis, Analysed);

/// The program and what is known about it.
#[derive(FromPyObject)]
struct Given {
    #[pyo3(item)]
    architecture: String,
    #[pyo3(item)]
    constants: Vec<(u32, Vec<u8>)>,
    #[pyo3(item)]
    big_endian: bool,
    #[pyo3(item)]
    entry: (u32, u8, u32, Vec<Bounds>),
    #[pyo3(item)]
    never: Vec<u32>,
    #[pyo3(item)]
    stops: Vec<u32>,
    #[pyo3(item)]
    marked: Vec<u32>,
    #[pyo3(item)]
    targets: BTreeMap<u32, Vec<Option<u32>>>,
    #[pyo3(item)]
    registers: BTreeMap<u32, Vec<Bounds>>,
    #[pyo3(item)]
    recursion: BTreeMap<u32, u32>,
    #[pyo3(item)]
    loop_bounds: Vec<LoopBoundRow>,
    #[pyo3(item)]
    inline: bool,
    #[pyo3(item)]
    blocks_max: usize,
    #[pyo3(item)]
    steps_max: u64,
}

#[pymethods]
impl PyFlow {
    #[new]
    fn new(py: Python<'_>, given: Given) -> PyResult<PyFlow> {
        let (address, code, mode, registers) = given.entry;
        if code > 1 {
            return Err(PyValueError::new_err(format!(
                "{code} is no way in which code is encoded: 0, or 1 for the second instruction set"
            )));
        }
        let entry = Entry {
            address,
            code: CodeState(code),
            mode,
            registers,
        };
        let mut known = ARCHITECTURES.iter();
        let Some(known) = known.find(|known| known.name == given.architecture) else {
            let names: Vec<&str> = ARCHITECTURES.iter().map(|known| known.name).collect();
            return Err(PyValueError::new_err(format!(
                "{} is no architecture that is analysed; these are: {}",
                given.architecture,
                names.join(", ")
            )));
        };
        let target = |target: Option<u32>| target.map_or(Target::Return, Target::Address);
        let targets = given.targets.into_iter();
        let mut constants = given.constants;
        constants.sort_unstable();
        let program = Program {
            constants,
            big_endian: given.big_endian,
            never: given.never.into_iter().collect(),
            stops: given.stops.into_iter().collect(),
            marked: given.marked.into_iter().collect(),
            targets: targets
                .map(|(at, to)| (at, to.into_iter().map(target).collect()))
                .collect(),
            registers: given.registers,
            recursion: given.recursion,
            loop_bounds: given.loop_bounds.into_iter().map(loop_bound).collect(),
            inline: given.inline,
            blocks_max: given.blocks_max,
            steps_max: given.steps_max,
        };
        let found = py.detach(|| (known.analyse)(&program, &entry));
        let missing = || PyValueError::new_err(format!("{mode:#x} is no processor mode"));
        Ok(PyFlow(found.ok_or_else(missing)?, *known))
    }

    /// Number, context, instructions' addresses, how its code is encoded, visits at most.
    fn blocks(&self) -> Vec<BlockRow> {
        let blocks = self.0.blocks.iter();
        blocks
            .map(|(&number, block)| {
                let steps = block.steps.iter().map(|step| step.address).collect();
                let (context, code) = (block.key.context, block.key.code.0);
                (number, context, steps, code, block.visits_max)
            })
            .collect()
    }

    /// First address of each block.
    fn addresses(&self) -> BTreeMap<u32, u32> {
        let blocks = self.0.blocks.iter();
        blocks
            .map(|(&number, block)| (number, block.key.address))
            .collect()
    }

    /// From, to (-1 return, -2 stop), passage, address to which it leads, function stepped over.
    fn exits(&self) -> Vec<ExitRow> {
        let mut all = vec![];
        for (&from, block) in &self.0.blocks {
            for exit in &block.exits {
                let (passage, over) = match exit.passage {
                    Passage::Fall => ("fall", None),
                    Passage::Jump => ("jump", None),
                    Passage::Call => ("call", None),
                    Passage::Return => ("return", None),
                    Passage::Over(function) => ("over", Some(function)),
                };
                let address = exit.refill.and_then(|(address, _)| address);
                all.push((from, number(exit.to), passage, address, over));
            }
        }
        all
    }

    /// Parent, address of the call, function, return address, by number of the context.
    fn contexts(&self) -> Vec<(Option<u32>, u32, u32, u32)> {
        let contexts = self.0.contexts.iter();
        contexts
            .map(|one| (one.parent, one.site, one.function, one.back.0))
            .collect()
    }

    /// Head, blocks, bound, other blocks through which it is entered, numbers of bounds that people give, the
    /// greatest that sizes alone make of it.
    fn loops(&self) -> Vec<LoopRow> {
        let loops = self.0.loops.iter();
        let list = |set: &std::collections::BTreeSet<u32>| set.iter().copied().collect();
        loops
            .map(|one| {
                (
                    one.head,
                    list(&one.members),
                    one.bound,
                    list(&one.other_entries),
                    one.given.clone(),
                    one.sized,
                )
            })
            .collect()
    }

    /// Address, what is wrong there, the function that it is about.
    fn troubles(&self) -> Vec<(u32, &'static str, Option<u32>)> {
        let troubles = self.0.troubles.iter();
        troubles
            .map(|&(address, trouble)| match trouble {
                Trouble::Jump => (address, "jump", None),
                Trouble::Call => (address, "call", None),
                Trouble::Bound => (address, "bound", None),
                Trouble::Recursion(function) => (address, "recursion", Some(function)),
                Trouble::NoCode => (address, "no code", None),
                Trouble::Mode => (address, "mode", None),
                Trouble::Size => (address, "size", None),
            })
            .collect()
    }

    /// Stores that were taken to stay in the objects that their pointers lead to.
    fn assumed(&self) -> Vec<u32> {
        self.0.assumed.iter().copied().collect()
    }

    /// Executions of blocks that were gone through while loops were counted.
    fn steps(&self) -> u64 {
        self.0.steps
    }

    /// Facts that made a difference: what kind, address, register.
    fn used(&self) -> Vec<(&'static str, u32, Option<u32>)> {
        let used = self.0.used.iter();
        used.map(|&fact| match fact {
            Fact::Never(address) => ("never", address, None),
            Fact::Targets(address) => ("targets", address, None),
            Fact::Register(address, register) => ("register", address, Some(register)),
            Fact::Recursion(function) => ("recursion", function, None),
        })
        .collect()
    }

    /// Ways out of blocks that no values allow.
    #[getter]
    fn impossible(&self) -> u64 {
        self.0.impossible
    }

    /// The block of each node; and edges: from node, to node (-1 out), block to which it leads (-1, -2), cycles: those of the core with
    /// these memories, or as many for each instruction.
    #[pyo3(signature = (regions, cycles_per_instruction=None))]
    fn price(
        &self,
        py: Python<'_>,
        regions: Vec<RegionRow>,
        cycles_per_instruction: Option<u32>,
    ) -> PyResult<(Vec<u32>, Vec<EdgeRow>)> {
        let region = |row: RegionRow| {
            let (start, last, cycles, (float_cycles, external, early_read), may) = row;
            let mut cost = AccessCost::SINGLE_CYCLE;
            (cost.float_cycles, cost.external, cost.early_read) =
                (float_cycles, external, early_read);
            for (direction, widths) in DIRECTIONS.into_iter().zip(cycles) {
                for (width, sequences) in Width::ALL.into_iter().zip(widths) {
                    for (sequence, cycles) in Sequence::ALL.into_iter().zip(sequences) {
                        cost.set(sequence, direction, width, cycles);
                    }
                }
            }
            let (writable, pointed, stacks, code) = may;
            Region {
                start,
                last,
                cost,
                writable,
                pointed,
                stacks,
                code,
            }
        };
        let regions = regions.into_iter().map(region).collect();
        let platform = Platform { regions };
        let priced = match cycles_per_instruction {
            None => {
                let own = self.1.price.ok_or_else(|| {
                    PyValueError::new_err(format!(
                        "no timing model of {} knows the cycles of its instructions: say how many one takes",
                        self.1.name
                    ))
                })?;
                py.detach(|| own(&self.0, &platform))
            }
            Some(cycles) => {
                let model = FixedCpi::new(cycles, 1)
                    .map_err(|error| PyValueError::new_err(error.to_string()))?;
                py.detach(|| price(&self.0, &platform, &model))
            }
        };
        let edge = |edge: &socscope_flow::PricedEdge| {
            (
                edge.from,
                edge.to.map_or(-1, i64::from),
                number(edge.exit.to),
                edge.cycles,
            )
        };
        let edges = priced.edges.iter().map(edge).collect();
        Ok((priced.nodes, edges))
    }
}

fn loop_bound((spans, number, most, size): LoopBoundRow) -> LoopBound {
    let size = size.map(|(function, register, each, more)| Size {
        function,
        register,
        each,
        more,
    });
    LoopBound {
        spans,
        number,
        most,
        size,
    }
}

fn number(to: Destination) -> i64 {
    match to {
        Destination::Block(number) => i64::from(number),
        Destination::Return => -1,
        Destination::Stop(_) => -2,
    }
}
