//! What a thread waits for, by the system call that it is blocked in.

use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

use super::memory::Thread;

/// Where in a program a call was made: stack and program counter.
pub(super) type Site = (u64, u64);

/// What a thread does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Wait {
    /// Waits for input on the connection.
    Hears { limit: Option<Duration>, site: Site },
    /// Waits for something that another thread, a child or a user has to do.
    Waits {
        what: String,
        limit: Option<Duration>,
        site: Site,
    },
    /// Runs, sleeps for a time, or waits for a disk: it will go on by itself.
    Works(String),
    /// Waits, by what little the kernel tells about programs of other users.
    Guessed { hears: bool, what: String },
    /// The thread is gone.
    Gone,
}

/// Looks at one thread; `socket` is the link text of the connection's descriptor.
pub(super) fn look(thread: &Thread, socket: &Path) -> Wait {
    match thread.text("syscall") {
        Ok(text) => by_call(thread, socket, text.trim()),
        Err(error) if error.kind() == ErrorKind::PermissionDenied => by_channel(thread),
        // Without CONFIG_HAVE_ARCH_TRACEHOOK there is no such file, but the thread is.
        Err(_) if thread.text("stat").is_ok() => by_channel(thread),
        Err(_) => Wait::Gone,
    }
}

fn by_call(thread: &Thread, socket: &Path, text: &str) -> Wait {
    let mut words = text.split_whitespace();
    let number = words.next().and_then(|word| word.parse::<i64>().ok());
    let values: Vec<u64> = words
        .map_while(|word| u64::from_str_radix(word.trim_start_matches("0x"), 16).ok())
        .collect();
    let (Some(number), &[a, b, c, d, e, _, stack, counter]) = (number, values.as_slice()) else {
        return Wait::Works(if text.starts_with('r') {
            "runs".into()
        } else {
            "waits for memory or a signal".into()
        });
    };
    let site = (stack, counter);
    let of_descriptors = |descriptors: Option<Vec<u64>>, limit: Option<Duration>, name: &str| {
        let Some(descriptors) = descriptors else {
            return Wait::Works(format!("is in {name}, its memory unreadable"));
        };
        let mut links = descriptors.iter().filter_map(|&fd| thread.descriptor(fd));
        if links.any(|link| link == socket) {
            return Wait::Hears { limit, site };
        }
        if descriptors.is_empty() {
            return Wait::Works(format!("sleeps in {name}"));
        }
        let first = thread.descriptor(descriptors[0]).unwrap_or_default();
        Wait::Waits {
            what: format!("{name} on {}", first.display()),
            limit,
            site,
        }
    };
    let passive = |name: &str, limit| Wait::Waits {
        what: name.into(),
        limit,
        site,
    };
    let milliseconds = |value: u64| {
        u64::try_from(value as u32 as i32)
            .ok()
            .map(Duration::from_millis)
    };
    let pointed = |address: u64, unit| {
        (address != 0).then(|| thread.duration(address, unit).unwrap_or_default())
    };
    match number {
        libc::SYS_read | libc::SYS_readv | libc::SYS_recvfrom | libc::SYS_recvmsg => {
            of_descriptors(Some(vec![a]), None, "a read")
        }
        libc::SYS_recvmmsg => of_descriptors(Some(vec![a]), pointed(e, 1), "a read"),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_select => of_descriptors(thread.fd_set(b, a), pointed(e, 1000), "select"),
        libc::SYS_pselect6 => of_descriptors(thread.fd_set(b, a), pointed(e, 1), "select"),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_poll => of_descriptors(thread.poll_set(a, b), milliseconds(c), "poll"),
        libc::SYS_ppoll => of_descriptors(thread.poll_set(a, b), pointed(c, 1), "poll"),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_epoll_wait => of_descriptors(thread.epoll_set(a), milliseconds(d), "epoll"),
        libc::SYS_epoll_pwait => of_descriptors(thread.epoll_set(a), milliseconds(d), "epoll"),
        libc::SYS_epoll_pwait2 => of_descriptors(thread.epoll_set(a), pointed(d, 1), "epoll"),
        libc::SYS_futex => passive("a lock", futex_limit(thread, b, d)),
        libc::SYS_wait4 | libc::SYS_waitid => passive("a child", None),
        libc::SYS_accept | libc::SYS_accept4 => passive("a connection", None),
        libc::SYS_rt_sigsuspend => passive("a signal", None),
        libc::SYS_rt_sigtimedwait => passive("a signal", pointed(c, 1)),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_pause => passive("a signal", None),
        libc::SYS_nanosleep | libc::SYS_clock_nanosleep => Wait::Works("sleeps for a time".into()),
        other => Wait::Works(format!("is in system call {other}")),
    }
}

/// Time left of a futex wait (man 2 futex): relative, or absolute for the bit set form.
fn futex_limit(thread: &Thread, operation: u64, address: u64) -> Option<Duration> {
    if address == 0 {
        return None;
    }
    let limit = thread.duration(address, 1).unwrap_or_default();
    let absolute = operation as i32 & libc::FUTEX_CMD_MASK == libc::FUTEX_WAIT_BITSET;
    if !absolute {
        return Some(limit);
    }
    let realtime = operation as i32 & libc::FUTEX_CLOCK_REALTIME != 0;
    let now = clock_gettime(if realtime {
        ClockId::Realtime
    } else {
        ClockId::Monotonic
    });
    let now = Duration::new(
        u64::try_from(now.tv_sec).unwrap_or(0),
        u32::try_from(now.tv_nsec).unwrap_or(0),
    );
    Some(limit.saturating_sub(now))
}

/// Programs of other users show the kernel function that they sleep in, no arguments.
fn by_channel(thread: &Thread) -> Wait {
    let Ok(stat) = thread.text("stat") else {
        return Wait::Gone;
    };
    let state = stat
        .rsplit_once(") ")
        .and_then(|(_, rest)| rest.chars().next());
    guess(state, thread.text("wchan").unwrap_or_default().trim())
}

fn guess(state: Option<char>, channel: &str) -> Wait {
    let guessed = |hears, what: &str| Wait::Guessed {
        hears,
        what: what.into(),
    };
    match (state, channel) {
        (Some('S'), name) if name.contains("nanosleep") => Wait::Works("sleeps for a time".into()),
        (Some('S'), name) if name.contains("futex") => guessed(false, "a lock"),
        (Some('S'), name) if name.starts_with("do_wait") => guessed(false, "a child"),
        (Some('S'), "pipe_read" | "pipe_wait" | "anon_pipe_read" | "n_tty_read") => {
            guessed(false, "a read")
        }
        (Some('S'), name) if name.contains("sigsuspend") || name.contains("sigtimedwait") => {
            guessed(false, "a signal")
        }
        (Some('S'), _) => guessed(true, "input"),
        (Some('Z' | 'X'), _) => Wait::Gone,
        (Some('T' | 't'), _) => Wait::Works("is stopped".into()),
        (Some('D'), _) => Wait::Works("waits for a disk".into()),
        _ => Wait::Works("runs".into()),
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;
    use std::thread::sleep;
    use std::time::Instant;

    use super::*;

    #[test]
    fn programs_of_other_users_are_guessed_by_the_kernel_function() {
        let works = |state, name| matches!(guess(Some(state), name), Wait::Works(_));
        let hears = |name| guess(Some('S'), name);
        assert!(works('R', "0") && works('D', "folio_wait_bit") && works('T', "do_signal_stop"));
        assert!(works('S', "hrtimer_nanosleep"));
        assert!(matches!(
            hears("wait_woken"),
            Wait::Guessed { hears: true, .. }
        ));
        assert!(matches!(
            hears("do_select"),
            Wait::Guessed { hears: true, .. }
        ));
        assert!(matches!(
            hears("futex_wait_queue"),
            Wait::Guessed { hears: false, .. }
        ));
        assert!(matches!(
            hears("do_wait"),
            Wait::Guessed { hears: false, .. }
        ));
        assert_eq!(guess(Some('Z'), ""), Wait::Gone);
    }

    #[test]
    fn sleepers_and_readers_are_told_apart_without_their_calls() {
        let waits_as = |body: &str, fits: fn(&Wait) -> bool| {
            let mut child = Command::new("python3")
                .args(["-c", body])
                .spawn()
                .expect("python3 is installed");
            let thread = Thread {
                process: child.id(),
                thread: child.id(),
            };
            let start = Instant::now();
            let mut wait = by_channel(&thread);
            while !fits(&wait) && start.elapsed() < Duration::from_secs(10) {
                sleep(Duration::from_millis(5));
                wait = by_channel(&thread);
            }
            let _ = child.kill();
            let _ = child.wait();
            assert!(fits(&wait), "{body}: {wait:?}");
        };
        let hears = |wait: &Wait| matches!(wait, Wait::Guessed { hears: true, .. });
        waits_as(
            "import socket; a, b = socket.socketpair(); a.recv(1)",
            hears,
        );
        waits_as(
            "import os, select; select.select([os.pipe()[0]], [], [], 30)",
            hears,
        );
        waits_as("import time; time.sleep(30)", |wait| {
            *wait == Wait::Works("sleeps for a time".into())
        });
        waits_as("while True: pass", |wait| {
            *wait == Wait::Works("runs".into())
        });
    }

    #[test]
    fn malformed_call_lines_count_as_work() {
        let thread = Thread {
            process: std::process::id(),
            thread: std::process::id(),
        };
        for text in [
            "running",
            "",
            "-1 0x1 0x2",
            "0 0x3",
            "0 0xzz 1 2 3 4 5 6 7",
            "7 1",
        ] {
            assert!(
                matches!(
                    by_call(&thread, Path::new("socket:[1]"), text),
                    Wait::Works(_)
                ),
                "{text}"
            );
        }
    }
}
