//! What translated code is made for beside its address: the parts of the machine state that it does not look at when it runs.

use crate::profile::Mode;
use crate::states::StateIndex;
use socscope_core::ExecutionState;
use socscope_powerpc::{Core, Msr};

/// States of the timing model that a key has room for.
const STATES_MAX: u32 = 1 << 5;

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

    /// Which of the tables of pages its data lie in.
    pub fn data_table(self) -> usize {
        table(self.data_translated, self.problem)
    }

    /// Which of the tables of pages its instructions lie in.
    pub fn fetch_table(self) -> usize {
        table(self.fetches_translated, self.problem)
    }

    fn bits(self) -> u64 {
        [
            self.fetches_translated,
            self.data_translated,
            self.problem,
            self.float,
            self.summary_overflow,
        ]
        .into_iter()
        .enumerate()
        .fold(0, |bits, (place, bit)| bits | u64::from(bit) << place)
    }

    /// What a key holds beside the address and the page on the bus; `None` when the timing model has too many states.
    pub fn key_part(self, state: StateIndex, mode: Mode) -> Option<u64> {
        let state_and_mode = u64::from(state.0) | (mode as u64) << 5;
        (state.0 < STATES_MAX).then(|| (state_and_mode << 5 | self.bits()) << 32)
    }

    /// Whose code it is.
    pub fn execution_state(self) -> ExecutionState {
        ExecutionState {
            user: self.problem,
            translated: self.fetches_translated,
        }
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

/// Tables of pages.
pub(crate) const TABLES: usize = 3;

/// Where the number of the page on the bus stands in a key.
pub(crate) const PAGE_SHIFT: u32 = 32;

/// What names a translation: its address, that of its page on the bus, and what it was made for.
pub(crate) fn key(address: u32, physical: u32, part: u64) -> u64 {
    u64::from(address) | part | u64::from(physical & !0xfff) << PAGE_SHIFT
}
