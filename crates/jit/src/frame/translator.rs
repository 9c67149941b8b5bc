//! The translator that an architecture offers, without its adapter, which is nobody else's business.

use crate::Statistics;

/// What all translators do, whatever their cores and timing models.
pub trait Translates: Sized {
    /// A translator; `None` when the host has no compiler for itself or refuses the memory.
    fn new() -> Option<Self>;
    /// How often code must be reached before it is translated; 1 translates at once.
    fn set_threshold(&mut self, times: u32);
    /// What was done so far, for all cores.
    fn statistics(&self) -> Statistics;
    /// The same, and begins to count anew.
    fn take_statistics(&mut self) -> Statistics;
    /// The next run is one of another machine that was built as the one before: code that is the same there goes on.
    fn change_machine(&mut self);
    /// The machine has run without this translator: what is known of pages is looked up again.
    fn forget_pages(&mut self);
}

/// Declares it: what it is generic in, the adapter, its cycle classes, its core and its translation of addresses.
macro_rules! translator {
    ($(#[$about:meta])* [$($kind:ident: $bound:path)?] $adapter:ty, $class:ty, $core:ty, $mmu:ty) => {
        $(#[$about])*
        pub struct Translator<$($kind: $bound,)? M: socscope_isa::StaticCycleModel<$class>>(
            $crate::frame::Translator<$adapter, M>,
        );

        impl<$($kind: $bound,)? M: socscope_isa::StaticCycleModel<$class>> $crate::Translates for Translator<$($kind,)? M> {
            fn new() -> Option<Translator<$($kind,)? M>> {
                Some(Translator($crate::frame::Translator::new()?))
            }

            fn set_threshold(&mut self, times: u32) {
                self.0.set_threshold(times);
            }

            fn statistics(&self) -> $crate::Statistics {
                self.0.statistics()
            }

            fn take_statistics(&mut self) -> $crate::Statistics {
                self.0.take_statistics()
            }

            fn change_machine(&mut self) {
                self.0.change_machine();
            }

            fn forget_pages(&mut self) {
                self.0.forget_pages();
            }
        }

        impl<$($kind: $bound,)? M: socscope_isa::StaticCycleModel<$class>> Translator<$($kind,)? M> {
            /// Runs the core of number `seat` until the bus's deadline, until the observer asks for a stop, until the next instruction, but not the
            /// first one, is at one of `stops`, or until the core stops by itself. The same bus must be given each time, but after
            /// `change_machine`, and each seat's core with its own `mmu`. Cores of another model than the first one's are interpreted: what is an instruction on one is none on another.
            #[allow(clippy::too_many_arguments)]
            pub fn run<B: $crate::Memories, O: socscope_core::Observer>(
                &mut self,
                seat: usize,
                core: &mut $core,
                mmu: &mut $mmu,
                bus: &mut B,
                model: &mut M,
                observer: &mut O,
                cycle: &mut u64,
                stops: &std::collections::BTreeSet<u32>,
            ) -> $crate::frame::Ended {
                let guest = $crate::frame::Guest {
                    seat,
                    core,
                    mmu,
                    bus,
                    model,
                    observer,
                    cycle,
                };
                self.0.run(guest, stops)
            }
        }
    };
}

pub(crate) use translator;
