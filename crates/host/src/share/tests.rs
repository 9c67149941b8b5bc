//! Folders of the host, taken and written back.

use super::*;
use socscope_devices::share::{Server, Stamp, Tree};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use tempfile::TempDir;

/// A folder `shared` with files in it, beside a file that is none of the guest's.
pub(super) fn host() -> TempDir {
    let host = TempDir::new().expect("there is room");
    let shared = host.path().join("shared");
    fs::create_dir_all(shared.join("inner/deep")).expect("there is room");
    fs::write(host.path().join("secret"), "secret").expect("there is room");
    fs::write(shared.join("file"), "text").expect("there is room");
    fs::write(shared.join("inner/deep/run"), "#!").expect("there is room");
    let executable = fs::Permissions::from_mode(0o700);
    fs::set_permissions(shared.join("inner/deep/run"), executable).expect("it is ours");
    symlink("../secret", shared.join("out")).expect("there is room");
    host
}

pub(super) fn shared(host: &TempDir) -> std::path::PathBuf {
    host.path().join("shared")
}

/// A guest that sends requests: kind and fields.
pub(super) struct Guest(pub Server);

impl Guest {
    pub(in crate::share) fn new(tree: Tree) -> Guest {
        let mut guest = Guest(Server::default());
        guest.0.set_tree(Some(tree)).expect("nothing is mounted");
        guest.ask(100, &[&8192u32.to_le_bytes(), b"\x08\x009P2000.L"]);
        guest.ask(104, &[&[0; 4], &[0xff; 4], &[0; 8]]);
        guest
    }

    pub(in crate::share) fn ask(&mut self, kind: u8, fields: &[&[u8]]) {
        let body = fields.concat();
        let mut message = (7 + body.len() as u32).to_le_bytes().to_vec();
        message.extend([kind, 0, 0]);
        message.extend(body);
        let reply = self.0.answer(&message, Stamp::default()).expect("a reply");
        assert_eq!(reply[4], kind + 1, "error {:?}", reply.get(7..));
    }

    /// A handle 1 of a path.
    pub(in crate::share) fn walk(&mut self, path: &[&str]) {
        let mut fields = vec![0, 0, 0, 0, 1, 0, 0, 0];
        fields.extend((path.len() as u16).to_le_bytes());
        path.iter().for_each(|name| fields.extend(string(name)));
        self.ask(110, &[&fields]);
    }

    pub(in crate::share) fn clunk(&mut self) {
        self.ask(120, &[&[1, 0, 0, 0]]);
    }

    pub(in crate::share) fn write(&mut self, path: &[&str], text: &str) {
        self.walk(path);
        self.ask(12, &[&[1, 0, 0, 0, 1, 2, 0, 0]]);
        self.put(text);
    }

    pub(in crate::share) fn create(&mut self, folder: &[&str], name: &str, mode: u32, text: &str) {
        self.walk(folder);
        let mode = mode.to_le_bytes();
        self.ask(
            14,
            &[&[1, 0, 0, 0], &string(name), &[1, 0, 0, 0], &mode, &[0; 4]],
        );
        self.put(text);
    }

    /// A file in the root, whatever bytes its name has.
    pub(in crate::share) fn create_named(&mut self, name: &[u8], text: &str) {
        self.walk(&[]);
        let name = [&(name.len() as u16).to_le_bytes()[..], name].concat();
        self.ask(
            14,
            &[
                &[1, 0, 0, 0],
                &name,
                &[1, 0, 0, 0],
                &[0xa4, 1, 0, 0],
                &[0; 4],
            ],
        );
        self.put(text);
    }

    /// A file that stays open under a handle.
    pub(in crate::share) fn create_open(
        &mut self,
        folder: &[&str],
        name: &str,
        text: &str,
        handle: u8,
    ) {
        let mut fields = vec![0, 0, 0, 0, handle, 0, 0, 0];
        fields.extend((folder.len() as u16).to_le_bytes());
        folder.iter().for_each(|name| fields.extend(string(name)));
        self.ask(110, &[&fields]);
        let handle = [handle, 0, 0, 0];
        self.ask(
            14,
            &[
                &handle,
                &string(name),
                &[1, 0, 0, 0],
                &[0xa4, 1, 0, 0],
                &[0; 4],
            ],
        );
        let count = (text.len() as u32).to_le_bytes();
        self.ask(118, &[&handle, &[0; 8], &count, text.as_bytes()]);
    }

    /// Takes handle 1 one name further.
    pub(in crate::share) fn step(&mut self, name: &str) {
        self.ask(110, &[&[1, 0, 0, 0], &[1, 0, 0, 0], &[1, 0], &string(name)]);
    }

    pub(in crate::share) fn put(&mut self, text: &str) {
        let count = (text.len() as u32).to_le_bytes();
        self.ask(118, &[&[1, 0, 0, 0], &[0; 8], &count, text.as_bytes()]);
        self.clunk();
    }

    pub(in crate::share) fn unlink(&mut self, folder: &[&str], name: &str, is_folder: bool) {
        self.walk(folder);
        let flags = if is_folder { [0, 2, 0, 0] } else { [0; 4] };
        self.ask(76, &[&[1, 0, 0, 0], &string(name), &flags]);
        self.clunk();
    }

    pub(in crate::share) fn make_folder(&mut self, name: &str) {
        self.ask(72, &[&[0; 4], &string(name), &[0xed, 1, 0, 0], &[0; 4]]);
    }

    pub(in crate::share) fn rename(&mut self, old: &str, new: &str) {
        self.ask(74, &[&[0; 4], &string(old), &[0; 4], &string(new)]);
    }

    pub(in crate::share) fn link(&mut self, name: &str, target: &str) {
        self.ask(16, &[&[0; 4], &string(name), &string(target), &[0; 4]]);
    }

    pub(in crate::share) fn tree(&self) -> &Tree {
        self.0.tree().expect("one")
    }
}

/// Writes back what the guest has made, and what it has closed.
pub(super) fn write_back(guest: &Guest, folder: &Path) -> Result<WrittenBack, crate::HostError> {
    write_share(guest.tree(), &guest.0.open_for_writing(), folder)
}

pub(super) fn string(text: &str) -> Vec<u8> {
    [&(text.len() as u16).to_le_bytes()[..], text.as_bytes()].concat()
}

fn paths(tree: &Tree) -> Vec<String> {
    let paths = tree.walk().into_iter().filter_map(|it| tree.path(it));
    paths
        .map(|path| String::from_utf8(path).expect("text"))
        .collect()
}

#[test]
fn two_copies_of_a_folder_are_the_same() {
    let (one, other) = (host(), host());
    fs::set_permissions(
        shared(&other).join("file"),
        fs::Permissions::from_mode(0o640),
    )
    .expect("it is ours");
    let [one, other] = [one, other].map(|host| read_share(&shared(&host), false).expect("good"));
    assert_eq!(one.blake3, other.blake3);
    assert_eq!(one.tree, other.tree);
    assert_eq!((one.files, one.tree.bytes()), (2, 4 + 2 + 9));
    let expected = ["", "file", "inner", "inner/deep", "inner/deep/run", "out"];
    assert_eq!(paths(&one.tree), expected);
}

#[test]
fn sockets_and_pipes_are_left_out() {
    let host = host();
    let _listener = UnixListener::bind(shared(&host).join("socket")).expect("there is room");
    let taken = read_share(&shared(&host), false).expect("good");
    let expected = LeftOut::new(b"socket", "a socket is nothing to share");
    assert_eq!(taken.left_out, [expected]);
}

#[test]
fn folders_that_cannot_be_shared_are_named() {
    let host = host();
    let error = |path: &Path| read_share(path, false).expect_err("bad").to_string();
    assert!(error(&host.path().join("nothing")).contains("nothing: cannot open the folder"));
    let text = error(&host.path().join("secret"));
    assert!(
        text.ends_with("it is not a folder: share the folder that holds it"),
        "{text}"
    );
    let large = fs::File::create(shared(&host).join("large")).expect("there is room");
    large
        .set_len((256 << 20) + 1)
        .expect("a hole needs no room");
    let text = error(&shared(&host));
    assert!(
        text.contains("with large it is more than 256 MiB"),
        "{text}"
    );
}

#[test]
fn only_what_the_guest_has_changed_is_written_back() {
    let host = host();
    let at = shared(&host);
    let taken = read_share(&at, true).expect("good");
    let mut guest = Guest::new(taken.tree);
    assert_eq!(
        write_back(&guest, &at).expect("good"),
        WrittenBack::default()
    );
    fs::write(at.join("later"), "made on the host").expect("there is room");
    guest.write(&["file"], "new text");
    guest.create(&[], "made", 0o755, "by the guest");
    guest.unlink(&["inner", "deep"], "run", false);
    guest.unlink(&["inner"], "deep", true);
    guest.make_folder("folder");
    guest.create(&["folder"], "x", 0o644, "");
    guest.link("inside", "folder/x");
    let done = write_back(&guest, &at).expect("good");
    assert_eq!(
        done.written,
        ["file", "folder", "folder/x", "inside", "made"]
    );
    assert_eq!(done.removed, ["inner/deep/run", "inner/deep"]);
    assert_eq!(done.left_out, []);
    assert_eq!(
        fs::read_to_string(at.join("file")).expect("it is there"),
        "new text"
    );
    assert_eq!(
        fs::read_to_string(at.join("later")).expect("it is there"),
        "made on the host"
    );
    let made = fs::metadata(at.join("made")).expect("it is there");
    assert_eq!(made.permissions().mode() & 0o100, 0o100);
    assert!(!at.join("inner/deep").exists() && at.join("inner").exists());
    assert_eq!(
        fs::read_link(at.join("inside")).expect("a link"),
        Path::new("folder/x")
    );
    let again = write_back(&guest, &at).expect("good");
    assert_eq!(again, WrittenBack::default(), "nothing is left to do");
    let names = fs::read_dir(&at)
        .expect("a folder")
        .map(|it| it.expect("one").file_name());
    assert!(
        !names
            .into_iter()
            .any(|it| it.to_string_lossy().starts_with(".socscope"))
    );
}

#[test]
fn renamed_and_exchanged_names_are_written_back() {
    let host = host();
    let at = shared(&host);
    let mut guest = Guest::new(read_share(&at, true).expect("good").tree);
    guest.rename("inner", "outer");
    guest.rename("file", "inner");
    guest.make_folder("file");
    let done = write_back(&guest, &at).expect("good");
    assert_eq!(done.left_out, []);
    assert!(at.join("file").is_dir());
    assert_eq!(
        fs::read_to_string(at.join("inner")).expect("it is there"),
        "text"
    );
    assert_eq!(
        fs::read_to_string(at.join("outer/deep/run")).expect("it is there"),
        "#!"
    );
    let mode = |path: &str| {
        fs::metadata(at.join(path))
            .expect("there")
            .permissions()
            .mode()
    };
    assert_eq!(mode("outer/deep/run") & 0o100, 0o100);
}

#[test]
fn nothing_outside_is_written() {
    let host = host();
    let at = shared(&host);
    fs::hard_link(host.path().join("secret"), at.join("hard")).expect("there is room");
    fs::set_permissions(at.join("hard"), fs::Permissions::from_mode(0o600)).expect("it is ours");
    let mut guest = Guest::new(read_share(&at, true).expect("good").tree);
    guest.write(&["hard"], "changed");
    guest.write(&["inner", "deep", "run"], "changed");
    for (name, target) in [
        ("absolute", "/etc/passwd"),
        ("up", "../secret"),
        ("winding", "inner/../../secret"),
    ] {
        guest.link(name, target);
    }
    guest.unlink(&[], "out", false);
    guest.create(&[], "out", 0o644, "a file now");
    // While the guest ran, a folder became a link to outside.
    fs::rename(at.join("inner"), host.path().join("inner")).expect("it is ours");
    symlink(host.path().join("inner"), at.join("inner")).expect("there is room");
    let done = write_back(&guest, &at).expect("good");
    let left_out: Vec<_> = done.left_out.iter().map(|it| it.path.as_os_str()).collect();
    assert_eq!(left_out, ["absolute", "inner/deep/run", "up", "winding"]);
    let secret = host.path().join("secret");
    assert_eq!(fs::read_to_string(&secret).expect("it is there"), "secret");
    assert_eq!(
        fs::read_to_string(at.join("hard")).expect("it is there"),
        "changed"
    );
    assert_eq!(
        fs::read_to_string(at.join("out")).expect("it is there"),
        "a file now"
    );
    let mode = fs::metadata(at.join("hard"))
        .expect("there")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600, "who may read it stays the same");
    let outside = host.path().join("inner/deep/run");
    assert_eq!(fs::read_to_string(outside).expect("it is there"), "#!");
}

#[test]
fn what_the_host_has_put_in_the_way_stays() {
    let host = host();
    let at = shared(&host);
    let mut guest = Guest::new(read_share(&at, true).expect("good").tree);
    guest.unlink(&["inner", "deep"], "run", false);
    guest.unlink(&["inner"], "deep", true);
    guest.create(&[], "new", 0o644, "text");
    fs::write(at.join("inner/deep/late"), "late").expect("there is room");
    fs::create_dir_all(at.join("new/folder")).expect("there is room");
    let done = write_back(&guest, &at).expect("good");
    let left_out: Vec<_> = done.left_out.iter().map(|it| it.path.as_os_str()).collect();
    assert_eq!(left_out, ["inner/deep", "new"]);
    assert_eq!(done.removed, ["inner/deep/run"]);
    let error = write_back(&guest, &host.path().join("nothing"));
    assert!(
        error
            .expect_err("bad")
            .to_string()
            .contains("nothing: cannot open")
    );
}

#[test]
fn what_cannot_be_written_under_its_new_name_stays_under_the_old_one() {
    let host = host();
    let at = shared(&host);
    let mut guest = Guest::new(read_share(&at, true).expect("good").tree);
    guest.rename("file", "new");
    guest.unlink(&["inner", "deep"], "run", false);
    fs::create_dir_all(at.join("new/folder")).expect("there is room");
    let done = write_back(&guest, &at).expect("good");
    let left_out: Vec<_> = done.left_out.iter().map(|it| it.path.as_os_str()).collect();
    assert_eq!(left_out, ["new"]);
    assert_eq!(done.removed, ["inner/deep/run"]);
    assert_eq!(
        fs::read_to_string(at.join("file")).expect("it is there"),
        "text"
    );
}
