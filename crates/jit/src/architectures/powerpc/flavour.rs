//! What translated code is made for beside its address: the parts of the machine state that it does not look at when it runs.

use crate::frame;
use socscope_core::ExecutionState;
use socscope_powerpc::{Core, Msr};

/// The machine state that code was made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Flavour {
    /// MSR\[IR\].
    pub fetches_translated: bool,
    /// MSR\[DR\].
    pub data_translated: bool,
    /// MSR\[PR\].
    pub problem: bool,
    /// MSR\[FP\], while no exception of floating point traps.
    pub float: bool,
    /// SO of XER, which hardly ever changes.
    pub summary_overflow: bool,
}

impl Flavour {
    /// Of a core; `None` where each instruction is the interpreter's: traces, little-endian mode, the registers of a table search.
    pub fn of(core: &Core) -> Option<Flavour> {
        let msr = core.msr();
        let special =
            Msr::SINGLE_STEP | Msr::BRANCH_TRACE | Msr::LITTLE_ENDIAN | Msr::TEMPORARY_REGISTERS;
        if msr.has(special) {
            return None;
        }
        Some(Flavour {
            fetches_translated: msr.has(Msr::INSTRUCTION_TRANSLATION),
            data_translated: msr.has(Msr::DATA_TRANSLATION),
            problem: msr.has(Msr::PROBLEM),
            float: msr.has(Msr::FLOAT) && !msr.has(Msr::FLOAT_EXCEPTIONS),
            summary_overflow: core.xer.summary_overflow,
        })
    }
}

impl frame::Flavour for Flavour {
    const BITS: u32 = 5;

    fn bits(self) -> u32 {
        [
            self.fetches_translated,
            self.data_translated,
            self.problem,
            self.float,
            self.summary_overflow,
        ]
        .into_iter()
        .enumerate()
        .fold(0, |bits, (place, bit)| bits | u32::from(bit) << place)
    }

    fn execution_state(self) -> ExecutionState {
        ExecutionState {
            user: self.problem,
            translated: self.fetches_translated,
        }
    }

    fn data_table(self) -> usize {
        table(self.data_translated, self.problem)
    }

    fn fetch_table(self) -> usize {
        table(self.fetches_translated, self.problem)
    }
}

/// Addresses of the bus, of the supervisor, of programs.
fn table(translated: bool, problem: bool) -> usize {
    match (translated, problem) {
        (false, _) => 0,
        (true, false) => 1,
        (true, true) => 2,
    }
}
