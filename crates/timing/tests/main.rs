//! The crate's integration tests as one program: what they share is compiled and linked once.

mod cache;
mod lookups;
