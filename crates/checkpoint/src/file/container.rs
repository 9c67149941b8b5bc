//! Named sections in one file, each compressed and with its checksum.

use super::error::CheckpointError;
use serde::{Deserialize, Serialize};
use std::io::Read;

/// The format that is written, and the only one that is read. It changes with the layout of any section.
pub const VERSION: u32 = 4;

const MAGIC: [u8; 8] = *b"\x89SOCKPT\n";
const PREFIX_BYTES: usize = 16;
const TABLE_AT: usize = PREFIX_BYTES + blake3::OUT_LEN;
const COMPRESSION_LEVEL: i32 = 3;
/// Host memory that is reserved for a section before anything of it is known to be true.
const RESERVED_BYTES_MAX: u64 = 1 << 20;

/// One section in the table.
#[derive(Serialize, Deserialize)]
struct Entry {
    name: String,
    bytes: u64,
    stored_bytes: u64,
    hash: [u8; blake3::OUT_LEN],
}

/// Sections as a file.
pub(super) fn pack(sections: &[(String, Vec<u8>)]) -> Result<Vec<u8>, CheckpointError> {
    let refuse = |section: &str, reason: String| CheckpointError::Section {
        section: section.into(),
        reason,
    };
    let mut stored = vec![];
    let mut table = vec![];
    for (name, bytes) in sections {
        let compressed = zstd::bulk::compress(bytes, COMPRESSION_LEVEL)
            .map_err(|error| refuse(name, format!("cannot be compressed: {error}")))?;
        table.push(Entry {
            name: name.clone(),
            bytes: bytes.len() as u64,
            stored_bytes: compressed.len() as u64,
            hash: *blake3::hash(&compressed).as_bytes(),
        });
        stored.push(compressed);
    }
    assemble(&table, &stored)
}

/// A file of sections that are compressed.
fn assemble(table: &[Entry], stored: &[Vec<u8>]) -> Result<Vec<u8>, CheckpointError> {
    let table = postcard::to_allocvec(table).map_err(|error| CheckpointError::Section {
        section: "table of sections".into(),
        reason: error.to_string(),
    })?;
    let mut file = MAGIC.to_vec();
    file.extend(VERSION.to_le_bytes());
    file.extend((table.len() as u32).to_le_bytes());
    let hash = hash_of_table(&file, &table);
    file.extend(hash.as_bytes());
    file.extend(table);
    file.extend(stored.concat());
    Ok(file)
}

fn hash_of_table(prefix: &[u8], table: &[u8]) -> blake3::Hash {
    blake3::Hasher::new()
        .update(prefix)
        .update(table)
        .finalize()
}

/// The sections of a file, all checked.
#[derive(Debug)]
pub(super) struct Container(Vec<(String, u64, Vec<u8>)>);

impl Container {
    /// Reads a file and checks every byte of it.
    pub fn unpack(file: &[u8]) -> Result<Container, CheckpointError> {
        let begins = &file[..file.len().min(MAGIC.len())];
        if begins.is_empty() || !MAGIC.starts_with(begins) {
            return Err(CheckpointError::NotACheckpoint);
        }
        let head = cut(file, TABLE_AT as u64, "head")?.0;
        let number =
            |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        if number(8) != VERSION {
            return Err(CheckpointError::Version { found: number(8) });
        }
        let (table, mut rest) = cut(
            &file[TABLE_AT..],
            u64::from(number(12)),
            "table of sections",
        )?;
        let prefix = &head[..PREFIX_BYTES];
        if hash_of_table(prefix, table).as_bytes() != &head[PREFIX_BYTES..] {
            return Err(CheckpointError::Damaged {
                section: "table of sections".into(),
            });
        }
        let table: Vec<Entry> =
            postcard::from_bytes(table).map_err(|error| CheckpointError::Section {
                section: "table of sections".into(),
                reason: format!("cannot be read: {error}"),
            })?;
        let mut sections = vec![];
        for entry in table {
            let (stored, behind) = cut(rest, entry.stored_bytes, &entry.name)?;
            if blake3::hash(stored).as_bytes() != &entry.hash {
                return Err(CheckpointError::Damaged {
                    section: entry.name,
                });
            }
            sections.push((entry.name, entry.bytes, stored.to_vec()));
            rest = behind;
        }
        if !rest.is_empty() {
            return Err(CheckpointError::Trailing {
                bytes: rest.len() as u64,
            });
        }
        Ok(Container(sections))
    }

    /// Whether there is a section of a name.
    pub fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(known, _, _)| known == name)
    }

    /// A section's contents, of at most `bytes_max` bytes: what says that it is longer is not unpacked.
    pub fn section(&self, name: &str, bytes_max: u64) -> Result<Vec<u8>, CheckpointError> {
        let refuse = |reason: String| CheckpointError::Section {
            section: name.into(),
            reason,
        };
        let found = self.0.iter().find(|(known, _, _)| known == name);
        let (_, length, stored) = found.ok_or_else(|| refuse("is missing".into()))?;
        if *length > bytes_max {
            return Err(CheckpointError::TooLarge {
                section: name.into(),
                bytes: *length,
                bytes_max,
            });
        }
        let mut bytes = Vec::with_capacity((*length).min(RESERVED_BYTES_MAX) as usize);
        zstd::stream::read::Decoder::new(stored.as_slice())
            .and_then(|decoder| {
                decoder
                    .take(length.saturating_add(1))
                    .read_to_end(&mut bytes)
            })
            .map_err(|error| refuse(format!("cannot be decompressed: {error}")))?;
        if bytes.len() as u64 != *length {
            return Err(refuse(format!(
                "is not the {length} bytes that it should be"
            )));
        }
        Ok(bytes)
    }

    /// Names, lengths and stored lengths of all sections.
    pub fn sizes(&self) -> impl Iterator<Item = (&str, u64, u64)> {
        let sections = self.0.iter();
        sections.map(|(name, length, stored)| (name.as_str(), *length, stored.len() as u64))
    }
}

/// The first bytes and the rest.
fn cut<'a>(
    bytes: &'a [u8],
    length: u64,
    section: &str,
) -> Result<(&'a [u8], &'a [u8]), CheckpointError> {
    let found = bytes.len() as u64;
    if found < length {
        return Err(CheckpointError::Truncated {
            section: section.into(),
            missing: length - found,
        });
    }
    Ok(bytes.split_at(length as usize))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sections() -> Vec<(String, Vec<u8>)> {
        vec![
            ("first".into(), vec![7; 100_000]),
            ("empty".into(), vec![]),
            ("last".into(), (0..=255).collect()),
        ]
    }

    #[test]
    fn sections_come_back() {
        let file = pack(&sections()).unwrap();
        assert!(file.len() < 1000, "{} bytes", file.len());
        let container = Container::unpack(&file).unwrap();
        for (name, bytes) in sections() {
            let length = bytes.len() as u64;
            assert_eq!(container.section(&name, length).unwrap(), bytes);
            if let Some(less) = length.checked_sub(1) {
                assert!(container.section(&name, less).is_err());
            }
        }
        assert!(container.has("empty") && !container.has("none"));
        assert_eq!(
            container.section("none", 1).unwrap_err().to_string(),
            "the checkpoint's none: is missing"
        );
    }

    #[test]
    fn what_is_wrong_with_a_file_is_said() {
        let file = pack(&sections()).unwrap();
        let error = |file: &[u8]| Container::unpack(file).unwrap_err().to_string();
        let not_one = "not a checkpoint: the file does not begin like one";
        assert_eq!(error(b""), not_one);
        assert_eq!(error(b"\x7fELF"), not_one);
        assert_eq!(
            error(&file[..20]),
            "the checkpoint is cut off in its head: 28 bytes are missing; copy it again"
        );
        assert_eq!(
            error(&file[..file.len() - 1]),
            "the checkpoint is cut off in its last: 1 bytes are missing; copy it again"
        );
        assert_eq!(
            error(&[&file[..], &[0, 0]].concat()),
            "the checkpoint has 2 bytes behind its end; copy it again"
        );
        let mut newer = file.clone();
        newer[8] = 9;
        assert_eq!(
            error(&newer),
            "the checkpoint has format 9, this version of Socscope reads format 4: make it again, or use the version that made it"
        );
        let mut damaged = file.clone();
        let last = damaged.len() - 1;
        damaged[last] ^= 1;
        assert_eq!(
            error(&damaged),
            "the checkpoint's last is damaged: its checksum does not match; copy it again"
        );
        let mut damaged = file;
        damaged[60] ^= 1;
        assert_eq!(
            error(&damaged),
            "the checkpoint's table of sections is damaged: its checksum does not match; copy it again"
        );
    }

    /// A file with one section that says it has `length` bytes, and unpacks to `bytes` of them.
    fn saying(length: u64, bytes: usize) -> Vec<u8> {
        let mut compressed = vec![];
        let mut encoder = zstd::stream::write::Encoder::new(&mut compressed, 3).unwrap();
        std::io::copy(&mut std::io::repeat(0).take(bytes as u64), &mut encoder).unwrap();
        encoder.finish().unwrap();
        let entry = Entry {
            name: "bomb".into(),
            bytes: length,
            stored_bytes: compressed.len() as u64,
            hash: *blake3::hash(&compressed).as_bytes(),
        };
        assemble(&[entry], &[compressed]).unwrap()
    }

    #[test]
    fn a_section_is_never_unpacked_beyond_what_it_may_be() {
        const GIGABYTE: u64 = 1 << 30;
        let error = |file: &[u8]| {
            let container = Container::unpack(file).unwrap();
            container.section("bomb", 1 << 20).unwrap_err().to_string()
        };
        let bomb = saying(GIGABYTE, GIGABYTE as usize);
        assert!(bomb.len() < 200_000, "{} bytes", bomb.len());
        assert_eq!(
            error(&bomb),
            "the checkpoint's bomb would be 1073741824 bytes long, it can be 1048576 at most: the file was not made by Socscope, or is damaged; make it again"
        );
        // One that says less than it is ends where it says.
        let not_true = "the checkpoint's bomb: is not the 1000 bytes that it should be";
        assert_eq!(error(&saying(1000, GIGABYTE as usize)), not_true);
        assert_eq!(error(&saying(1000, 999)), not_true);
    }

    proptest! {
        #[test]
        fn no_damage_passes_unseen(
            at in any::<prop::sample::Index>(), bit in 0u8..8, length in any::<prop::sample::Index>(),
        ) {
            let file = pack(&sections()).unwrap();
            let mut damaged = file.clone();
            damaged[at.index(file.len())] ^= 1 << bit;
            prop_assert!(Container::unpack(&damaged).is_err());
            prop_assert!(Container::unpack(&file[..length.index(file.len())]).is_err());
        }

        #[test]
        fn no_file_panics(tail in proptest::collection::vec(any::<u8>(), 0..200)) {
            let file = [&MAGIC[..], &VERSION.to_le_bytes(), &tail].concat();
            prop_assert!(Container::unpack(&file).is_err());
        }
    }
}
