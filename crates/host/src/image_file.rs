//! Reading an image from a file.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use crate::HostError;

/// Largest image file: far above any board's memory.
const LIMIT_BYTES: u64 = 1 << 30;

/// All bytes of the file at `path`.
pub fn read_image(path: &Path) -> Result<Vec<u8>, HostError> {
    let failed = |source| HostError::file(path, "read the image", source);
    let file = fs::File::open(path).map_err(failed)?;
    if file.metadata().map_err(failed)?.is_dir() {
        return Err(failed(io::ErrorKind::IsADirectory.into()));
    }
    let mut bytes = Vec::new();
    file.take(LIMIT_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    if bytes.len() as u64 > LIMIT_BYTES {
        return Err(failed(io::Error::other(
            "larger than 1 GiB, no board holds it: name the ELF file of the guest",
        )));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_the_file_and_the_remedy() {
        let text = |path: &str| {
            read_image(Path::new(path))
                .expect_err("it cannot be read")
                .to_string()
        };
        let missing = text("/no/such/guest.elf");
        assert!(
            missing.starts_with("/no/such/guest.elf: cannot read the image"),
            "{missing}"
        );
        assert!(missing.ends_with("check the path"), "{missing}");
        assert!(text("/tmp").ends_with("name a file"));
    }

    #[test]
    fn a_file_is_read_whole() {
        let file = tempfile::NamedTempFile::new().expect("there is room");
        fs::write(file.path(), [1, 2, 3]).expect("there is room");
        assert_eq!(read_image(file.path()).expect("it is there"), [1, 2, 3]);
    }
}
