//! The words that every architecture has, as PowerPC's semantic functions mean them.

use super::{PowerPc, SAVED_ADDRESS};
use crate::range::Range;
use crate::reading::{FlowReading, LeaveKind, Truth, Word};
use crate::value::Value;
use socscope_isa::{Semantics, Values};
use socscope_memory::Width;
use socscope_powerpc::{Exception, HIGH_VECTORS};

impl Semantics for FlowReading<'_, PowerPc> {
    type Exception = Exception;

    fn address(&self) -> u32 {
        self.address
    }

    fn load(&mut self, address: Word, width: Width) -> (Word, Truth) {
        self.load_word(address, width)
    }
    fn store(&mut self, address: Word, width: Width, word: Word) -> Truth {
        self.store_word(address, width, word)
    }

    fn branch(&mut self, target: Word) {
        self.leave(LeaveKind::Branch, target);
    }

    /// Nobody knows where the vectors are: where there is code.
    fn exception(&mut self, exception: Exception) {
        let back = match exception {
            Exception::SystemCall => self.address.wrapping_add(4),
            _ => self.address,
        };
        let back = self.word(back);
        self.write(SAVED_ADDRESS, back);
        let status = &mut self.state.status;
        status.saved_problem = status.problem;
        status.problem = Some(false);
        let low = exception.vector();
        let program = self.program;
        let holds = |at: &u32| program.constant(*at, Width::Word).is_some();
        let places: Vec<u32> = [low, HIGH_VECTORS | low]
            .into_iter()
            .filter(holds)
            .collect();
        let range = if places.is_empty() {
            Range::constant(low)
        } else {
            Range::of(places)
        };
        let vector = self.put(Value::ranged(range));
        self.leave(LeaveKind::Exception, vector);
    }
}
