//! The second reading of the semantics against the first: what `footprint` says an instruction may touch, and what it touches.

#[allow(dead_code)]
use crate::support;
use socscope_arm as arm;
use socscope_arm::interpreter::{Outcome, step};
use socscope_arm::{
    Core, CoreModel, EXCLUSIVE_BYTES, Exception, Footprint, InstructionSet, Leave, Mode, Registers,
    Status, Value, Version,
};
use socscope_core::{Observer, Transfer};
use socscope_memory::{Access, AccessCost, Bus, Direction, Fault, RegionIndex, When, Width};
use std::collections::BTreeMap;
use support::{OneCycle, random::Random};

const WORDS: u32 = 200;
const ADDRESS: u32 = 0x1000;

/// Memory everywhere, filled with a function of the address.
#[derive(Default)]
struct EndlessBus {
    opcode: u32,
    written: BTreeMap<u32, u8>,
}

impl Bus for EndlessBus {
    fn fetch(&mut self, _address: u32, _width: Width) -> Result<Access, Fault> {
        Ok(Access {
            value: self.opcode,
            region: RegionIndex::UNMAPPED,
        })
    }
    fn read(&mut self, address: u32, width: Width, _: impl When) -> Result<Access, Fault> {
        let byte = |offset: u32| {
            let address = address.wrapping_add(offset);
            let filled = (address.wrapping_mul(0x9e37_79b1) >> 24) as u8;
            u32::from(self.written.get(&address).copied().unwrap_or(filled)) << (8 * offset)
        };
        Ok(Access {
            value: (0..width.bytes()).map(byte).sum(),
            region: RegionIndex::UNMAPPED,
        })
    }
    fn write(
        &mut self,
        address: u32,
        width: Width,
        value: u32,
        _: impl When,
    ) -> Result<RegionIndex, Fault> {
        for offset in 0..width.bytes() {
            let byte = (value >> (8 * offset)) as u8;
            self.written.insert(address.wrapping_add(offset), byte);
        }
        Ok(RegionIndex::UNMAPPED)
    }
    fn region(&self, _address: u32) -> RegionIndex {
        RegionIndex::UNMAPPED
    }
    fn cost(&self, _region: RegionIndex) -> &AccessCost {
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

#[derive(Default, PartialEq, Eq, Debug)]
struct Touched {
    accesses: Vec<(u32, Width, Direction)>,
    leave: Option<(u32, Transfer)>,
}

impl Observer for Touched {
    fn data(&mut self, _: u32, address: u32, width: Width, direction: Direction, _: RegionIndex) {
        self.accesses.push((address, width, direction));
    }
    fn transfer(&mut self, _: u32, to: u32, kind: Transfer, _: u32) {
        self.leave = Some((to, kind));
    }
}

struct Run {
    after: Core,
    touched: Touched,
    written: BTreeMap<u32, u8>,
    outcome: Outcome,
}

fn execute(before: &Core, word: u32) -> Run {
    let mut after = before.clone();
    let mut bus = EndlessBus {
        opcode: word,
        ..Default::default()
    };
    let mut touched = Touched::default();
    let model = &mut OneCycle::default();
    let outcome = step(&mut after, &mut bus, model, &mut touched, 0).outcome;
    Run {
        after,
        touched,
        written: bus.written,
        outcome,
    }
}

fn random_core(random: &mut Random, model: CoreModel, set: InstructionSet) -> Core {
    let mut core = Core::new(model);
    for mode in Mode::ALL {
        for index in 0..15 {
            core.set_register_of(mode, index, random.word());
        }
        let saved = Mode::ALL[random.below(7) as usize] as u32;
        let status = Status::RESET.with_bits_of(model, random.word() & 0xf90f_01e0 | saved);
        core.set_saved_status_of(mode, status);
    }
    let mode = Mode::ALL[random.below(7) as usize] as u32;
    let status = Status::RESET.with_bits_of(model, random.word() & 0xf80f_01c0 | mode);
    core.set_status(Status {
        instruction_set: set,
        ..status
    });
    core.set_program_counter(ADDRESS);
    let marked = core.register(random.below(15)) & !(EXCLUSIVE_BYTES - 1);
    core.exclusive = model.has(Version::V6).then_some(marked);
    core
}

/// Another state that agrees on everything the footprint says matters.
fn varied(random: &mut Random, core: &Core, footprint: &Footprint) -> Core {
    let mut varied = core.clone();
    let matters = Registers(footprint.reads.0 | footprint.user_reads.0);
    for index in (0..15).filter(|&index| !matters.contains(index)) {
        varied.set_register(index, random.word());
    }
    // Those that the model has not stay as they are.
    let all = arm::footprint(core.model(), InstructionSet::Arm, 0, 0xe10f_0000)
        .flags_read
        .0;
    let flip = all & !footprint.flags_read.0 & random.word() as u8;
    let flags = varied.flags_mut();
    flags.negative ^= flip & 8 != 0;
    flags.zero ^= flip & 4 != 0;
    flags.carry ^= flip & 2 != 0;
    flags.overflow ^= flip & 1 != 0;
    flags.saturated ^= flip & 0x10 != 0;
    flags.greater_equal ^= if flip & 0x20 != 0 { 0xf } else { 0 };
    varied
}

fn check(random: &mut Random, (model, set): (CoreModel, InstructionSet), word: u32) {
    let core = random_core(random, model, set);
    let footprint = arm::footprint(model, set, ADDRESS, word);
    let run = execute(&core, word);
    let context = || {
        let name = arm::encoding(model, set, word).name;
        format!("{name} {word:#x} {footprint:x?}")
    };
    check_accesses(&core, &footprint, &run, &context);
    check_leave(&core, &footprint, &run, &context);
    if matches!(run.outcome, Outcome::Exception(_)) {
        return;
    }
    check_changes(&core, &footprint, &run, &context);
    let other = varied(random, &core, &footprint);
    let other_run = execute(&other, word);
    assert_eq!(run.touched, other_run.touched, "{}", context());
    assert_eq!(run.written, other_run.written, "{}", context());
    if run.after.status().mode != core.status().mode {
        return;
    }
    for index in 0..15 {
        let ends = [run.after.register(index), other_run.after.register(index)];
        let kept = [core.register(index), other.register(index)] == ends || ends[0] == ends[1];
        assert!(kept, "r{index} {}", context());
    }
    for bit in 0..6 {
        let bit_of = |core: &Core| flags(core.status()) >> bit & 1;
        let ends = [bit_of(&run.after), bit_of(&other_run.after)];
        let kept = [bit_of(&core), bit_of(&other)] == ends || ends[0] == ends[1];
        assert!(kept, "flag {bit} {}", context());
    }
}

/// Flags in the order of a footprint's; GE as one.
fn flags(status: Status) -> u32 {
    let greater_equal = u32::from(status.greater_equal != 0);
    status.bits() >> 28 | u32::from(status.saturated) << 4 | greater_equal << 5
}

fn value_of(core: &Core, value: Value) -> Option<u32> {
    match value {
        Value::Constant(value) => Some(value),
        Value::Register(index, offset) => Some(core.register(index).wrapping_add(offset)),
        Value::Mixed(_) => None,
    }
}

fn check_accesses(core: &Core, footprint: &Footprint, run: &Run, context: &dyn Fn() -> String) {
    let found = &run.touched.accesses;
    // An exclusive store is made only while there is a mark.
    let may_be_none = footprint.exclusive || is_refused(core, run);
    if run.outcome == Outcome::Passed || may_be_none && found.is_empty() {
        assert!(found.is_empty(), "{}", context());
        return;
    }
    assert_eq!(found.len(), footprint.accesses.len(), "{}", context());
    for (access, &(address, width, direction)) in footprint.accesses.iter().zip(found) {
        assert_eq!((access.width, access.direction), (width, direction));
        let expected = value_of(core, access.address).unwrap_or(address);
        assert_eq!(width.align(expected), address, "{}", context());
    }
}

/// SRS and RFE are no instructions without privilege.
fn is_refused(core: &Core, run: &Run) -> bool {
    core.model().has(Version::V6)
        && core.status().mode == Mode::User
        && run.outcome == Outcome::Exception(Exception::Undefined)
}

fn check_leave(core: &Core, footprint: &Footprint, run: &Run, context: &dyn Fn() -> String) {
    let Some((to, kind)) = run.touched.leave else {
        let passed = run.outcome == Outcome::Passed;
        // SRS is refused only without privilege.
        let only_refused = footprint.leave == Some(Leave::Exception(Exception::Undefined))
            && !footprint.accesses.is_empty();
        let falls = passed || only_refused || footprint.leave.is_none();
        assert!(falls, "{}", context());
        return;
    };
    if is_refused(core, run) {
        assert!(footprint.status_read, "{}", context());
        return;
    }
    let target = match (footprint.leave, kind) {
        (Some(Leave::Exception(exception)), Transfer::ExceptionEntry(number)) => {
            assert_eq!(exception.number(), number);
            Value::Constant(exception.vector())
        }
        (Some(Leave::Return(target)), Transfer::ExceptionReturn) => target,
        (
            Some(Leave::Branch(target) | Leave::BranchExchange(target)),
            Transfer::Jump | Transfer::Call,
        ) => target,
        other => panic!("{other:?} {}", context()),
    };
    if let Some(target) = value_of(core, target) {
        assert_eq!(to & !3, target & !3, "{}", context());
    }
}

fn check_changes(core: &Core, footprint: &Footprint, run: &Run, context: &dyn Fn() -> String) {
    let writes = Registers(footprint.writes.0 | footprint.user_writes.0);
    let (before, after) = (core.status(), run.after.status());
    let changed = flags(before) ^ flags(after);
    assert_eq!(
        changed & !u32::from(footprint.flags_written.0),
        0,
        "{}",
        context()
    );
    let exchange = 0x20 * u32::from(matches!(footprint.leave, Some(Leave::BranchExchange(_))));
    if !footprint.status_written {
        let changed = (before.bits() ^ after.bits()) & 0x3ff & !exchange;
        assert_eq!(changed, 0, "{}", context());
    }
    for mode in Mode::ALL {
        for index in (0..15).filter(|&index| !writes.contains(index)) {
            let (before, after) = (
                core.register_of(mode, index),
                run.after.register_of(mode, index),
            );
            assert_eq!(before, after, "r{index} of {mode:?} {}", context());
        }
    }
}

/// The instruction sets of all models.
fn sets() -> impl Iterator<Item = (CoreModel, InstructionSet)> {
    let sets = |model| InstructionSet::ALL.map(|set| (model, set));
    CoreModel::ALL.into_iter().flat_map(sets)
}

#[test]
fn footprints_hold_for_random_words_of_every_encoding() {
    for (model, set) in sets() {
        for (index, encoding) in arm::encodings(model, set).iter().enumerate() {
            let mut random = Random(index as u64);
            let mut checked = 0;
            while checked < WORDS {
                let mut word = encoding.pattern.instance(random.word());
                if set == InstructionSet::Arm && !random.once_in(3) {
                    word = word & 0x0fff_ffff | 0xe000_0000;
                }
                if arm::decode(model, set, word) == index {
                    check(&mut random, (model, set), word);
                    checked += 1;
                }
            }
        }
    }
}

#[test]
fn a_plain_move_reads_no_flag() {
    for (word, flags) in [
        (0xe1a0_0001, 0),
        (0xe1a0_0061, 2),
        (0xe1b0_0211, 0),
        (0x01a0_0001, 4),
    ] {
        let footprint = arm::footprint(CoreModel::Arm7Tdmi, InstructionSet::Arm, 0, word);
        assert_eq!(footprint.flags_read.0, flags, "{word:#x}");
    }
}
