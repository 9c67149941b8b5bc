//! The GDB remote protocol.
