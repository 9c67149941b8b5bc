//! What can go wrong outside.

use std::io;
use std::path::Path;

use thiserror::Error;

/// An error at the border to the host: it names the place, the rule and the remedy.
#[derive(Debug, Error)]
pub enum HostError {
    /// A file could not be read or written.
    #[error("{path}: cannot {action}: {}", reason(source))]
    File {
        /// Path of the file.
        path: String,
        /// What was tried.
        action: &'static str,
        /// The system's answer.
        source: io::Error,
    },
    /// A socket could not be opened or used.
    #[error("{address}: cannot {action}: {}", reason(source))]
    Socket {
        /// Address as the user wrote it.
        address: String,
        /// What was tried.
        action: &'static str,
        /// The system's answer.
        source: io::Error,
    },
    /// The terminal could not be read, written or set up.
    #[error("terminal: cannot {action}: {}", reason(source))]
    Terminal {
        /// What was tried.
        action: &'static str,
        /// The system's answer.
        source: io::Error,
    },
    /// The description of a serial link is not one.
    #[error("serial link '{text}': {rule}: {remedy}")]
    LinkText {
        /// Text as the user wrote it.
        text: String,
        /// What it breaks.
        rule: String,
        /// What to write.
        remedy: String,
    },
    /// A link to another machine is made by the machine, not by the host.
    #[error(
        "serial link 'machine:{machine}/{port}': this machine runs alone: name both machines in one session"
    )]
    MachineLink {
        /// Name of the other machine.
        machine: String,
        /// Its port.
        port: String,
    },
    /// A folder that cannot be shared with a guest.
    #[error("{folder}: cannot be shared: {rule}: {remedy}")]
    Share {
        /// Path of the folder.
        folder: String,
        /// The rule that it breaks.
        rule: String,
        /// What to do.
        remedy: &'static str,
    },
    /// The user ended a wait.
    #[error("{place}: interrupted while it waited for {what}")]
    Interrupted {
        /// Address of the link.
        place: String,
        /// What it waited for.
        what: &'static str,
    },
}

impl HostError {
    pub(crate) fn file(path: &Path, action: &'static str, source: io::Error) -> HostError {
        HostError::File {
            path: path.display().to_string(),
            action,
            source,
        }
    }
}

/// The system's answer with what to do about it, where that is known.
fn reason(source: &io::Error) -> String {
    let remedy = match source.kind() {
        io::ErrorKind::NotFound => "check the path",
        io::ErrorKind::PermissionDenied => "check the permissions, ports below 1024 belong to root",
        io::ErrorKind::AddrInUse => {
            "another program listens there: end it, choose another port, or 0 for any free one"
        }
        io::ErrorKind::AddrNotAvailable => "this host has no such address",
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "make room or write to another disk"
        }
        io::ErrorKind::IsADirectory => "name a file",
        _ => return source.to_string(),
    };
    format!("{source}: {remedy}")
}
