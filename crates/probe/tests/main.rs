//! The crate's integration tests as one program: what they share is compiled and linked once.

mod arm_code;
mod forks;
mod marks;
mod private;
mod random_programs;
mod recursion;
mod several_cores;
#[path = "../../machine/tests/support/mod.rs"]
mod support;
