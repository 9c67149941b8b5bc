//! The terminal, on a pseudo terminal: raw while a program has it, as it was afterwards, whatever ends the program.

use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags, open};
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, tcgetattr};
use socscope_host::serial::Terminal;
use socscope_host::{Interrupt, SerialBackend};

/// A program on a pseudo terminal.
struct Seat {
    keyboard: File,
    line: File,
    child: Child,
}

impl Seat {
    /// Starts [`guest_that_echoes`] as a program of its own.
    fn new() -> Seat {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a pseudo terminal");
        grantpt(&master)
            .and_then(|()| unlockpt(&master))
            .expect("a pseudo terminal");
        let path = ptsname(&master, Vec::new()).expect("a pseudo terminal");
        let line = open(path, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).expect("its other end");
        let line = File::from(line);
        assert!(cooked(&line));
        let child = Command::new(std::env::current_exe().expect("this test"))
            .args(["--exact", "guest_that_echoes", "--ignored", "--nocapture"])
            .stdin(line.try_clone().expect("a descriptor"))
            .stdout(line.try_clone().expect("a descriptor"))
            .spawn()
            .expect("this test");
        let mut seat = Seat {
            keyboard: File::from(master),
            line,
            child,
        };
        seat.await_text("READY");
        assert!(!cooked(&seat.line), "every key goes to the guest");
        seat
    }

    /// Types `text`.
    fn keys(&mut self, text: &[u8]) {
        self.keyboard.write_all(text).expect("a pseudo terminal");
    }

    /// Reads the screen until `text` has appeared.
    fn await_text(&mut self, text: &str) {
        let mut screen = Vec::new();
        let mut byte = [0];
        while !String::from_utf8_lossy(&screen).contains(text) {
            self.keyboard
                .read_exact(&mut byte)
                .expect("a pseudo terminal");
            screen.push(byte[0]);
        }
    }

    fn await_cooked(&self) {
        let start = Instant::now();
        while !cooked(&self.line) {
            assert!(
                start.elapsed() < Duration::from_secs(10),
                "the terminal stays raw"
            );
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).expect("the child runs");
    }
}

fn cooked(line: &File) -> bool {
    let modes = tcgetattr(line).expect("a terminal").local_modes;
    modes.contains(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG)
}

/// Shows what it hears between brackets.
#[test]
#[ignore = "the program that the other tests start"]
fn guest_that_echoes() {
    let interrupt = Interrupt::new();
    let _guard = interrupt.on_signals().expect("handlers can be registered");
    let mut terminal = Terminal::open(&interrupt).expect("a terminal");
    terminal.write(b"READY").expect("a terminal");
    let mut buffer = [0; 64];
    while !interrupt.is_raised() {
        let count = terminal.read(&mut buffer).expect("a terminal");
        if count > 0 {
            terminal
                .write(format!("{:?}", &buffer[..count]).as_bytes())
                .expect("a terminal");
        }
        if count == 1 && buffer[0] == b'!' {
            panic!("the guest's simulator fails");
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn keys_go_to_the_guest_and_the_escape_key_leaves() {
    let mut seat = Seat::new();
    seat.keys(b"\x03");
    seat.await_text("[3]");
    seat.keys(b"\x01a");
    seat.await_text("[1]");
    seat.keys(b"\x01h");
    seat.await_text("Ctrl-A x  leave");
    seat.keys(b"\x01x");
    assert!(seat.child.wait().expect("it ends").success());
    seat.await_cooked();
}

#[test]
fn signals_and_failures_leave_the_terminal_as_it_was() {
    for signal in [Signal::TERM, Signal::HUP, Signal::QUIT] {
        let mut seat = Seat::new();
        seat.signal(signal);
        let status = seat.child.wait().expect("it ends");
        assert_eq!(status.signal(), Some(signal.as_raw()));
        seat.await_cooked();
    }
    let mut seat = Seat::new();
    seat.signal(Signal::INT);
    assert!(
        seat.child.wait().expect("it ends").success(),
        "an interrupt ends the run in order"
    );
    seat.await_cooked();
    let mut seat = Seat::new();
    seat.keys(b"!");
    assert!(!seat.child.wait().expect("it ends").success());
    seat.await_cooked();
}
