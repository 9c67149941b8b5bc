//! The translator, whatever the architecture: planning, stretches, budget, exits, chains, tables of pages and granules, accesses to devices, watched code, what a
//! profile counts. What an architecture adds is its [`Adapter`].

mod adapter;
mod compile;
mod context;
mod emit;
mod engine;
mod exits;
mod granules;
mod key;
mod learning;
mod live;
mod plan;
pub(crate) mod prepare;
mod reached;
mod tables;
mod told;
mod translator;

pub(crate) use adapter::{Adapter, State, Stepped};
pub(crate) use context::{Context, OWN_HELPERS, OwnHelper, at};
pub(crate) use emit::{Emitter, REGISTERS_MAX};
pub use engine::Ended;
pub(crate) use engine::{Guest, Parts, Translator};
pub(crate) use key::Flavour;
pub(crate) use plan::{Fetched, Flow, Planned};
pub(crate) use tables::Tables;
pub use translator::Translates;
pub(crate) use translator::translator;
