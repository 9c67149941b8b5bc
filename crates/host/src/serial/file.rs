//! Files as the other end: one takes what the guest sends, one is sent to it.

use std::fs::{self, File};
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::{PeerState, SerialBackend};
use crate::HostError;

/// Output goes to a temporary file beside `path`, which takes its name when the link is closed: a run that dies leaves the
/// old file alone. Devices and named pipes are written directly.
#[derive(Debug)]
enum Output {
    None,
    Whole(BufWriter<NamedTempFile>),
    Direct(BufWriter<File>),
}

/// Files as the other end of a line.
#[derive(Debug)]
pub struct FileLink {
    output: Output,
    output_path: PathBuf,
    input: Option<BufReader<File>>,
    input_path: PathBuf,
}

impl FileLink {
    /// Opens both files, as far as they are named.
    pub fn open(output: Option<&Path>, input: Option<&Path>) -> Result<FileLink, HostError> {
        let mut link = FileLink {
            output: Output::None,
            output_path: output.unwrap_or(Path::new("")).to_owned(),
            input: None,
            input_path: input.unwrap_or(Path::new("")).to_owned(),
        };
        if let Some(path) = input {
            let file = File::open(path)
                .map_err(|source| HostError::file(path, "read the serial input", source))?;
            link.input = Some(BufReader::new(file));
        }
        if let Some(path) = output {
            link.output = create(path)
                .map_err(|source| HostError::file(path, "write the serial output", source))?;
        }
        Ok(link)
    }

    fn failed(&self, source: std::io::Error) -> HostError {
        HostError::file(&self.output_path, "write the serial output", source)
    }
}

fn create(path: &Path) -> std::io::Result<Output> {
    match fs::metadata(path) {
        Ok(there) if there.is_dir() => Err(std::io::ErrorKind::IsADirectory.into()),
        Ok(there) if !there.is_file() => Ok(Output::Direct(BufWriter::new(
            File::options().write(true).open(path)?,
        ))),
        _ => {
            let folder = match path.parent() {
                Some(folder) if !folder.as_os_str().is_empty() => folder,
                _ => Path::new("."),
            };
            let file = tempfile::Builder::new()
                .prefix(".serial-")
                .permissions(mode())
                .tempfile_in(folder)?;
            Ok(Output::Whole(BufWriter::new(file)))
        }
    }
}

/// Temporary files are private by default; output files are as the user's umask says.
fn mode() -> fs::Permissions {
    std::os::unix::fs::PermissionsExt::from_mode(0o666)
}

impl SerialBackend for FileLink {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, HostError> {
        let Some(input) = &mut self.input else {
            return Ok(0);
        };
        let read = input.read(buffer);
        let count = read
            .map_err(|source| HostError::file(&self.input_path, "read the serial input", source))?;
        if count == 0 && !buffer.is_empty() {
            self.input = None;
        }
        Ok(count)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), HostError> {
        let written = match &mut self.output {
            Output::None => Ok(()),
            Output::Whole(file) => file.write_all(bytes),
            Output::Direct(file) => file.write_all(bytes).and_then(|()| file.flush()),
        };
        written.map_err(|source| self.failed(source))
    }

    fn state(&self) -> PeerState {
        if self.input.is_some() {
            PeerState::Present
        } else {
            PeerState::Ended
        }
    }

    fn address(&self) -> String {
        match &self.output {
            Output::None => format!("file:in={}", self.input_path.display()),
            _ => format!("file:{}", self.output_path.display()),
        }
    }

    fn close(&mut self) -> Result<(), HostError> {
        self.input = None;
        let closed = match std::mem::replace(&mut self.output, Output::None) {
            Output::None => Ok(()),
            Output::Direct(mut file) => file.flush(),
            Output::Whole(file) => file
                .into_inner()
                .map_err(|error| error.into_error())
                .and_then(|file| {
                    file.as_file().sync_all()?;
                    file.persist(&self.output_path)
                        .map_err(|error| error.error)?;
                    Ok(())
                }),
        };
        closed.map_err(|source| self.failed(source))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_appears_whole_at_the_end_and_input_is_read_once() {
        let folder = tempfile::tempdir().expect("there is room");
        let (output, input) = (folder.path().join("out"), folder.path().join("in"));
        fs::write(&input, b"hello").expect("there is room");
        fs::write(&output, b"old").expect("there is room");
        let mut link = FileLink::open(Some(&output), Some(&input)).expect("both can be opened");
        let mut buffer = [0; 4];
        assert_eq!(
            (link.read(&mut buffer).expect("there"), &buffer),
            (4, b"hell")
        );
        assert_eq!(link.state(), PeerState::Present);
        assert_eq!(link.read(&mut buffer).expect("there"), 1);
        assert_eq!(link.read(&mut buffer).expect("there"), 0);
        assert_eq!(link.state(), PeerState::Ended);
        link.write(b"new").expect("there is room");
        assert_eq!(fs::read(&output).expect("there"), b"old");
        link.close()
            .and_then(|()| link.close())
            .expect("there is room");
        assert_eq!(fs::read(&output).expect("there"), b"new");
    }

    #[test]
    fn a_run_that_dies_leaves_the_old_file_and_no_other() {
        let folder = tempfile::tempdir().expect("there is room");
        let output = folder.path().join("out");
        fs::write(&output, b"old").expect("there is room");
        let mut link = FileLink::open(Some(&output), None).expect("it can be opened");
        link.write(&[7; 100_000]).expect("there is room");
        drop(link);
        assert_eq!(fs::read(&output).expect("there"), b"old");
        assert_eq!(fs::read_dir(folder.path()).expect("there").count(), 1);
    }

    #[test]
    fn a_full_disk_a_folder_and_a_missing_input_are_reported() {
        let mut link =
            FileLink::open(Some(Path::new("/dev/full")), None).expect("it can be opened");
        let error = link.write(b"x").expect_err("no room").to_string();
        assert!(
            error.starts_with("/dev/full: cannot write the serial output"),
            "{error}"
        );
        assert!(
            error.ends_with("make room or write to another disk"),
            "{error}"
        );
        let error = FileLink::open(Some(Path::new("/tmp")), None)
            .expect_err("a folder")
            .to_string();
        assert!(error.ends_with("name a file"), "{error}");
        let missing = FileLink::open(None, Some(Path::new("/no/such")))
            .expect_err("missing")
            .to_string();
        assert!(
            missing.starts_with("/no/such: cannot read the serial input"),
            "{missing}"
        );
    }
}
