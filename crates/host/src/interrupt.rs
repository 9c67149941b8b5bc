//! A flag that ends a run from outside: Ctrl-C and other signals, the escape key of the terminal, a caller's thread.

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
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

    /// Raises the flag at Ctrl-C (SIGINT) until the guard is dropped, and at SIGTERM and SIGHUP where the program handles these. A handler
    /// that was there before, such as Python's, runs as well.
    pub fn on_signals(&self) -> io::Result<SignalGuard> {
        let mut guard = SignalGuard(self.clone(), vec![]);
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            // Elsewhere these two end the program at once, or are ignored: that is the program's to say.
            if signal == SIGINT || disposition(signal) == Disposition::Handled {
                let id = signal_hook::flag::register(signal, Arc::clone(&self.0))?;
                guard.1.push(id);
            }
        }
        Ok(guard)
    }
}

/// Signals raise an [`Interrupt`] while this guard lives. What they asked for goes with it.
#[derive(Debug)]
pub struct SignalGuard(Interrupt, Vec<signal_hook::SigId>);

impl Drop for SignalGuard {
    fn drop(&mut self) {
        for id in self.1.drain(..) {
            signal_hook::low_level::unregister(id);
        }
        self.0.clear();
    }
}

/// Guards of several flags.
pub(crate) struct Guards(
    #[expect(dead_code, reason = "it acts when it is dropped")] Vec<SignalGuard>,
);

impl Guards {
    /// Signals raise all of these flags. Where no handler can be registered, nothing but the caller's own handlers end a run.
    pub(crate) fn of<'a>(interrupts: impl IntoIterator<Item = &'a Interrupt>) -> Guards {
        let guards = interrupts.into_iter().map(Interrupt::on_signals);
        Guards(guards.filter_map(Result::ok).collect())
    }
}

/// What a signal does to this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Disposition {
    /// What it does to any process.
    Default,
    /// Nothing, as under nohup(1).
    Ignored,
    /// A function of the program runs.
    Handled,
}

/// What a signal does now.
#[allow(unsafe_code)]
pub(crate) fn disposition(signal: i32) -> Disposition {
    // SAFETY: all zeros is a value of the structure, a null pointer changes no handler (man 2 sigaction), and the other pointer is that of a
    // local variable.
    let handler = unsafe {
        let mut now: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, std::ptr::null(), &raw mut now);
        now.sa_sigaction
    };
    match handler {
        libc::SIG_DFL => Disposition::Default,
        libc::SIG_IGN => Disposition::Ignored,
        _ => Disposition::Handled,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_raises_the_flag_while_the_guard_lives() {
        // A first handler stays registered, so that the signal never ends the tests.
        let always = Interrupt::new();
        let _keep = always.on_signals().expect("handlers can be registered");
        let flag = Interrupt::new();
        let guard = flag.on_signals().expect("handlers can be registered");
        signal_hook::low_level::raise(SIGINT).expect("the signal is known");
        assert!(flag.clone().is_raised() && always.is_raised());
        flag.clear();
        drop(guard);
        signal_hook::low_level::raise(SIGINT).expect("the signal is known");
        assert!(!flag.is_raised());
    }

    #[test]
    fn signals_that_the_program_does_not_handle_are_left_alone() {
        // Ignored under nohup.
        let before = disposition(SIGHUP);
        let _guard = Interrupt::new()
            .on_signals()
            .expect("handlers can be registered");
        assert_eq!(disposition(SIGHUP), before);
        assert_eq!(disposition(SIGINT), Disposition::Handled);
        // Of a program that handles it, as Python's command does.
        let program = Interrupt::new();
        let id = signal_hook::flag::register(SIGTERM, Arc::clone(&program.0));
        let flag = Interrupt::new();
        let _guard = flag.on_signals().expect("handlers can be registered");
        signal_hook::low_level::raise(SIGTERM).expect("the signal is known");
        assert!(flag.is_raised() && program.is_raised());
        signal_hook::low_level::unregister(id.expect("handlers can be registered"));
    }
}
