//! The device trait and the entry by which the machine finds a model.

use crate::{BuildError, Context, Description, LineFormat, Properties, Waveform};
use socscope_memory::Width;
use thiserror::Error;

/// A saved state that a device cannot take.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("state of {device} does not fit this version: {reason}")]
pub struct RestoreError {
    /// Title of the device.
    pub device: String,
    /// What is wrong with it.
    pub reason: String,
}

/// A device: registers, events and lines. It sees the world only through its [`Context`].
pub trait Device: Send {
    /// The register table and the rest of the manual page.
    fn description(&self) -> &'static Description;
    /// Power-on and reset. Called once before the first instruction and at every system reset.
    fn reset(&mut self, context: &mut Context);
    /// A system reset that a device asked for, as a watchdog does; [`Device::reset`] unless the device tells the two apart.
    fn reset_from_within(&mut self, context: &mut Context) {
        self.reset(context);
    }
    /// Does what a boot loader would have done before it jumps to an image (for images that are not boot code).
    fn boot_loader(&mut self, _context: &mut Context) {}
    /// The core reads at `offset` (aligned to `width`).
    fn read(&mut self, offset: u32, width: Width, context: &mut Context) -> u32;
    /// The core writes at `offset` (aligned to `width`).
    fn write(&mut self, offset: u32, width: Width, value: u32, context: &mut Context);
    /// What a read would give now, without its side effects; `None` where that cannot be said.
    fn peek(&self, offset: u32, context: &Context) -> Option<u32>;
    /// An event scheduled by this device is due.
    fn event(&mut self, _payload: u64, _context: &mut Context) {}
    /// An input line changed.
    fn input(&mut self, _line: u32, _level: bool, _context: &mut Context) {}
    /// A character starts on a link port; its levels are known as a whole.
    fn receive(&mut self, _port: u32, _waveform: Waveform, _context: &mut Context) {}
    /// The line format that a port is set to, for peers that adapt to it (a terminal).
    fn line_format(&self, _port: u32, _context: &Context) -> Option<LineFormat> {
        None
    }
    /// Whether a port's receiver is switched on; a host peer holds its bytes back until then.
    fn listens(&self, _port: u32) -> bool {
        true
    }
    /// Whether the device may reset the system by itself, as a running watchdog does.
    fn may_reset(&self) -> bool {
        false
    }
    /// Whether a character is on its way out: a program that has ended is left running until it has gone.
    fn sends(&self) -> bool {
        false
    }
    /// An attribute that people change from outside; the error says which there are.
    fn set_attribute(
        &mut self,
        name: &str,
        _value: &[u8],
        _context: &mut Context,
    ) -> Result<(), String> {
        Err(format!(
            "no attribute is called {name}: the device has none"
        ))
    }
    /// The value of an attribute, in the encoding of [`Device::set_attribute`].
    fn attribute(&self, _name: &str) -> Option<Vec<u8>> {
        None
    }
    /// A new device of the same kind for a machine that is forked; `None` when it can be made from the device tree.
    fn another(&self) -> Option<Box<dyn Device>> {
        None
    }
    /// The complete state, in a stable encoding (postcard of a struct that is destructured as a whole).
    fn save(&self) -> Vec<u8>;
    /// Takes back what `save` gave.
    fn restore(&mut self, state: &[u8]) -> Result<(), RestoreError>;
}

/// Makes a device from its device-tree node.
pub type Build = fn(&dyn Properties) -> Result<Box<dyn Device>, BuildError>;

/// How the machine makes a device of one kind.
#[derive(Clone, Copy)]
pub struct Model {
    /// What it is.
    pub description: &'static Description,
    /// Makes one from its device-tree node.
    pub build: Build,
}
