//! Error numbers of 9P2000.L: those of Linux, the same on every architecture.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Why a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
#[repr(u32)]
pub enum Errno {
    /// EPERM.
    #[error("not permitted")]
    NotPermitted = 1,
    /// ENOENT.
    #[error("no such entry")]
    NotFound = 2,
    /// EIO.
    #[error("malformed request")]
    Malformed = 5,
    /// EBADF.
    #[error("no such open file")]
    BadFile = 9,
    /// EBUSY.
    #[error("in use")]
    Busy = 16,
    /// EEXIST.
    #[error("exists already")]
    Exists = 17,
    /// ENOTDIR.
    #[error("not a folder")]
    NotFolder = 20,
    /// EISDIR.
    #[error("a folder")]
    IsFolder = 21,
    /// EINVAL.
    #[error("not a valid name or argument")]
    Invalid = 22,
    /// EFBIG.
    #[error("file too large")]
    TooLarge = 27,
    /// ENOSPC.
    #[error("the share is full")]
    NoSpace = 28,
    /// EROFS.
    #[error("the share is read-only")]
    ReadOnly = 30,
    /// ENAMETOOLONG.
    #[error("name too long")]
    NameTooLong = 36,
    /// ENOTEMPTY.
    #[error("folder not empty")]
    NotEmpty = 39,
    /// ELOOP.
    #[error("a symbolic link")]
    IsLink = 40,
    /// EPROTO.
    #[error("no session: version was not agreed")]
    NoSession = 71,
    /// EOPNOTSUPP.
    #[error("not supported")]
    NotSupported = 95,
    /// ESTALE.
    #[error("the entry is no more")]
    Stale = 116,
    /// ENOMEDIUM.
    #[error("no folder is shared")]
    NoFolder = 123,
}

impl Errno {
    /// The number on the wire.
    pub fn number(self) -> u32 {
        self as u32
    }
}
