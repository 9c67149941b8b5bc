//! What the compiler is told of a plan.

use super::adapter::Adapter;
use super::emit::{Emitter, Facts};
use super::exits::Exits;
use super::plan::Plan;
use crate::arena::Arena;
use crate::compiler::Compiler;
use crate::states::{StateIndex, States};
use socscope_isa::StaticCycleModel;

/// [`translate`] for a timing model. A translator calls it by its address: so the emitter is compiled where translators are made, and not again with
/// each observer.
pub(crate) type Translate<A, M> = fn(
    &mut Compiler,
    &Plan<A>,
    &mut States<M>,
    &mut Exits<<A as Adapter>::Flavour, M>,
    &Facts<A>,
    StateIndex,
    &mut Arena,
) -> Option<u64>;

/// Compiles a plan, entered with the timing model in state `start`; the address of the code, or `None` when the arena is full.
pub(crate) fn translate<A: Adapter, M: StaticCycleModel<A::Class>>(
    compiler: &mut Compiler,
    plan: &Plan<A>,
    states: &mut States<M>,
    exits: &mut Exits<A::Flavour, M>,
    facts: &Facts<A>,
    start: StateIndex,
    arena: &mut Arena,
) -> Option<u64> {
    compiler.translate(arena, |builder, config| {
        Emitter::new(builder, plan, states, exits, facts, start).finish(config);
    })
}
