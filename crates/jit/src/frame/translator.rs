//! The translator that an architecture offers, without its adapter, which is nobody else's business.

/// Declares it: what it is generic in, the adapter, its cycle classes, its core and its translation of addresses.
macro_rules! translator {
    ($(#[$about:meta])* [$($kind:ident: $bound:path)?] $adapter:ty, $class:ty, $core:ty, $mmu:ty) => {
        $(#[$about])*
        pub struct Translator<$($kind: $bound,)? M: socscope_isa::StaticCycleModel<$class>>(
            $crate::frame::Translator<$adapter, M>,
        );

        impl<$($kind: $bound,)? M: socscope_isa::StaticCycleModel<$class>> Translator<$($kind,)? M> {
            /// A translator; `None` when the host has no compiler for itself or refuses the memory.
            pub fn new() -> Option<Translator<$($kind,)? M>> {
                Some(Translator($crate::frame::Translator::new()?))
            }

            /// How often code must be reached before it is translated; 1 translates at once.
            pub fn set_threshold(&mut self, times: u32) {
                self.0.set_threshold(times);
            }

            /// What was done so far, for all cores.
            pub fn statistics(&self) -> $crate::Statistics {
                self.0.statistics()
            }

            /// The same, and begins to count anew.
            pub fn take_statistics(&mut self) -> $crate::Statistics {
                self.0.take_statistics()
            }

            /// The next run is one of another machine that was built as the one before: code that is the same there goes on.
            pub fn change_machine(&mut self) {
                self.0.change_machine();
            }

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
