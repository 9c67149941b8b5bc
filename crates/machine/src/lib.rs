//! From a device tree to a wired machine, and how it runs.
