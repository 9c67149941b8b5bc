//! What caches and saved states ask, and how far the cycles can be trusted.

use super::{Arm9, Arm9Core, Present};
use crate::timing::scoreboard::Scoreboard;
use socscope_timing::{AccuracyLabel, BaseModel};

impl BaseModel for Arm9 {
    fn takes(&self, saved: &Arm9) -> bool {
        (self.core, self.counts_waits) == (saved.core, saved.counts_waits)
    }

    fn reset(&mut self) {
        self.scoreboard = Scoreboard::default();
        self.now = Present::default();
    }

    fn accuracy(&self) -> AccuracyLabel {
        let (name, manual, unread) = match self.core {
            Arm9Core::Tdmi => ("ARM9TDMI", "DDI 0180", "the whole table"),
            Arm9Core::EjS => ("ARM9EJ-S", "DDI 0222", "its rows for MRS, MSR and SWP"),
        };
        let waits = match self.counts_waits {
            true => " with wait states",
            false => "",
        };
        AccuracyLabel {
            model: format!("{name} issue cycles and interlocks{waits}"),
            validated_against: format!(
                "cycle counts derived by hand from the tables of instruction cycle counts and the interlocks of the {name} manual ({manual}), every \
                 class and every interlock; two engines on random programs; nothing that was measured on silicon"
            ),
            known_error: format!("unknown: not compared with silicon; {unread} not compared with a copy of the manual"),
            leaves_out: "the second interlock cycle behind a loaded word that is not aligned, busy-waiting of coprocessors, instruction and data ports that \
                         wait at once (counted one after the other), two Thumb instructions in one fetch, the first fetches after reset, DMA arbitration below \
                         a whole access, idle cycles between memories of an external bus; devices see an access in the execute cycle of its instruction, the core makes it a cycle later"
                .into(),
        }
    }
}
