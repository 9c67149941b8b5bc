//! The encoding of 9P: little-endian integers, and strings behind their length.

use super::errors::Errno;
use super::tree::{Content, Entry, Number, Stamp};

/// Reads the fields of a message.
pub(super) struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    /// So many bytes.
    pub fn bytes(&mut self, count: usize) -> Result<&'a [u8], Errno> {
        let (bytes, rest) = self.0.split_at_checked(count).ok_or(Errno::Malformed)?;
        self.0 = rest;
        Ok(bytes)
    }

    fn array<const COUNT: usize>(&mut self) -> Result<[u8; COUNT], Errno> {
        self.bytes(COUNT)?.try_into().map_err(|_| Errno::Malformed)
    }

    pub fn byte(&mut self) -> Result<u8, Errno> {
        Ok(self.array::<1>()?[0])
    }

    pub fn half(&mut self) -> Result<u16, Errno> {
        self.array().map(u16::from_le_bytes)
    }

    pub fn word(&mut self) -> Result<u32, Errno> {
        self.array().map(u32::from_le_bytes)
    }

    pub fn long(&mut self) -> Result<u64, Errno> {
        self.array().map(u64::from_le_bytes)
    }

    /// A string, which need not be text.
    pub fn string(&mut self) -> Result<&'a [u8], Errno> {
        let length = self.half()?;
        self.bytes(length.into())
    }

    /// Seconds and nanoseconds.
    pub fn stamp(&mut self) -> Result<Stamp, Errno> {
        Ok(Stamp {
            seconds: self.long()?,
            nanoseconds: self.long()?,
        })
    }
}

/// Writes the fields of a reply.
#[derive(Default)]
pub(super) struct Writer(pub Vec<u8>);

impl Writer {
    pub fn bytes(&mut self, bytes: &[u8]) -> &mut Writer {
        self.0.extend(bytes);
        self
    }

    pub fn byte(&mut self, value: u8) -> &mut Writer {
        self.bytes(&[value])
    }

    pub fn half(&mut self, value: u16) -> &mut Writer {
        self.bytes(&value.to_le_bytes())
    }

    pub fn word(&mut self, value: u32) -> &mut Writer {
        self.bytes(&value.to_le_bytes())
    }

    pub fn long(&mut self, value: u64) -> &mut Writer {
        self.bytes(&value.to_le_bytes())
    }

    /// A string; those of this server are short enough for their length.
    pub fn string(&mut self, bytes: &[u8]) -> &mut Writer {
        self.half(bytes.len() as u16).bytes(bytes)
    }

    pub fn stamp(&mut self, stamp: Stamp) -> &mut Writer {
        self.long(stamp.seconds).long(stamp.nanoseconds)
    }

    /// What identifies an entry: its kind, version and number.
    pub fn identity(&mut self, number: Number, entry: &Entry) -> &mut Writer {
        let kind = match entry.content {
            Content::Folder(_) => 0x80,
            Content::Link(_) => 0x02,
            Content::File(_) => 0,
        };
        self.byte(kind).word(entry.version).long(number)
    }
}
