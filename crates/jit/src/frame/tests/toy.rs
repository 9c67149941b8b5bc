//! An architecture of a few instructions of two and four bytes, little-endian: what it is, and its interpreter.

use crate::frame::{Ended, Stepped};
use socscope_core::{ExecutionState, Observer};
use socscope_isa::{Concrete, CycleModel, Footprint, Known, Leave, MemoryAccess, Semantics};
use socscope_memory::{Access, Bus, Direction, Width};

pub(super) const REGISTERS: usize = 8;
pub(super) const STACK: u32 = 6;
pub(super) const LINK: u32 = 7;
/// Where the only exception leads.
pub(super) const VECTOR: u32 = 0x100;

/// A core; `saved` is its only special register: where the last exception came from.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Toy {
    pub registers: [u32; REGISTERS],
    pub saved: u32,
    pub next: u32,
}

impl socscope_core::Core for Toy {
    fn program_counter(&self) -> u32 {
        self.next
    }
    fn stack_pointer(&self) -> u32 {
        self.registers[STACK as usize]
    }
    fn first_argument(&self) -> u32 {
        self.registers[0]
    }
    fn status_word(&self) -> u32 {
        0
    }
    fn execution_state(&self) -> ExecutionState {
        ExecutionState::default()
    }
    fn mode_name(&self) -> String {
        "toy".into()
    }
}

/// The words of its instructions.
pub(super) trait ToySemantics: Semantics<Exception = ()> {
    fn register(&mut self, index: u32) -> Self::Word;
    fn set_register(&mut self, index: u32, value: Self::Word);
    fn saved(&mut self) -> Self::Word;
}

/// What an instruction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Add,
    AddImmediate,
    Saved,
    Load(Width),
    Store(Width),
    JumpTo,
    BranchUnlessZero,
    Call,
    Trap,
}

/// An instruction's operation; its registers and its constant.
pub(super) fn decode(word: u32) -> (Operation, u32, u32, i32) {
    use Operation::*;
    let (a, b) = (word >> 8 & 7, word >> 5 & 7);
    let distance = (word >> 16) as i16;
    let operation = match word >> 11 & 31 {
        0..=5 => Add,
        6 | 7 => AddImmediate,
        8 => Saved,
        9 => Load(Width::Byte),
        10 => Load(Width::Half),
        11 => Load(Width::Word),
        12 => Store(Width::Byte),
        13 => Store(Width::Half),
        14 => Store(Width::Word),
        15 => JumpTo,
        16..=20 => BranchUnlessZero,
        21 | 22 => Call,
        23..=27 => Load(Width::Word),
        28..=30 => Store(Width::Word),
        _ => Trap,
    };
    let constant = match length(word) {
        Width::Half => i32::from(word as u8 & 31),
        _ => i32::from(distance),
    };
    (operation, a, b, constant)
}

/// The first half says it.
pub(super) fn length(word: u32) -> Width {
    match word >> 15 & 1 {
        0 => Width::Half,
        _ => Width::Word,
    }
}

/// An instruction's word, where it lies, and its length.
pub(super) fn fetch<B: Bus>(bus: &mut B, address: u32) -> Option<(Access, Width)> {
    let first = bus.fetch(address, Width::Half).ok()?;
    if length(first.value) == Width::Half {
        return Some((first, Width::Half));
    }
    let second = bus.fetch(address.wrapping_add(2), Width::Half).ok()?;
    let value = first.value | second.value << 16;
    (second.region == first.region).then_some((Access { value, ..first }, Width::Word))
}

/// Where a branch or a call leads.
pub(super) fn target(address: u32, constant: i32) -> u32 {
    address.wrapping_add_signed(constant) & !1
}

/// What the planner asks.
pub(super) fn footprint(address: u32, word: u32) -> Footprint {
    let (operation, _, register, constant) = decode(word);
    let to = Known::Constant(target(address, constant));
    let (leave, goes_on) = match operation {
        Operation::BranchUnlessZero => (Some(Leave::Branch(to)), true),
        Operation::Call => (Some(Leave::Branch(to)), false),
        Operation::JumpTo => {
            let to = Known::Slot(register, 0);
            (Some(Leave::Branch(to)), false)
        }
        Operation::Trap => (Some(Leave::Exception), false),
        _ => (None, true),
    };
    let mut found = Footprint {
        leave,
        goes_on,
        ..Footprint::default()
    };
    if operation == Operation::Call {
        found.constants.push((LINK, address.wrapping_add(4)));
    }
    if let Operation::Load(width) | Operation::Store(width) = operation {
        found.accesses.push(MemoryAccess {
            address: Known::Slot(register, constant as u32),
            width,
            direction: Direction::Read,
        });
    }
    found
}

/// What an instruction does, in every reading.
pub(super) fn read<S: ToySemantics>(s: &mut S, word: u32) {
    let (operation, a, b, constant) = decode(word);
    let offset = s.word(constant as u32);
    let (first, second) = (s.register(a), s.register(b));
    match operation {
        Operation::Add => {
            let sum = s.add(first, second);
            s.set_register(a, sum);
        }
        Operation::AddImmediate => {
            let sum = s.add(second, offset);
            s.set_register(a, sum);
        }
        Operation::Saved => {
            let saved = s.saved();
            s.set_register(a, saved);
        }
        Operation::Load(width) => {
            let address = s.add(second, offset);
            let (value, loaded) = s.load(address, width);
            s.when(loaded, |s| s.set_register(a, value));
        }
        Operation::Store(width) => {
            let address = s.add(second, offset);
            s.store(address, width, first);
        }
        Operation::JumpTo => s.branch(second),
        Operation::BranchUnlessZero => {
            let to = s.word(target(s.address(), constant));
            let zero = s.is_zero(first);
            let other = s.flag_not(zero);
            s.when(other, |s| s.branch(to));
        }
        Operation::Call => {
            let back = s.word(s.address().wrapping_add(4));
            s.set_register(LINK, back);
            let to = s.word(target(s.address(), constant));
            s.branch(to);
        }
        Operation::Trap => s.exception(()),
    }
}

/// The reading that executes.
struct Executor<'a, B> {
    core: &'a mut Toy,
    bus: &'a mut B,
    address: u32,
    next: u32,
    cycle: u64,
    faulted: bool,
}

impl<B> Concrete for Executor<'_, B> {}

impl<B: Bus> Semantics for Executor<'_, B> {
    type Exception = ();

    fn address(&self) -> u32 {
        self.address
    }
    fn load(&mut self, address: u32, width: Width) -> (u32, bool) {
        let cycle = self.cycle;
        let read = match width.align(address) == address {
            true => self.bus.read(address, width, |_, _| cycle).ok(),
            false => None,
        };
        self.faulted |= read.is_none();
        (read.map_or(0, |read| read.value), read.is_some())
    }
    fn store(&mut self, address: u32, width: Width, value: u32) -> bool {
        let (cycle, value) = (self.cycle, width.truncate(value));
        let aligned = width.align(address) == address;
        let done = aligned && self.bus.write(address, width, value, |_, _| cycle).is_ok();
        self.faulted |= !done;
        done
    }
    fn branch(&mut self, target: u32) {
        self.next = target & !1;
    }
    fn exception(&mut self, (): ()) {
        self.faulted = true;
    }
}

impl<B: Bus> ToySemantics for Executor<'_, B> {
    fn register(&mut self, index: u32) -> u32 {
        self.core.registers[index as usize]
    }
    fn set_register(&mut self, index: u32, value: u32) {
        self.core.registers[index as usize] = value;
    }
    fn saved(&mut self) -> u32 {
        self.core.saved
    }
}

/// One instruction. An interrupt, what cannot be fetched, a trap and an access that fails lead to the vector.
pub(super) fn step<B: Bus, M: CycleModel<()>, O: Observer>(
    core: &mut Toy,
    bus: &mut B,
    model: &mut M,
    _observer: &mut O,
    cycle: u64,
) -> Stepped {
    let address = core.next;
    let fetched = match bus.irq() {
        true => None,
        false => fetch(bus, address),
    };
    let region = fetched.map_or(bus.region(address), |(fetched, _)| fetched.region);
    let cost = *bus.cost(region);
    let width = fetched.map_or(Width::Half, |(_, width)| width);
    model.begin((), region, &cost, width);
    let mut faulted = fetched.is_none();
    if let Some((fetched, width)) = fetched {
        let next = address.wrapping_add(width.bytes());
        let mut executor = Executor {
            core,
            bus,
            address,
            next,
            cycle,
            faulted,
        };
        read(&mut executor, fetched.value);
        let next = executor.next;
        faulted = executor.faulted;
        core.next = next;
    }
    if faulted {
        core.saved = address;
        core.next = VECTOR;
    }
    Stepped {
        cycles: model.end(),
        ended: None::<Ended>,
    }
}
