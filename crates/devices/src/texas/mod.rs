//! Texas Instruments: what the cores of its chips share.

pub mod mailbox;
mod registers;
pub mod spinlock;
