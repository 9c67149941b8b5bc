//! Why a checkpoint cannot be read.

use super::container::VERSION;
use socscope_machine::{PlatformError, RestoreError};
use socscope_probe::ProfileStateError;
use thiserror::Error;

/// A checkpoint that cannot be read or taken; nothing was changed. The message says which part of it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CheckpointError {
    /// Another kind of file.
    #[error("not a checkpoint: the file does not begin like one")]
    NotACheckpoint,
    /// A format that is not known here.
    #[error(
        "the checkpoint has format {found}, this version of Socscope reads format {VERSION}: make it again, or use the version that made it"
    )]
    Version {
        /// Version of the file.
        found: u32,
    },
    /// The file ends early.
    #[error(
        "the checkpoint is cut off in its {section}: {missing} bytes are missing; copy it again"
    )]
    Truncated {
        /// Where.
        section: String,
        /// How much is missing, as far as that can be said.
        missing: u64,
    },
    /// Something behind the end.
    #[error("the checkpoint has {bytes} bytes behind its end; copy it again")]
    Trailing {
        /// How many.
        bytes: u64,
    },
    /// A checksum that does not match.
    #[error("the checkpoint's {section} is damaged: its checksum does not match; copy it again")]
    Damaged {
        /// Which part.
        section: String,
    },
    /// A part that cannot be read.
    #[error("the checkpoint's {section}: {reason}")]
    Section {
        /// Which part.
        section: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A part that says it is longer than any can be: it is not unpacked.
    #[error(
        "the checkpoint's {section} would be {bytes} bytes long, it can be {bytes_max} at most: the file was not made by Socscope, or is damaged; make it again"
    )]
    TooLarge {
        /// Which part.
        section: String,
        /// What it says.
        bytes: u64,
        /// What it can be.
        bytes_max: u64,
    },
    /// The device tree in it gives no machine.
    #[error("the checkpoint's platform: {0}")]
    Platform(#[from] PlatformError),
    /// The machine does not take its state.
    #[error("the checkpoint does not fit machine {machine}: {reason}")]
    State {
        /// Which one, from 0.
        machine: usize,
        /// What is wrong with it.
        reason: RestoreError,
    },
    /// The profile does not take its state.
    #[error("the checkpoint's profile of machine {machine}: {reason}")]
    Profile {
        /// Which machine's, from 0.
        machine: usize,
        /// What is wrong with it.
        reason: ProfileStateError,
    },
    /// A fact that is not that of the state: the state's hash does not cover it.
    #[error(
        "machine {machine} was saved at {saved}, its facts say {said}: the checkpoint is damaged; make it again"
    )]
    Moment {
        /// Which one, from 0.
        machine: usize,
        /// What the state says.
        saved: String,
        /// What the facts say.
        said: String,
    },
    /// A machine was restored and is not the one that was saved.
    #[error(
        "machine {machine} is not in the state that was saved, in this version of Socscope; use the version that made the checkpoint"
    )]
    StateHash {
        /// Which one, from 0.
        machine: usize,
    },
}
