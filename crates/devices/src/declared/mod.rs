//! A device that is declared as data and acts through a [`Behaviour`]: devices that are written in Python.
//!
//! Registers, variables, lines and pending events are kept here, so that accesses without an effect, saving, restoring and peeking need
//! no behaviour at all.

mod declaration;
mod device;
mod door;
mod state;
#[cfg(test)]
mod tests;
mod value;

pub use declaration::{Declaration, DeclarationError, Rule, Variable};
pub use device::Declared;
pub use door::{Behaviour, Call, Door};
pub use value::Value;
