//! A flag that ends a run from outside: Ctrl-C, the escape key of the terminal, a caller's thread.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that run loops and waits poll; clones share it.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// A flag that is down.
    pub fn new() -> Interrupt {
        Interrupt::default()
    }

    /// Asks the run to end.
    pub fn raise(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Takes the request back, before the next run.
    pub fn clear(&self) {
        self.0.store(false, Ordering::Release);
    }

    /// Whether the run should end.
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }

    /// Raises the flag at Ctrl-C (SIGINT) until the guard is dropped. A handler that was there before, such as
    /// Python's, runs as well.
    pub fn on_ctrl_c(&self) -> io::Result<CtrlC> {
        let id = signal_hook::flag::register(signal_hook::consts::SIGINT, Arc::clone(&self.0))?;
        Ok(CtrlC(id))
    }
}

/// Ctrl-C raises an [`Interrupt`] while this guard lives.
#[derive(Debug)]
pub struct CtrlC(signal_hook::SigId);

impl Drop for CtrlC {
    fn drop(&mut self) {
        signal_hook::low_level::unregister(self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_raises_the_flag_while_the_guard_lives() {
        // A first handler stays registered, so that the signal never ends the tests.
        let always = Interrupt::new();
        let _keep = always.on_ctrl_c().expect("handlers can be registered");
        let flag = Interrupt::new();
        let guard = flag.on_ctrl_c().expect("handlers can be registered");
        signal_hook::low_level::raise(signal_hook::consts::SIGINT).expect("the signal is known");
        assert!(flag.clone().is_raised() && always.is_raised());
        flag.clear();
        drop(guard);
        signal_hook::low_level::raise(signal_hook::consts::SIGINT).expect("the signal is known");
        assert!(!flag.is_raised());
    }
}
