//! Translation of hot code with Cranelift.
