//! Flags that matter: those that are read before they are written anew.

use super::adapter::Adapter;
use super::plan::{Flow, Plan, Planned};

impl<A: Adapter> Plan<A> {
    /// Flags that matter at an address.
    pub fn live_flags(&self, address: u32) -> u32 {
        self.live.get(&address).copied().unwrap_or(0)
    }

    pub(super) fn find_live_flags(&mut self) {
        let mut changed = self.instructions.values().any(|all| all.flags_read != 0);
        while changed {
            changed = false;
            for (&address, planned) in self.instructions.iter().rev() {
                if planned.flow == Flow::Left {
                    continue;
                }
                let after = self.live_behind(address, planned);
                let before = after & !planned.flags_replaced | planned.flags_read;
                if self.live_flags(address) != before {
                    self.live.insert(address, before);
                    changed = true;
                }
            }
        }
    }

    /// Flags that matter where an instruction may go on, as far as that is in the plan.
    fn live_behind(&self, address: u32, planned: &Planned<A::Class>) -> u32 {
        let next = self.live_flags(address.wrapping_add(planned.width.bytes()));
        let (there, always) = match planned.flow {
            Flow::Falls => (0, false),
            Flow::Jumps { target, always, .. } => (self.live_flags(target), always),
            Flow::Computed { always, .. } => {
                let returns = self.returns.iter();
                let all = returns.fold(0, |live, &to| live | self.live_flags(to));
                (all, always)
            }
            Flow::Left => (0, true),
        };
        if always { there } else { there | next }
    }
}
