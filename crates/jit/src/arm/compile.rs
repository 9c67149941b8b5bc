//! What the compiler is told of a plan.

use super::emit::Emitter;
use super::exits::Exits;
use super::learning::Seen;
use super::plan::Plan;
use crate::arena::Arena;
use crate::compiler::Compiler;
use crate::profile::{Mode, ProfileFacts};
use crate::states::{Costs, StateIndex, States};
use socscope_isa::StaticCycleModel;
use socscope_memory::RegionIndex;

/// What accesses are known to do.
pub(crate) struct Facts<'a> {
    pub costs: &'a Costs,
    pub region_of: &'a dyn Fn(u32) -> RegionIndex,
    /// Regions that accesses reached so far.
    pub seen: &'a Seen,
    /// Whether a region is plain memory, which translated code may reach by itself.
    pub is_memory: &'a dyn Fn(RegionIndex) -> bool,
    /// The region of accesses that were never seen.
    pub guess: RegionIndex,
    /// Whether regions make a difference, to cycles or to counts.
    pub regions_matter: bool,
    pub mode: Mode,
    pub profile: Option<ProfileFacts<'a>>,
}

/// [`translate`] for a timing model. A translator calls it by its address: so the emitter is compiled where translators are made, and not again with
/// each observer.
pub(crate) type Translate<M> = fn(
    &mut Compiler,
    &Plan,
    &mut States<M>,
    &mut Exits<M>,
    &Facts,
    StateIndex,
    &mut Arena,
) -> Option<u64>;

/// Compiles a plan, entered with the timing model in state `start`; the address of the code, or `None` when the arena is full.
pub(crate) fn translate<M: StaticCycleModel>(
    compiler: &mut Compiler,
    plan: &Plan,
    states: &mut States<M>,
    exits: &mut Exits<M>,
    facts: &Facts,
    start: StateIndex,
    arena: &mut Arena,
) -> Option<u64> {
    exits.set = plan.set;
    exits.region = plan.region;
    compiler.translate(arena, |builder, config| {
        Emitter::new(builder, plan, states, exits, facts, start).finish(config);
    })
}
