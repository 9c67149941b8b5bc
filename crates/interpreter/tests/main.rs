//! The crate's integration tests as one program: what they share is compiled and linked once.

mod conditions;
mod events;
mod footprint;
mod powerpc_exceptions;
mod powerpc_vectors;
mod programs;
mod support;
mod vectors;
