//! Translation of PowerPC addresses, against the chapters of the manual.

use crate::memories::Memories;
use socscope_core::{Changes, Purpose};
use socscope_memory::{AccessCost, AddressSpace, Bus, Memory, Region, Target, Width};
use socscope_powerpc::{
    Core, CoreModel, Exception, Mmu, Msr, TlbOperation, Translate, TranslationFault,
};

const SDR1: u32 = 25;
const DBAT0U: u32 = 536;
const DBAT4U: u32 = 568;
const HID0: u32 = 1008;
const HID2: u32 = 1011;
const TABLE: u32 = 0x0001_0000;
const SEGMENT: u32 = 0x0012_3456;
const PAGE: u32 = 0x3045_6000;
/// R and C of an entry.
const REFERENCED: u32 = 0x100;
const CHANGED: u32 = 0x80;

/// A core with translation on, a page table of 64 kB, and one entry for [`PAGE`].
struct Bench {
    core: Core,
    mmu: Mmu,
    bus: Memories,
}

impl Bench {
    fn new(model: CoreModel) -> Bench {
        let mut space = AddressSpace::default();
        let memory = space.add_memory(Memory::new("ram", 0x2_0000));
        let region = Region {
            name: "ram".into(),
            base: 0,
            size: 0x2_0000,
            enabled: true,
            core: None,
            target: Target::Memory {
                memory,
                writable: true,
            },
            cost: AccessCost::SINGLE_CYCLE,
        };
        space.map_mut().add(region).expect("it is alone");
        let mut core = Core::new(model);
        core.set_msr(Msr(Msr::INSTRUCTION_TRANSLATION
            | Msr::DATA_TRANSLATION
            | Msr::MACHINE_CHECK_ENABLE));
        core.set_special_at(SDR1, TABLE, 0);
        core.set_segment(3, SEGMENT);
        Bench {
            core,
            mmu: Mmu::new(model),
            bus: Memories(space),
        }
    }

    /// Address of an entry's first word for `effective`: hash 0 or 1, place 0 to 7.
    fn entry(effective: u32, secondary: bool, place: u32) -> u32 {
        let hash = SEGMENT ^ effective >> 12 & 0xffff;
        let hash = if secondary { !hash } else { hash };
        TABLE | (hash & 0x3ff) << 6 | place << 3
    }

    fn put(&mut self, effective: u32, secondary: bool, place: u32, second: u32) -> u32 {
        let at = Bench::entry(effective, secondary, place);
        let first = 0x8000_0000 | SEGMENT << 7 | u32::from(secondary) << 6 | effective >> 22 & 0x3f;
        for (address, value) in [(at, first), (at + 4, second)] {
            self.bus
                .write(address, Width::Word, value, |_, _| 0)
                .expect("the table is memory");
        }
        at + 4
    }

    fn word(&mut self, address: u32) -> u32 {
        self.bus
            .read(address, Width::Word, |_, _| 0)
            .expect("memory")
            .value
    }

    fn translate(&mut self, effective: u32, purpose: Purpose) -> Result<u32, TranslationFault> {
        self.mmu
            .translate(&self.core, &mut self.bus, effective, purpose)
    }

    fn set(&mut self, number: u32, value: u32) {
        self.core.set_special_at(number, value, 0);
        self.mmu.registers_changed();
    }

    fn set_segment(&mut self, value: u32) {
        self.core.set_segment(3, value);
        self.mmu.registers_changed();
    }

    fn set_problem(&mut self, problem: bool) {
        let kept = self.core.msr().0 & !Msr::PROBLEM;
        self.core
            .set_msr(Msr(kept | if problem { Msr::PROBLEM } else { 0 }));
    }
}

#[test]
fn without_translation_addresses_are_those_of_the_bus() {
    let mut bench = Bench::new(CoreModel::E600);
    bench.core.set_msr(Msr(Msr::DATA_TRANSLATION));
    assert_eq!(bench.translate(PAGE, Purpose::Fetch), Ok(PAGE));
    assert_eq!(
        bench.translate(PAGE, Purpose::Read),
        Err(TranslationFault::MISSING)
    );
}

#[test]
fn entries_are_found_in_both_groups_and_marked_when_used() {
    for (secondary, place) in [(false, 0), (false, 7), (true, 0), (true, 7)] {
        let mut bench = Bench::new(CoreModel::E600);
        let at = bench.put(PAGE, secondary, place, 0x0765_4002);
        assert_eq!(
            bench.translate(PAGE + 0x123, Purpose::Read),
            Ok(0x0765_4123)
        );
        assert_eq!(bench.word(at), 0x0765_4002 | REFERENCED);
        assert_eq!(bench.translate(PAGE + 8, Purpose::Write), Ok(0x0765_4008));
        assert_eq!(bench.word(at), 0x0765_4002 | REFERENCED | CHANGED);
    }
}

#[test]
fn a_buffered_entry_stays_until_it_is_invalidated() {
    let mut bench = Bench::new(CoreModel::E600);
    let at = bench.put(PAGE, false, 0, 0x0765_4002);
    assert_eq!(bench.translate(PAGE, Purpose::Read), Ok(0x0765_4000));
    bench.put(PAGE, false, 0, 0x0111_1002);
    assert_eq!(bench.translate(PAGE, Purpose::Read), Ok(0x0765_4000));
    // A page of the same class, as the chip counts them.
    bench
        .mmu
        .maintain(&bench.core, TlbOperation::Invalidate, PAGE ^ 0x4_0000);
    assert_eq!(bench.translate(PAGE, Purpose::Read), Ok(0x0111_1000));
    assert_eq!(bench.word(at), 0x0111_1002 | REFERENCED);
    let told: Vec<u32> = bench.mmu.take_broadcasts().collect();
    assert_eq!(told, [PAGE & 0x3_f000]);
    assert_eq!(bench.mmu.take_broadcasts().count(), 0);
}

#[test]
fn a_write_to_an_unchanged_page_looks_at_the_table_again() {
    let mut bench = Bench::new(CoreModel::E600);
    bench.put(PAGE, false, 0, 0x0765_4002);
    assert_eq!(bench.translate(PAGE, Purpose::Read), Ok(0x0765_4000));
    let first = Bench::entry(PAGE, false, 0);
    bench
        .bus
        .write(first, Width::Word, 0, |_, _| 0)
        .expect("the table is memory");
    assert_eq!(
        bench.translate(PAGE, Purpose::Write),
        Err(TranslationFault::MISSING)
    );
    assert_eq!(bench.translate(PAGE, Purpose::Read), Ok(0x0765_4000));
}

/// Key, PP, and whether reads and writes are permitted (manual: "Page memory protection").
const PROTECTION: &[(u32, u32, bool, bool)] = &[
    (0, 0, true, true),
    (0, 1, true, true),
    (0, 2, true, true),
    (0, 3, true, false),
    (1, 0, false, false),
    (1, 1, true, false),
    (1, 2, true, true),
    (1, 3, true, false),
];

#[test]
fn pages_are_protected_by_the_key_of_the_privilege() {
    for problem in [false, true] {
        for &(key, protection, reads, writes) in PROTECTION {
            let mut bench = Bench::new(CoreModel::E600);
            bench.set_problem(problem);
            let bit = if problem { 0x2000_0000 } else { 0x4000_0000 };
            bench.set_segment(if key == 1 { SEGMENT | bit } else { SEGMENT });
            let at = bench.put(PAGE, false, 3, 0x0765_4000 | protection);
            for (purpose, permitted) in [
                (Purpose::Write, writes),
                (Purpose::Read, reads),
                (Purpose::Fetch, reads),
            ] {
                let expected = match permitted {
                    true => Ok(0x0765_4000),
                    false => Err(TranslationFault::PROTECTED),
                };
                assert_eq!(
                    bench.translate(PAGE, purpose),
                    expected,
                    "{key} {protection} {purpose:?}"
                );
            }
            let marks = match (reads, writes) {
                (false, _) => 0,
                (true, false) => REFERENCED,
                (true, true) => REFERENCED | CHANGED,
            };
            assert_eq!(bench.word(at) & (REFERENCED | CHANGED), marks);
        }
    }
}

#[test]
fn faults_say_why() {
    let mut bench = Bench::new(CoreModel::E600);
    bench.put(PAGE, false, 0, 0x0765_4008);
    assert_eq!(
        bench.translate(PAGE, Purpose::Fetch),
        Err(TranslationFault::NOT_EXECUTABLE),
        "guarded"
    );
    assert_eq!(bench.translate(PAGE, Purpose::Read), Ok(0x0765_4000));
    bench.set_segment(SEGMENT | 0x1000_0000);
    assert_eq!(
        bench.translate(PAGE, Purpose::Fetch),
        Err(TranslationFault::NOT_EXECUTABLE)
    );
    bench.set_segment(0x8000_0000);
    for (purpose, status) in [(Purpose::Read, 0x0400_0000), (Purpose::Write, 0x0600_0000)] {
        let fault = bench.translate(PAGE, purpose).expect_err("direct store");
        let address = PAGE;
        let exception = Exception::DataStorage { address, status };
        assert_eq!(fault.exception(PAGE, purpose), exception);
    }
    bench.set_segment(SEGMENT);
    bench.set(SDR1, 0x7000_0000);
    assert_eq!(
        bench.translate(PAGE + 0x1000, Purpose::Read),
        Err(TranslationFault::Refused),
        "the table lies nowhere"
    );
}

#[test]
fn blocks_come_before_pages() {
    let mut bench = Bench::new(CoreModel::E600);
    bench.put(PAGE, false, 0, 0x0765_4002);
    // 256 MB from 30000000, for programs with privilege.
    bench.set(DBAT0U, 0x3000_1ffe);
    bench.set(DBAT0U + 1, 0x5000_002a);
    let attributes = |bench: &mut Bench| {
        bench
            .mmu
            .attributes(&bench.core, &mut bench.bus, PAGE, Purpose::Write)
    };
    assert_eq!(
        bench.translate(0x3fff_fff1, Purpose::Write),
        Ok(0x5fff_fff1)
    );
    let page = attributes(&mut bench).expect("mapped");
    assert!(page.is_inhibited() && page.is_guarded() && !page.is_written_through());
    bench.set_problem(true);
    assert_eq!(bench.translate(PAGE, Purpose::Write), Ok(0x0765_4000));
    // 128 kB, read-only, for all.
    bench.set(DBAT0U, 0x3044_0003);
    bench.set(DBAT0U + 1, 0x0002_0001);
    assert_eq!(bench.translate(PAGE + 1, Purpose::Read), Ok(0x0003_6001));
    assert_eq!(
        bench.translate(PAGE, Purpose::Write),
        Err(TranslationFault::PROTECTED)
    );
    assert_eq!(
        bench.translate(0x3046_0000, Purpose::Read),
        Err(TranslationFault::MISSING)
    );
    bench.set(DBAT0U + 1, 0x0002_0000);
    assert_eq!(
        bench.translate(PAGE, Purpose::Read),
        Err(TranslationFault::PROTECTED)
    );
}

#[test]
fn the_e600_has_four_blocks_more_and_larger_ones_if_hid0_says_so() {
    let mut bench = Bench::new(CoreModel::E600);
    // 4 GB.
    bench.set(DBAT4U, 0x0001_fffe);
    bench.set(DBAT4U + 1, 0x0000_0002);
    let fault = Err(TranslationFault::MISSING);
    assert_eq!(bench.translate(PAGE, Purpose::Read), fault);
    bench.set(HID0, 0x0080_0000);
    assert_eq!(bench.translate(PAGE, Purpose::Read), fault, "256 MB from 0");
    assert_eq!(bench.translate(0x0fff_0000, Purpose::Read), Ok(0x0fff_0000));
    bench.set(HID0, 0x0080_0100);
    assert_eq!(bench.translate(PAGE, Purpose::Read), Ok(PAGE));
}

#[test]
fn addresses_of_36_bits_reach_beyond_the_bus() {
    let mut bench = Bench::new(CoreModel::E600);
    bench.put(PAGE, false, 0, 0x0765_4006);
    assert_eq!(bench.translate(PAGE, Purpose::Read), Ok(0x0765_4000));
    bench.set(HID0, 0x0002_0000);
    assert_eq!(
        bench.translate(PAGE, Purpose::Read),
        Err(TranslationFault::Refused)
    );
}

#[test]
fn the_603_lets_software_search() {
    let mut bench = Bench::new(CoreModel::Ppc603e);
    bench.set_segment(SEGMENT | 0x4000_0000);
    bench.core.condition = 0x9234_5678;
    for index in 0..4 {
        bench.core.set_register(index, 7 + index);
    }
    let before = bench.core.msr().0;
    let compared = 0x8000_0000 | SEGMENT << 7 | PAGE >> 22 & 0x3f;
    let groups = [false, true].map(|secondary| Bench::entry(PAGE, secondary, 0));
    for (purpose, vector, missed, status) in [
        (Purpose::Fetch, 0x1000, 980, 0x000c_0000),
        (Purpose::Read, 0x1100, 976, 0x0008_0000),
        (Purpose::Write, 0x1200, 976, 0x0009_0000),
    ] {
        bench.core.set_msr(Msr(before));
        let fault = bench.translate(PAGE + 4, purpose).expect_err("empty");
        bench.core.enter(fault.exception(PAGE + 4, purpose), 0x1000);
        assert_eq!(bench.core.program_counter(), vector);
        assert_eq!(bench.core.special(missed), PAGE + 4);
        assert_eq!(bench.core.special(missed + 1), compared);
        assert_eq!([978, 979].map(|hash| bench.core.special(hash)), groups);
        assert_eq!(bench.core.special(27), 0x9000_0000 | status | before);
        assert!(bench.core.msr().has(Msr::TEMPORARY_REGISTERS));
        assert_eq!(bench.core.register(3), 0, "a register of its own");
        // RPA of an unchanged page.
        bench.core.set_special_at(982, 0x0765_4102, 0);
        let load = match purpose {
            Purpose::Fetch => TlbOperation::LoadInstruction,
            _ => TlbOperation::LoadData,
        };
        if purpose == Purpose::Write {
            bench.core.set_special_at(982, 0x0765_4182, 0);
        }
        bench.mmu.maintain(&bench.core, load, PAGE);
        bench.core.set_msr(Msr(before));
        assert_eq!(bench.core.register(3), 10);
        assert_eq!(bench.translate(PAGE + 4, purpose), Ok(0x0765_4004));
    }
}

#[test]
fn the_755_lets_software_search_if_hid2_says_so() {
    let mut bench = Bench::new(CoreModel::Ppc755);
    let at = bench.put(PAGE, false, 0, 0x0765_4002);
    assert_eq!(bench.translate(PAGE, Purpose::Read), Ok(0x0765_4000));
    assert_eq!(bench.word(at), 0x0765_4002 | REFERENCED);
    bench.mmu = Mmu::new(CoreModel::Ppc755);
    bench.set(HID2, 0x0008_0000);
    bench.core.condition = 0x9234_5678;
    bench.core.set_register(3, 10);
    let before = bench.core.msr();
    let compared = 0x8000_0000 | SEGMENT << 7 | PAGE >> 22 & 0x3f;
    let groups = [false, true].map(|secondary| Bench::entry(PAGE, secondary, 0));
    for (purpose, vector, missed, status) in [
        (Purpose::Fetch, 0x1000, 980, 0x9004_0000),
        (Purpose::Read, 0x1100, 976, 0x9000_0000),
        (Purpose::Write, 0x1200, 976, 0x9001_0000),
    ] {
        bench.core.set_msr(before);
        let fault = bench.translate(PAGE + 4, purpose).expect_err("empty");
        bench.core.enter(fault.exception(PAGE + 4, purpose), 0x1000);
        assert_eq!(bench.core.program_counter(), vector);
        let found = [missed, missed + 1, 978, 979, 27].map(|number| bench.core.special(number));
        let [first, second] = groups;
        let told = [PAGE + 4, compared, first, second, status | before.0];
        assert_eq!(found, told);
        assert_eq!(bench.core.register(3), 10, "no registers of its own");
        bench.core.set_special_at(982, 0x0765_4182, 0);
        let load = match purpose {
            Purpose::Fetch => TlbOperation::LoadInstruction,
            _ => TlbOperation::LoadData,
        };
        bench.mmu.maintain(&bench.core, load, PAGE);
        bench.core.set_msr(before);
        assert_eq!(bench.translate(PAGE + 4, purpose), Ok(0x0765_4004));
        bench.mmu.invalidate(PAGE);
    }
}

#[test]
fn the_755_has_four_blocks_more_if_hid2_says_so() {
    let mut bench = Bench::new(CoreModel::Ppc755);
    bench.set(DBAT4U, 0x3000_1ffe);
    bench.set(DBAT4U + 1, 0x0000_0002);
    assert!(bench.translate(PAGE, Purpose::Read).is_err());
    bench.set(HID2, 0x0004_0000);
    assert_eq!(bench.translate(PAGE, Purpose::Read), Ok(PAGE & 0x0fff_ffff));
}

#[test]
fn the_e600_lets_software_search_if_hid0_says_so() {
    let mut bench = Bench::new(CoreModel::E600);
    bench.set(HID0, 0x0100_0000);
    let fault = bench.translate(PAGE + 3, Purpose::Read).expect_err("empty");
    bench
        .core
        .enter(fault.exception(PAGE + 3, Purpose::Read), 0x1000);
    assert_eq!(bench.core.program_counter(), 0x1100);
    let compared = 0x8000_0000 | SEGMENT << 7 | PAGE >> 22 & 0x3f;
    assert_eq!(
        [980, 981].map(|number| bench.core.special(number)),
        [PAGE + 2, compared]
    );
    bench.core.set_special_at(982, 0x0765_4102, 0);
    bench
        .mmu
        .maintain(&bench.core, TlbOperation::LoadData, PAGE);
    bench.core.set_msr(Msr(Msr::DATA_TRANSLATION));
    assert_eq!(bench.translate(PAGE, Purpose::Read), Ok(0x0765_4000));
}

#[test]
fn changes_name_the_entries_that_were_replaced() {
    let mut bench = Bench::new(CoreModel::E600);
    assert_eq!(
        bench.mmu.known_mut().take_changes(),
        Changes::ALL,
        "the first time"
    );
    bench.put(PAGE, false, 0, 0x0765_4002);
    bench.put(PAGE + 0x40_0000, false, 1, 0x0123_4002);
    assert_eq!(bench.translate(PAGE, Purpose::Read), Ok(0x0765_4000));
    assert!(
        !bench.mmu.known_mut().have_changes(),
        "an empty entry was used"
    );
    assert_eq!(
        bench.translate(PAGE + 0x40_0000, Purpose::Read),
        Ok(0x0123_4000)
    );
    let changes = bench.mmu.known_mut().take_changes();
    let data: Vec<usize> = Changes::classes(&changes.data).collect();
    assert_eq!(data, [(PAGE >> 12) as usize & 1023]);
    assert_eq!(Changes::classes(&changes.instruction).count(), 0);
    assert_eq!(bench.translate(PAGE, Purpose::Read), Ok(0x0765_4000));
    assert!(bench.mmu.known_mut().have_changes());
    bench.mmu.registers_changed();
    assert_eq!(bench.mmu.known_mut().take_changes(), Changes::ALL);
    assert!(bench.mmu.known_mut().take_changes().is_empty());
}

#[test]
fn the_buffers_survive_saving_and_a_wrong_size_does_not() {
    let mut bench = Bench::new(CoreModel::E600);
    bench.put(PAGE, false, 0, 0x0765_4002);
    assert_eq!(bench.translate(PAGE, Purpose::Read), Ok(0x0765_4000));
    let bytes = postcard::to_allocvec(&bench.mmu).expect("plain data");
    let restored: Mmu = postcard::from_bytes(&bytes).expect("as it was saved");
    assert!(restored == bench.mmu && restored != Mmu::new(CoreModel::E600));
    bench.put(PAGE, false, 0, 0x0111_1002);
    bench.mmu = restored;
    assert_eq!(bench.translate(PAGE, Purpose::Read), Ok(0x0765_4000));
    let mut wrong = bytes.clone();
    // The length of the first buffer follows the model.
    assert_eq!(wrong[1..3], [0x80, 0x08]);
    wrong[1] = 0x81;
    assert!(postcard::from_bytes::<Mmu>(&wrong).is_err());
}
