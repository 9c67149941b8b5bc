//! The state of a core: saved and restored as a whole, exceptions entered from every mode.

use socscope_arm::{Core, CoreModel, Exception, InstructionSet, Mode, Status, Version, control};
use socscope_memory::{Fault, FaultReason};

const FAULT: Fault = Fault {
    address: 4,
    reason: FaultReason::Unmapped,
};

/// A core whose every field differs from the default.
fn full(mode: Mode, set: InstructionSet) -> Core {
    let mut core = Core::default();
    for owner in Mode::ALL {
        for index in 0..15 {
            core.set_register_of(owner, index, owner as u32 * 0x100 + index);
        }
        let saved = Status::RESET.with_bits(0xf000_0030);
        core.set_saved_status_of(owner, saved);
    }
    core.set_status(Status {
        instruction_set: set,
        ..Status::RESET.with_bits(0xa000_0000 | mode as u32)
    });
    core.set_program_counter(0x1000);
    core.last_fault = Some(FAULT);
    core
}

#[test]
fn a_core_survives_saving() {
    for mode in Mode::ALL {
        let core = full(mode, InstructionSet::Thumb);
        let bytes = postcard::to_allocvec(&core).expect("a core is plain data");
        let restored: Core = postcard::from_bytes(&bytes).expect("as it was saved");
        assert_eq!(restored, core);
    }
}

/// A core of each later model, with what an ARM7TDMI does not have.
#[test]
fn a_later_core_survives_saving() {
    for model in CoreModel::ALL {
        let mut core = Core::new(model);
        let status = Status::RESET.with_bits_of(model, 0xffff_ff10);
        core.set_status(Status {
            java: false,
            ..status
        });
        core.set_saved_status_of(Mode::Abort, status);
        if model != CoreModel::Arm7Tdmi {
            core.control.set_control(control::HIGH_VECTORS, true);
            let unaligned = model.has(Version::V6);
            core.control.set_control(control::UNALIGNED, unaligned);
            core.exclusive = Some(0x1000);
        }
        core.last_fault = Some(FAULT);
        let bytes = postcard::to_allocvec(&core).expect("a core is plain data");
        let restored: Core = postcard::from_bytes(&bytes).expect("as it was saved");
        assert_eq!(restored, core);
    }
}

/// Checkpoints and hashes of states hold these bytes since before there were other models.
#[test]
fn an_arm7tdmi_is_saved_as_it_always_was() {
    for last_fault in [None, Some(FAULT)] {
        let mut core = full(Mode::Interrupt, InstructionSet::Thumb);
        core.last_fault = last_fault;
        let registers: [u32; 16] = std::array::from_fn(|index| core.register(index as u32));
        let of = |mode, index| core.register_of(mode, index);
        let high: [u32; 5] = std::array::from_fn(|at| of(Mode::FastInterrupt, 8 + at as u32));
        let pair = |mode| match mode {
            Mode::Interrupt => [0; 2],
            _ => [of(mode, 13), of(mode, 14)],
        };
        let pairs = [
            Mode::FastInterrupt,
            Mode::Interrupt,
            Mode::Supervisor,
            Mode::Abort,
            Mode::Undefined,
        ]
        .map(pair);
        // N, Z, C, V, I, F, then the places of instruction set and mode in their lists.
        let status = (true, false, true, false, false, false, 1_u8, 2_u8);
        let saved = (true, true, true, true, false, false, 1_u8, 0_u8);
        let old = (
            registers,
            status,
            high,
            pair(Mode::User),
            pairs,
            [saved; 5],
            last_fault,
        );
        let [old, new] = [
            postcard::to_allocvec(&old).expect("plain data"),
            postcard::to_allocvec(&core).expect("plain data"),
        ];
        assert_eq!(new, old);
    }
}

#[test]
fn a_mode_and_back_leaves_everything_as_it_was() {
    for from in Mode::ALL {
        for to in Mode::ALL {
            let mut core = full(from, InstructionSet::Arm);
            let before = core.clone();
            core.set_status(Status {
                mode: to,
                ..before.status()
            });
            core.set_status(before.status());
            assert_eq!(core, before);
        }
    }
}

/// Vector, mode, whether F is set, and r14 minus the address of the instruction, in ARM and in Thumb.
const ENTRIES: &[(Exception, u32, Mode, bool, u32, u32)] = &[
    (Exception::Reset, 0x00, Mode::Supervisor, true, 0, 0),
    (Exception::Undefined, 0x04, Mode::Undefined, false, 4, 2),
    (
        Exception::SoftwareInterrupt,
        0x08,
        Mode::Supervisor,
        false,
        4,
        2,
    ),
    (Exception::PrefetchAbort, 0x0c, Mode::Abort, false, 4, 4),
    (Exception::DataAbort, 0x10, Mode::Abort, false, 8, 8),
    (Exception::Interrupt, 0x18, Mode::Interrupt, false, 4, 4),
    (
        Exception::FastInterrupt,
        0x1c,
        Mode::FastInterrupt,
        true,
        4,
        4,
    ),
];

#[test]
fn exceptions_are_entered_as_the_manual_says() {
    for &(exception, vector, mode, masks_fiq, arm, thumb) in ENTRIES {
        for from in Mode::ALL {
            for (set, ahead) in [(InstructionSet::Arm, arm), (InstructionSet::Thumb, thumb)] {
                let mut core = full(from, set);
                let before = core.clone();
                core.enter(exception, 0x1000);
                let status = core.status();
                assert_eq!(core.program_counter(), vector);
                assert_eq!(core.register(14), 0x1000 + ahead);
                assert_eq!(core.saved_status(), Some(before.status()));
                let expected = Status {
                    mode,
                    instruction_set: InstructionSet::Arm,
                    irq_disabled: true,
                    fiq_disabled: masks_fiq,
                    ..before.status()
                };
                assert_eq!(status, expected, "{exception:?} from {from:?}");
                assert_eq!(core.register(13), before.register_of(mode, 13));
                assert_eq!(core.register(8), before.register_of(mode, 8));
            }
        }
    }
}

/// E follows EE, A is set by all but undefined instructions and software interrupts, vectors may lie high.
#[test]
fn version_6_enters_exceptions_its_own_way() {
    for &(exception, vector, ..) in ENTRIES {
        for (high, base) in [(false, 0), (true, 0xffff_0000)] {
            let mut core = Core::new(CoreModel::Arm1136JS);
            core.set_status(Status::RESET.with_bits_of(CoreModel::Arm1136JS, 0x000a_0010));
            core.control.set_control(control::HIGH_VECTORS, high);
            core.control
                .set_control(control::BIG_ENDIAN_EXCEPTIONS, high);
            core.enter(exception, 0x1000);
            assert_eq!(core.program_counter(), base + vector);
            let status = core.status();
            let software = matches!(vector, 4 | 8);
            assert_eq!(status.aborts_disabled, !software, "{exception:?}");
            assert_eq!((status.big_endian, status.greater_equal), (high, 0xa));
        }
    }
}

#[test]
fn status_bits_that_do_not_exist_read_as_zero_and_unknown_modes_are_kept_out() {
    let status = Status::RESET.with_bits(0xffff_ffff);
    assert_eq!(status.bits(), 0xf000_00ff);
    let kept = Status::RESET.with_bits(0xf000_0000);
    assert_eq!(kept.bits(), 0xf000_0013);
}
