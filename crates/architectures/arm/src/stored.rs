//! A core as saved states hold it. That of an ARM7TDMI is what it was before there were other models; theirs follow it.

use super::core::Banks;
use super::{Core, CoreModel, InstructionSet, Mmu, Mode, Status, SystemControl};
use serde::{Deserialize, Serialize};
use socscope_memory::Fault;

/// A status register of version 4T.
#[derive(Serialize, Deserialize)]
struct StoredStatus {
    negative: bool,
    zero: bool,
    carry: bool,
    overflow: bool,
    irq_disabled: bool,
    fiq_disabled: bool,
    instruction_set: InstructionSet,
    mode: Mode,
}

/// The end of what is stored. The first two are an `Option`'s.
#[derive(Serialize, Deserialize)]
enum Rest {
    NoFault,
    Fault(Fault),
    Later(Box<Later>),
}

/// What only later models have. The status registers are that in force and those of the banks, with all bits.
#[derive(Serialize, Deserialize)]
struct Later {
    model: CoreModel,
    status: [u32; 6],
    control: SystemControl,
    mmu: Option<Box<Mmu>>,
    exclusive: Option<u32>,
    last_fault: Option<Fault>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct Stored {
    registers: [u32; 16],
    status: StoredStatus,
    other_high: [u32; 5],
    user: [u32; 2],
    banks: [[u32; 2]; 5],
    saved: [StoredStatus; 5],
    rest: Rest,
}

impl From<Status> for StoredStatus {
    fn from(status: Status) -> StoredStatus {
        StoredStatus {
            negative: status.negative,
            zero: status.zero,
            carry: status.carry,
            overflow: status.overflow,
            irq_disabled: status.irq_disabled,
            fiq_disabled: status.fiq_disabled,
            instruction_set: status.instruction_set,
            mode: status.mode,
        }
    }
}

impl From<StoredStatus> for Status {
    fn from(stored: StoredStatus) -> Status {
        Status {
            negative: stored.negative,
            zero: stored.zero,
            carry: stored.carry,
            overflow: stored.overflow,
            irq_disabled: stored.irq_disabled,
            fiq_disabled: stored.fiq_disabled,
            instruction_set: stored.instruction_set,
            mode: stored.mode,
            ..Status::RESET
        }
    }
}

impl From<Core> for Stored {
    fn from(mut core: Core) -> Stored {
        let [status, saved @ ..] = core.all_status();
        let rest = match (core.model(), core.last_fault) {
            (CoreModel::Arm7Tdmi, None) => Rest::NoFault,
            (CoreModel::Arm7Tdmi, Some(fault)) => Rest::Fault(fault),
            (model, last_fault) => Rest::Later(Box::new(Later {
                model,
                status: core.all_status().map(Status::bits),
                control: core.control.clone(),
                mmu: core.take_mmu(),
                exclusive: core.exclusive,
                last_fault,
            })),
        };
        let (registers, banks) = core.into_registers();
        Stored {
            registers,
            status: status.into(),
            other_high: banks.other_high,
            user: banks.user,
            banks: banks.banks,
            saved: saved.map(StoredStatus::from),
            rest,
        }
    }
}

impl From<Stored> for Core {
    fn from(stored: Stored) -> Core {
        let mut status = [Status::RESET; 6];
        let [first, saved @ ..] = &mut status;
        *first = stored.status.into();
        *saved = stored.saved.map(Status::from);
        let banks = Banks {
            other_high: stored.other_high,
            user: stored.user,
            banks: stored.banks,
        };
        let (model, last_fault, later) = match stored.rest {
            Rest::NoFault => (CoreModel::Arm7Tdmi, None, None),
            Rest::Fault(fault) => (CoreModel::Arm7Tdmi, Some(fault), None),
            Rest::Later(later) => (later.model, later.last_fault, Some(later)),
        };
        if let Some(later) = &later {
            for (status, bits) in status.iter_mut().zip(later.status) {
                *status = status.with_bits_of(model, bits);
            }
        }
        let mut core = Core::from_registers(model, stored.registers, banks, status);
        core.last_fault = last_fault;
        // A file may say more than the model has.
        if let Some(later) = later
            && model.has_system_control()
        {
            core.control = later.control;
            core.set_mmu(later.mmu.or_else(|| Core::new(model).take_mmu()));
            core.exclusive = later.exclusive;
        }
        core
    }
}
