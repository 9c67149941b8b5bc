//! PowerPC's tables as data, and its core as a whole.

#[allow(dead_code)]
#[path = "../examples/powerpc_encodings.rs"]
mod documentation;

use socscope_memory::{Fault, FaultReason};
use socscope_powerpc::{
    Core, CoreModel, Exception, Msr, ProgramCause, SPECIAL_REGISTERS, Xer, decode, encodings,
    special_translation_bits,
};
use std::collections::BTreeSet;

#[test]
fn the_reference_page_is_what_the_tables_say() {
    let page = include_str!("../../../../docs/reference/powerpc-encodings.md");
    assert!(
        page == documentation::page(),
        "cargo run -p socscope-powerpc --example powerpc_encodings > docs/reference/powerpc-encodings.md"
    );
}

#[test]
fn names_are_unique() {
    let names: BTreeSet<_> = encodings().iter().map(|encoding| encoding.name).collect();
    assert_eq!(names.len(), encodings().len());
}

/// All values of the bits in which encodings differ.
#[test]
fn every_word_matches_its_encoding_and_no_other() {
    for primary in 0..64_u32 {
        for low in 0..0x800 {
            let word = primary << 26 | low;
            let matching: Vec<usize> = (1..encodings().len())
                .filter(|index| encodings()[*index].pattern.matches(word))
                .collect();
            match matching[..] {
                [] => assert_eq!(decode(word), 0, "{word:#x}"),
                [only] => assert_eq!(decode(word), only, "{word:#x}"),
                _ => panic!("{word:#x} has {} encodings", matching.len()),
            }
        }
    }
}

/// A core whose every field differs from the default.
fn full() -> Core {
    let mut core = Core::new(CoreModel::E600);
    for index in 0..32 {
        core.set_register(index, 0x100 + index);
        core.float[index as usize] = 0x4000_0000_0000_0000 + u64::from(index);
        core.vector[index as usize] = u128::MAX / 3 + u128::from(index);
    }
    for index in 0..16 {
        core.set_segment(index, 0x2000_0000 + index);
    }
    for register in SPECIAL_REGISTERS {
        core.set_special_at(register.number, 0x5555_0000 | register.number, 0);
    }
    core.xer = Xer::from_bits(0xe000_007f);
    core.condition = 0x1234_5678;
    core.set_msr(Msr(0x0200_f032));
    core.float_status = 0x8200_0003;
    core.vector_status = 0x0001_0001;
    core.set_special_at(22, 7, 0);
    core.set_special_at(22, u32::MAX, 0);
    core.reservation = Some(0x1000);
    core.set_program_counter(0x2000);
    core.last_fault = Some(Fault {
        address: 4,
        reason: FaultReason::Unmapped,
    });
    core
}

#[test]
fn a_core_survives_saving() {
    let core = full();
    let bytes = postcard::to_allocvec(&core).expect("a core is plain data");
    let restored: Core = postcard::from_bytes(&bytes).expect("as it was saved");
    assert_eq!(restored, core);
}

/// Exception, vector, what SRR1 has beside the machine state.
const ENTRIES: &[(Exception, u32, u32)] = &[
    (Exception::SystemReset, 0x100, 0),
    (Exception::MachineCheck, 0x200, 0x0004_0000),
    (
        Exception::DataStorage {
            address: 0x44,
            status: 0x4200_0000,
        },
        0x300,
        0,
    ),
    (
        Exception::InstructionStorage {
            status: 0x4000_0000,
        },
        0x400,
        0x4000_0000,
    ),
    (Exception::External, 0x500, 0),
    (
        Exception::Alignment {
            address: 0x44,
            status: 0x4200_0000,
        },
        0x600,
        0,
    ),
    (Exception::Program(ProgramCause::Float), 0x700, 0x0010_0000),
    (
        Exception::Program(ProgramCause::Illegal),
        0x700,
        0x0008_0000,
    ),
    (
        Exception::Program(ProgramCause::Privileged),
        0x700,
        0x0004_0000,
    ),
    (Exception::Program(ProgramCause::Trap), 0x700, 0x0002_0000),
    (Exception::FloatUnavailable, 0x800, 0),
    (Exception::Decrementer, 0x900, 0),
    (Exception::SystemCall, 0xc00, 0),
    (Exception::Trace, 0xd00, 0),
    (Exception::VectorUnavailable, 0xf20, 0),
    (Exception::VectorAssist, 0x1600, 0),
];

#[test]
fn exceptions_are_entered_as_the_manual_says() {
    for &(exception, vector, status) in ENTRIES {
        for (prefix, base) in [(0, 0), (Msr::EXCEPTION_PREFIX, 0xfff0_0000)] {
            let mut core = full();
            core.set_msr(Msr(0x0200_ff33 & !Msr::EXCEPTION_PREFIX | prefix));
            let before = core.msr().0;
            core.enter(exception, 0x1234);
            assert_eq!(core.program_counter(), base + vector, "{exception:?}");
            assert_eq!(core.special(26), 0x1234);
            assert_eq!(
                core.special(27),
                before & 0x87c0_ffff | status,
                "{exception:?}"
            );
            let kept = if exception == Exception::MachineCheck {
                0
            } else {
                0x1000
            };
            assert_eq!(core.msr().0, kept | prefix, "{exception:?}");
            if let Exception::DataStorage { .. } | Exception::Alignment { .. } = exception {
                assert_eq!((core.special(19), core.special(18)), (0x44, 0x4200_0000));
            }
        }
    }
}

#[test]
fn interrupts_wait_for_the_machine_state_and_the_line_comes_first() {
    let mut core = Core::new(CoreModel::E600);
    core.set_special_at(22, 5, 0);
    core.set_special_at(1008, 0x0400_0000, 0);
    core.notice_time(23);
    assert!(!core.decrementer_pending());
    assert_eq!(
        (core.special_at(22, 23), core.decrementer_due_cycle()),
        (0, 24)
    );
    core.notice_time(24);
    assert!(core.decrementer_pending());
    assert_eq!(
        (core.time_base_at(24), core.special_at(22, 24)),
        (6, u32::MAX)
    );
    assert_eq!(core.pending(true), None);
    core.set_msr(Msr(Msr::EXTERNAL_ENABLE));
    assert_eq!(core.pending(true), Some(Exception::External));
    assert_eq!(core.pending(false), Some(Exception::Decrementer));
}

#[test]
fn what_a_core_does_not_have_stays_zero() {
    let mut core = Core::new(CoreModel::Ppc750);
    core.set_msr(Msr(u32::MAX));
    assert_eq!(core.msr().0 & Msr::VECTORS, 0);
    core.set_special_at(276, 7, 0);
    core.set_special_at(256, 7, 0);
    assert_eq!((core.special(276), core.special(256)), (0, 0));
    core.set_special_at(1008, u32::MAX, 0);
    assert_eq!(core.special(1008), !0xc00, "invalidations end at once");
    assert_eq!(core.special(287), 0x0008_3311);
}

#[test]
fn a_reservation_ends_where_others_write() {
    let mut core = Core::new(CoreModel::E600);
    core.reservation = Some(0x1000);
    core.written_by_others(0x1020);
    assert_eq!(core.reservation, Some(0x1000));
    core.written_by_others(0x101c);
    assert_eq!(core.reservation, None);
}

#[test]
fn a_core_with_too_few_special_registers_is_refused() {
    // Their number, 1024, follows all that comes before them.
    let bytes = postcard::to_allocvec(&Core::new(CoreModel::E600)).expect("a core is plain data");
    let at = bytes
        .windows(2)
        .position(|pair| pair == [0x80, 0x08])
        .expect("the number");
    let mut wrong = bytes.clone();
    wrong[at] = 0x81;
    assert!(postcard::from_bytes::<Core>(&bytes).is_ok());
    assert!(postcard::from_bytes::<Core>(&wrong).is_err());
}

#[test]
fn plain_registers_keep_what_is_written_and_change_nothing_else() {
    for register in SPECIAL_REGISTERS {
        let Some(place) = Core::place_of_plain(register.number) else {
            continue;
        };
        let mut core = Core::new(CoreModel::E600);
        let mut other = core.clone();
        core.set_special_at(register.number, 0xa5c3_f00f, 7);
        other.kept_mut()[place] = 0xa5c3_f00f;
        assert_eq!(core, other, "{}", register.name);
        assert_eq!(special_translation_bits(register.number), 0);
    }
    let plain = (0..1024).filter(|&number| Core::place_of_plain(number).is_some());
    assert_eq!(plain.count(), 9);
}
