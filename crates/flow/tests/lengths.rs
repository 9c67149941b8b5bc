//! A program of instructions of both lengths: calls are followed, loops counted, and bounds are what a run takes.

#[allow(dead_code)]
#[path = "../../architectures/toy/tests/support/assembler.rs"]
mod assembler;

use assembler::{LINK, Program as Assembled, STACK};
use assembler::{add_number, bytes, call, jump, load, set, step, store, trap};
use socscope_core::Unobserved;
use socscope_flow::{CodeState, Entry, Loop, Platform, Priced, Program, Region, Toy, Trouble};
use socscope_flow::{analyse, price};
use socscope_memory::{Access, AccessCost, Bus, Fault, RegionIndex, When, Width};
use socscope_timing::FixedCpi;
use socscope_toy::{Core, RESET};

/// A function that calls another one ten times, for the sum of i + (i - 1) + ... + 1; a trap in the inner one, if asked for.
fn nested(with_trap: bool) -> Vec<u32> {
    let mut code = Assembled::default();
    code.put(&[step(STACK, -8), store(LINK, STACK, 0), store(8, STACK, 4)])
        .put(&[add_number(8, 9, 0), set(8, 10)])
        .label("outer")
        .put(&[add_number(0, 8, 0)])
        .to(call(0), "inner")
        .put(&[step(8, -1), set(7, 0)])
        .to(assembler::branch_if(1, 8, 7, 0), "outer")
        .put(&[
            load(8, STACK, 4),
            load(LINK, STACK, 0),
            step(STACK, 8),
            jump(LINK),
        ])
        .label("inner")
        .put(&[set(1, 0), set(2, 0)])
        .label("loop")
        .put(&[assembler::add(1, 1, 0), step(0, -1)])
        .to(assembler::branch_if(2, 2, 0, 0), "loop");
    if with_trap {
        code.put(&[trap(3)]);
    }
    code.put(&[jump(LINK)]);
    code.instructions()
}

/// Memory for a run.
struct Memory(Vec<u8>, bool);

impl Bus for Memory {
    fn fetch(&mut self, address: u32, width: Width) -> Result<Access, Fault> {
        self.read(address, width, |_, _| 0)
    }
    fn read(&mut self, address: u32, width: Width, _: impl When) -> Result<Access, Fault> {
        let found = &self.0[address as usize..(address + width.bytes()) as usize];
        let fold = |value: u32, byte: &u8| value << 8 | u32::from(*byte);
        let value = match self.1 {
            true => found.iter().fold(0, fold),
            false => found.iter().rev().fold(0, fold),
        };
        let region = RegionIndex::UNMAPPED;
        Ok(Access { value, region })
    }
    fn write(
        &mut self,
        address: u32,
        width: Width,
        value: u32,
        _: impl When,
    ) -> Result<RegionIndex, Fault> {
        for offset in 0..width.bytes() {
            let from_low = if self.1 {
                width.bytes() - 1 - offset
            } else {
                offset
            };
            self.0[(address + offset) as usize] = (value >> (8 * from_low)) as u8;
        }
        Ok(RegionIndex::UNMAPPED)
    }
    fn region(&self, _: u32) -> RegionIndex {
        RegionIndex::UNMAPPED
    }
    fn cost(&self, _: RegionIndex) -> &AccessCost {
        const { &AccessCost::SINGLE_CYCLE }
    }
    fn deadline(&self) -> u64 {
        u64::MAX
    }
    fn irq(&self) -> bool {
        false
    }
    fn fiq(&self) -> bool {
        false
    }
}

fn memory(code: &[u32], big: bool) -> Memory {
    let mut memory = vec![0; 0x1000];
    let code = bytes(code, big);
    memory[RESET as usize..RESET as usize + code.len()].copy_from_slice(&code);
    memory[0x20..0x22].copy_from_slice(&bytes(&[assembler::RETURN], big));
    Memory(memory, big)
}

fn program(memory: &Memory, ends: usize) -> (Program, Entry) {
    let program = Program {
        constants: vec![(0, memory.0[..RESET as usize + ends].to_vec())],
        big_endian: memory.1,
        inline: true,
        blocks_max: 1000,
        steps_max: 10_000,
        ..Program::default()
    };
    let entry = Entry {
        address: RESET,
        code: CodeState(0),
        mode: 0,
        registers: vec![],
    };
    (program, entry)
}

/// Cycles of a run to the return, three an instruction.
fn cycles_of_a_run(memory: &mut Memory, big: bool) -> u64 {
    let model = if big {
        socscope_toy::Toy::Big
    } else {
        socscope_toy::Toy::Little
    };
    let mut core = Core::new(model);
    core.set_slot(LINK, 0xf00);
    core.set_slot(STACK, 0xe00);
    let mut timing = FixedCpi::new(3, 1).unwrap();
    let mut cycles = 0;
    while core.program_counter() != 0xf00 {
        let done = socscope_core::plain::step(&mut core, memory, &mut timing, &mut Unobserved, 0);
        cycles += done.cycles;
    }
    assert_eq!(core.slot(8), 0, "what it found in its register");
    cycles
}

/// The greatest sum over paths of a graph whose loops run as often as they are said to: here all paths of a block cost the same.
fn bound(priced: &Priced, visits: impl Fn(u32) -> u64) -> u64 {
    let nodes = 0..priced.nodes.len();
    nodes
        .map(|node| {
            let leaving = priced.edges.iter().filter(|edge| edge.from == node as u32);
            let most = leaving.map(|edge| edge.cycles).max().unwrap_or(0);
            most * visits(priced.nodes[node])
        })
        .sum()
}

#[test]
fn the_bound_of_a_single_path_is_what_a_run_takes() {
    for (with_trap, big) in [(false, false), (false, true), (true, false), (true, true)] {
        let code = nested(with_trap);
        let length = bytes(&code, big).len();
        let mut memory = memory(&code, big);
        let (program, entry) = program(&memory, length);
        let analysis = analyse::<Toy>(&program, &entry).expect("there is one mode");
        assert_eq!(
            analysis.troubles.iter().collect::<Vec<&(u32, Trouble)>>(),
            [&(0, Trouble::Jump); 0]
        );
        let bounds: Vec<Option<u64>> = analysis.loops.iter().map(|one: &Loop| one.bound).collect();
        assert!(bounds.contains(&Some(10)), "{bounds:?}");
        let platform = Platform {
            regions: vec![Region {
                start: 0,
                last: 0xfff,
                cost: AccessCost::SINGLE_CYCLE,
                writable: true,
                pointed: true,
                stacks: true,
                code: true,
            }],
        };
        let priced = price(&analysis, &platform, &FixedCpi::new(3, 1).unwrap());
        let visits = |block: u32| {
            analysis.blocks[&block]
                .visits_max
                .expect("its values decide")
        };
        assert_eq!(bound(&priced, visits), cycles_of_a_run(&mut memory, big));
    }
}

#[test]
fn half_an_instruction_is_no_code() {
    let code = [set(1, 0), assembler::branch(-1)];
    let memory = memory(&code, true);
    // The last half-word is missing.
    let (program, entry) = program(&memory, 4);
    let analysis = analyse::<Toy>(&program, &entry).unwrap();
    assert!(analysis.troubles.contains(&(RESET + 2, Trouble::NoCode)));
}
