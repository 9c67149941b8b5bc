//! Cost models: cycles of each instruction on a core, from its class and its bus accesses.
