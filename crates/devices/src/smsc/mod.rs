//! SMSC (now Microchip).

pub mod lan91c111;
