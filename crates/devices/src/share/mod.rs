//! A folder of the host in the guest: the folder in memory, and the 9P2000.L server that gives it to the guest.

mod attributes;
mod check;
mod errors;
mod files;
mod names;
mod server;
#[cfg(test)]
mod tests;
mod tree;
mod wire;

pub use errors::Errno;
pub(crate) use server::RLERROR;
pub use server::{MESSAGE_BYTES_MAX, Server};
pub use tree::{
    Content, Entry, LINK_BYTES_MAX, NAME_BYTES_MAX, Number, PATH_BYTES_MAX, ROOT, SHARE_BYTES_MAX,
    SHARE_ENTRIES_MAX, Stamp, Tree,
};
