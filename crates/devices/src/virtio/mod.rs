//! Devices that exist only inside of emulators, after the standard "Virtual I/O Device (VIRTIO) Version 1.2" of OASIS.

#[cfg(test)]
mod driver;
pub mod mmio;
mod queue;
mod registers;
#[cfg(test)]
mod tests;
