//! The second reading of the semantics against the first: what `footprint` says an instruction may touch, and what it touches.

#[allow(dead_code)]
use crate::support;
use socscope_core::{Observer, Transfer};
use socscope_isa::{Footprint, Known, Leave, Slots};
use socscope_memory::{Access, AccessCost, Bus, Direction, Fault, RegionIndex, When, Width};
use socscope_powerpc::footprint::{footprint, slot};
use socscope_powerpc::interpreter::{Outcome, step};
use socscope_powerpc::{Class, Core, CoreModel, Msr, Untranslated, decode, encodings};
use std::collections::BTreeMap;
use support::{OneCycle, random::Random};

const WORDS: u32 = 200;
const ADDRESS: u32 = 0x1000;
/// HID0 and its bit that says that the data cache is on.
const DATA_CACHE: (u32, u32) = (1008, 0x4000);

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
        let byte = |at: u32| {
            let filled = (at.wrapping_mul(0x9e37_79b1) >> 24) as u8;
            u32::from(self.written.get(&at).copied().unwrap_or(filled))
        };
        let bytes = (0..width.bytes()).map(|offset| byte(address.wrapping_add(offset)));
        Ok(Access {
            value: bytes.fold(0, |all, byte| all << 8 | byte),
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
        let bytes = value.to_be_bytes();
        for (at, byte) in (address..).zip(&bytes[4 - width.bytes() as usize..]) {
            self.written.insert(at, *byte);
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
    excepted: bool,
}

fn execute(before: &Core, word: u32) -> Run {
    let mut after = before.clone();
    let mut bus = EndlessBus {
        opcode: word,
        ..Default::default()
    };
    let mut touched = Touched::default();
    let model = &mut OneCycle::<Class>::default();
    let outcome = step(
        &mut after,
        &mut bus,
        &mut Untranslated,
        model,
        &mut touched,
        0,
    )
    .outcome;
    Run {
        after,
        touched,
        written: bus.written,
        excepted: outcome != Outcome::Executed,
    }
}

fn random_core(random: &mut Random) -> Core {
    let mut core = Core::new(CoreModel::E600);
    let units = [Msr::FLOAT | Msr::VECTORS, 0][usize::from(random.once_in(8))];
    let problem = [0, Msr::PROBLEM][usize::from(random.once_in(4))];
    core.set_msr(Msr(units | problem));
    core.set_special_at(DATA_CACHE.0, DATA_CACHE.1, 0);
    core.set_program_counter(ADDRESS);
    for slot in 0..slot::MACHINE_STATE {
        set(&mut core, slot, random);
    }
    // Most words are addresses, and these mostly those of words.
    for index in 0..32 {
        if random.once_in(2) {
            core.set_register(index, random.word() & !3);
        }
    }
    core
}

/// What a place holds, as a number.
fn get(core: &Core, slot: u32) -> u128 {
    match slot {
        slot::GENERAL..slot::FLOAT => core.register(slot).into(),
        slot::FLOAT..slot::VECTOR => core.float[(slot - slot::FLOAT) as usize].into(),
        slot::VECTOR..slot::CONDITION => core.vector[(slot - slot::VECTOR) as usize],
        slot::CONDITION..slot::LINK => {
            u128::from(core.condition >> (31 - (slot - slot::CONDITION)) & 1)
        }
        slot::LINK => core.link.into(),
        slot::COUNT => core.count.into(),
        slot::SUMMARY_OVERFLOW => core.xer.summary_overflow.into(),
        slot::OVERFLOW => core.xer.overflow.into(),
        slot::CARRY => core.xer.carry.into(),
        slot::STRING_BYTES => core.xer.bytes.into(),
        slot::FLOAT_STATUS => core.float_status.into(),
        slot::VECTOR_STATUS => core.vector_status.into(),
        slot::MACHINE_STATE => core.msr().0.into(),
        _ => core.reservation.map_or(0, |at| u128::from(at) + 1),
    }
}

fn set(core: &mut Core, slot: u32, random: &mut Random) {
    let (word, wide) = (random.word(), u128::from(random.next()));
    match slot {
        slot::GENERAL..slot::FLOAT => core.set_register(slot, word),
        slot::FLOAT..slot::VECTOR => core.float[(slot - slot::FLOAT) as usize] = wide as u64,
        slot::VECTOR..slot::CONDITION => {
            core.vector[(slot - slot::VECTOR) as usize] = wide << 64 | u128::from(random.next());
        }
        slot::CONDITION..slot::LINK => {
            let bit = 1 << (31 - (slot - slot::CONDITION));
            core.condition = core.condition & !bit | word & bit;
        }
        slot::LINK => core.link = word,
        slot::COUNT => core.count = word,
        slot::SUMMARY_OVERFLOW => core.xer.summary_overflow = word & 1 != 0,
        slot::OVERFLOW => core.xer.overflow = word & 1 != 0,
        slot::CARRY => core.xer.carry = word & 1 != 0,
        // Mostly few, so that strings leave registers alone.
        slot::STRING_BYTES => core.xer.bytes = (word % 32) as u8,
        // Without traps at overflow and underflow: what single precision makes of any double then is undefined.
        slot::FLOAT_STATUS => core.float_status = word & 0x9f,
        slot::VECTOR_STATUS => core.vector_status = word & 1,
        _ => {}
    }
}

fn value_of(core: &Core, value: Known) -> Option<u32> {
    match value {
        Known::Constant(value) => Some(value),
        Known::Slot(slot, offset) => Some((get(core, slot) as u32).wrapping_add(offset)),
        Known::Mixed(_) => None,
    }
}

fn check(random: &mut Random, word: u32) {
    let core = random_core(random);
    let found = footprint(CoreModel::E600, ADDRESS, word);
    let run = execute(&core, word);
    let context = || {
        let name = encodings()[decode(word)].name;
        format!("{name} {word:#x} {found:x?} {:x?}", run.touched)
    };
    check_accesses(&core, &found, &run, &context);
    check_leave(&core, &found, &run, &context);
    let system = found.writes.contains(slot::SYSTEM);
    for slot in (0..slot::SYSTEM).filter(|&slot| !found.writes.contains(slot)) {
        assert_eq!(
            get(&core, slot),
            get(&run.after, slot),
            "{slot} {}",
            context()
        );
    }
    // XER, LR and CTR have slots of their own.
    let others = (0..1024).filter(|number| !system && ![1, 8, 9].contains(number));
    for number in others {
        assert_eq!(
            core.special(number),
            run.after.special(number),
            "{number} {}",
            context()
        );
    }
    if run.excepted {
        assert!(found.may_fault, "{}", context());
        return;
    }
    for &(slot, value) in &found.constants {
        assert_eq!(get(&run.after, slot), value.into(), "{slot} {}", context());
    }
    check_reads(random, &core, &found, (&run, word), &context);
}

/// Accesses that depend on values are left out, those that are made have the order of the footprint. Unaligned ones are made in pieces.
fn check_accesses(core: &Core, found: &Footprint, run: &Run, context: &dyn Fn() -> String) {
    let mut said = found.accesses.iter();
    let mut current = None;
    for &(address, width, direction) in &run.touched.accesses {
        let holds = |(start, whole, way): (u32, Width, Direction)| {
            let offset = address.wrapping_sub(start);
            way == direction && offset.saturating_add(width.bytes()) <= whole.bytes()
        };
        if current.is_some_and(holds) {
            continue;
        }
        current = said.find_map(|one| {
            let start = value_of(core, one.address).unwrap_or(address);
            Some((start, one.width, one.direction)).filter(|one| holds(*one))
        });
        assert!(current.is_some(), "{address:#x} {}", context());
    }
}

fn check_leave(core: &Core, found: &Footprint, run: &Run, context: &dyn Fn() -> String) {
    let next = ADDRESS.wrapping_add(4);
    match run.touched.leave {
        None => assert!(found.goes_on, "{}", context()),
        Some((_, Transfer::ExceptionEntry(_))) => assert!(found.may_fault, "{}", context()),
        Some((_, Transfer::ExceptionReturn)) => {
            assert_eq!(found.leave, Some(Leave::Return), "{}", context());
        }
        Some((to, kind)) => {
            let Some(Leave::Branch(target)) = found.leave else {
                panic!("{}", context());
            };
            let said = value_of(core, target).unwrap_or(to);
            assert_eq!(said, to, "{}", context());
            let links = kind == Transfer::Call && to != next;
            assert!(!links || found.sets(slot::LINK, next), "{}", context());
        }
    }
}

/// With other values where the footprint says that nothing matters, the same happens.
fn check_reads(
    random: &mut Random,
    core: &Core,
    found: &Footprint,
    (run, word): (&Run, u32),
    context: &dyn Fn() -> String,
) {
    let matters = found.reads.union(Slots::one(slot::STRING_BYTES));
    let mut other = core.clone();
    for slot in (0..slot::MACHINE_STATE).filter(|&slot| !matters.contains(slot)) {
        set(&mut other, slot, random);
    }
    let again = execute(&other, word);
    assert_eq!(run.touched, again.touched, "{}", context());
    assert_eq!(run.written, again.written, "{}", context());
    for slot in 0..slot::SYSTEM {
        let ends = [get(&run.after, slot), get(&again.after, slot)];
        let kept = [get(core, slot), get(&other, slot)] == ends;
        assert!(kept || ends[0] == ends[1], "{slot} {}", context());
    }
}

#[test]
fn footprints_hold_for_random_words_of_every_encoding() {
    for (index, encoding) in encodings().iter().enumerate() {
        let mut random = Random(index as u64);
        let mut checked = 0;
        while checked < WORDS {
            let word = encoding.pattern.instance(random.word());
            if decode(word) == index {
                check(&mut random, word);
                checked += 1;
            }
        }
    }
}

fn branches(word: u32) -> (Option<Leave>, bool, bool) {
    let found = footprint(CoreModel::Ppc750, ADDRESS, word);
    let links = found.sets(slot::LINK, ADDRESS + 4);
    (found.leave, found.goes_on, links)
}

#[test]
fn branches_say_where_they_lead() {
    let to = |target| Some(Leave::Branch(Known::Constant(target)));
    let by = |slot| Some(Leave::Branch(Known::Mixed(Slots::one(slot))));
    assert_eq!(branches(0x4bff_fff8), (to(ADDRESS - 8), false, false)); // b
    assert_eq!(branches(0x4800_0011), (to(ADDRESS + 0x10), false, true)); // bl
    assert_eq!(branches(0x4800_2002), (to(0x2000), false, false)); // ba
    assert_eq!(branches(0x4200_fff0), (to(ADDRESS - 0x10), true, false)); // bdnz
    assert_eq!(branches(0x4182_0008), (to(ADDRESS + 8), true, false)); // beq
    assert_eq!(branches(0x4280_0008), (to(ADDRESS + 8), false, false)); // bc 20
    assert_eq!(branches(0x4e80_0020), (by(slot::LINK), false, false)); // blr
    assert_eq!(branches(0x4d82_0020), (by(slot::LINK), true, false)); // beqlr
    assert_eq!(branches(0x4e80_0421), (by(slot::COUNT), false, true)); // bctrl
    assert_eq!(
        branches(0x4e00_0420),
        (Some(Leave::Exception), false, false)
    ); // bcctr that counts
    assert_eq!(
        branches(0x4400_0002),
        (Some(Leave::Exception), false, false)
    ); // sc
    assert_eq!(branches(0x4c00_0064), (Some(Leave::Return), false, false)); // rfi
}

#[test]
fn a_store_of_several_registers_names_its_words() {
    let found = footprint(CoreModel::Ppc750, ADDRESS, 0xbfc1_0008); // stmw r30, 8(r1)
    let places: Vec<_> = found.accesses.iter().map(|one| one.address).collect();
    assert_eq!(places, [Known::Slot(1, 8), Known::Slot(1, 12)]);
    assert_eq!(
        found.reads,
        Slots::range(30, 2)
            .union(Slots::one(1))
            .union(Slots::one(slot::MACHINE_STATE))
    );
}
