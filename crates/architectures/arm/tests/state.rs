//! The state of a core: saved and restored as a whole, exceptions entered from every mode.

use socscope_arm::{Core, Exception, InstructionSet, Mode, Status};
use socscope_memory::{Fault, FaultReason};

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
    core.last_fault = Some(Fault {
        address: 4,
        reason: FaultReason::Unmapped,
    });
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

#[test]
fn status_bits_that_do_not_exist_read_as_zero_and_unknown_modes_are_kept_out() {
    let status = Status::RESET.with_bits(0xffff_ffff);
    assert_eq!(status.bits(), 0xf000_00ff);
    let kept = Status::RESET.with_bits(0xf000_0000);
    assert_eq!(kept.bits(), 0xf000_0013);
}
