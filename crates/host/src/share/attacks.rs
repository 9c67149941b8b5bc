//! What a guest may try, and folders at the limits of a share.

use super::tests::{Guest, host, shared, write_back};
use super::*;
use socscope_devices::share::PATH_BYTES_MAX;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Time that a debug build on a loaded host may take for a full share; an algorithm of another order takes hours.
const FULL_SHARE_MAX: Duration = Duration::from_secs(120);
/// Entries besides the root and those of [`host`].
const ENTRIES: usize = 65_000;

fn guest(at: &Path) -> Guest {
    Guest::new(read_share(at, true).expect("good").tree)
}

fn left_out(done: &WrittenBack) -> Vec<&str> {
    let paths = done.left_out.iter();
    paths.map(|it| it.path.to_str().expect("text")).collect()
}

/// Where a link of the host leads after the host has followed all others.
fn leads_to(at: &Path, link: &str) -> Option<std::path::PathBuf> {
    fs::canonicalize(at.join(link)).ok()
}

#[test]
fn links_over_links_that_lead_out_are_not_made() {
    let host = host();
    let at = shared(&host);
    symlink("inner/deep", at.join("way")).expect("there is room");
    symlink("..", at.join("inner/up")).expect("there is room");
    symlink("../..", at.join("inner/deep/far")).expect("there is room");
    let mut guest = guest(&at);
    for (name, target) in [
        // Over a link of the host that leads out: `out` is `../secret`.
        ("through", "out"),
        ("within", "out/x"),
        // Chains of the guest's own, the end of which is the host's, whichever is made first.
        ("a1", "b1"),
        ("b1", "c1"),
        ("c1", "out"),
        ("z2", "y2"),
        ("y2", "inner/up/out"),
        // Relative ways that only together lead out: up, from where a link has led.
        ("top", "way/far/secret"),
        ("same", "inner/up/file"),
        ("folder", "way/run"),
        ("to_be", "nothing/there/yet"),
        // Loops lead nowhere.
        ("loop", "loop"),
        ("ping", "pong/x"),
        ("pong", "ping"),
    ] {
        guest.link(name, target);
    }
    let done = write_back(&guest, &at).expect("good");
    let expected = ["a1", "b1", "c1", "through", "within", "y2", "z2"];
    assert_eq!(left_out(&done), expected);
    assert!(
        done.left_out
            .iter()
            .all(|it| it.reason == "the link leads out of the folder")
    );
    assert_eq!(
        leads_to(&at, "same"),
        Some(fs::canonicalize(at.join("file")).expect("there"))
    );
    assert!(leads_to(&at, "folder").is_some());
    let inside = fs::canonicalize(&at).expect("there");
    for entry in fs::read_dir(&at).expect("a folder") {
        let name = entry.expect("one").file_name().into_string().expect("text");
        if name != "out" {
            assert!(
                leads_to(&at, &name).is_none_or(|end| end.starts_with(&inside)),
                "{name}"
            );
        }
    }
    assert!(at.join("loop").is_symlink() && at.join("ping").is_symlink());
}

#[test]
fn links_that_the_guest_has_removed_are_no_way_any_more() {
    let host = host();
    let at = shared(&host);
    let mut guest = guest(&at);
    guest.unlink(&[], "out", false);
    guest.link("through", "out");
    guest.create(&[], "out", 0o644, "a file now");
    let done = write_back(&guest, &at).expect("good");
    assert_eq!(left_out(&done), Vec::<&str>::new());
    assert_eq!(
        fs::read_to_string(at.join("through")).expect("there"),
        "a file now"
    );
}

#[test]
fn folders_that_became_links_during_the_run_are_followed_as_the_host_does() {
    let host = host();
    let at = shared(&host);
    let mut guest = guest(&at);
    guest.link("into", "inner/deep/run");
    guest.link("beside", "inner");
    guest.create(&["inner"], "new", 0o644, "text");
    fs::rename(at.join("inner"), host.path().join("inner")).expect("it is ours");
    symlink("../inner", at.join("inner")).expect("there is room");
    let done = write_back(&guest, &at).expect("good");
    assert_eq!(left_out(&done), ["beside", "inner/new", "into"]);
    assert!(!host.path().join("inner/new").exists());
}

#[test]
fn what_the_guest_holds_back_does_not_empty_the_hosts_files() {
    let host = host();
    let at = shared(&host);
    let mut guest = guest(&at);
    // The guest's kernel keeps a handle for what it has to write later.
    guest.walk(&["file"]);
    guest.ask(12, &[&[1, 0, 0, 0, 2, 2, 0, 0]]);
    guest.create_open(&[], "new", "", 2);
    guest.create_open(&[], "part", "begun", 3);
    guest.create_open(&[], "saved", "", 4);
    let done = write_back(&guest, &at).expect("good");
    assert_eq!(left_out(&done), ["file", "new", "saved"]);
    assert_eq!(done.written, ["part"]);
    assert_eq!(done.unfinished, ["part"]);
    assert_eq!(fs::read_to_string(at.join("file")).expect("there"), "text");
    assert!(!at.join("new").exists());
    // Now it has: what is closed is whole, empty or not.
    for handle in 1..=4 {
        guest.ask(120, &[&[handle, 0, 0, 0]]);
    }
    let done = write_back(&guest, &at).expect("good");
    assert_eq!(done.written, ["file", "new", "saved"]);
    assert_eq!((done.left_out, done.unfinished), (vec![], vec![]));
    assert_eq!(fs::read_to_string(at.join("file")).expect("there"), "");
}

#[test]
fn names_keep_their_bytes_and_messages_are_on_one_line() {
    let host = host();
    let at = shared(&host);
    let mut guest = guest(&at);
    let names: [&[u8]; 3] = [b"\x1b[31mred", b"caf\xe9", b"two\nlines"];
    for bytes in names {
        guest.create_named(bytes, "text");
    }
    let done = write_back(&guest, &at).expect("good");
    let written: Vec<&[u8]> = done.written.iter().map(|it| it.as_bytes()).collect();
    assert_eq!(written, names);
    let again = read_share(&at, false).expect("good");
    assert!(names.iter().all(|name| again.tree.at(name).is_some()));
    assert_eq!(
        folder::shown(b"\x1b[31m\n\xe9\xc3\xa9'"),
        "\\u{1b}[31m\\n\\xe9\u{e9}'"
    );
    fs::create_dir(at.join("x")).expect("there is room");
    fs::write(at.join("x").join("n\n\u{1b}c".repeat(30)), "").expect("there is room");
    let large = fs::File::create(at.join("x\n\u{1b}[2J")).expect("there is room");
    large
        .set_len((256 << 20) + 1)
        .expect("a hole needs no room");
    let error = read_share(&at, false).expect_err("too large").to_string();
    assert!(
        error.contains("with x\\n\\u{1b}[2J it is more than 256 MiB"),
        "{error}"
    );
}

/// Writes back a share of so many entries that a guest has made by `make`, and takes the folder again.
fn full(make: impl Fn(&mut Guest)) -> (TempDir, WrittenBack) {
    let host = host();
    let at = shared(&host);
    let mut guest = guest(&at);
    make(&mut guest);
    let start = Instant::now();
    let done = write_back(&guest, &at).expect("good");
    let took = start.elapsed();
    assert!(took < FULL_SHARE_MAX, "{took:?}");
    let again = read_share(&at, true).expect("good").tree;
    assert_eq!(again.count(), guest.tree().count());
    (host, done)
}

#[test]
fn a_full_share_in_one_folder_takes_seconds() {
    let (_host, done) = full(|guest| {
        // Names that a write-back would take for what is new.
        for number in 0..ENTRIES {
            guest.create(&[], &format!(".socscope-{number}"), 0o644, "x");
        }
    });
    assert_eq!(done.written.len(), ENTRIES);
}

#[test]
fn a_full_share_of_deep_folders_takes_seconds() {
    let depth = PATH_BYTES_MAX / 2 - 20;
    let (host, done) = full(|guest| {
        guest.make_folder("f");
        guest.walk(&["f"]);
        for number in 0..ENTRIES - 1 {
            // Down to the deepest, where files lie, each with a link that is followed over all folders.
            let name = if number < depth {
                "f".into()
            } else {
                format!("{number}")
            };
            if number < depth {
                guest.ask(
                    72,
                    &[
                        &[1, 0, 0, 0],
                        &super::tests::string(&name),
                        &[0xed, 1, 0, 0],
                        &[0; 4],
                    ],
                );
                guest.step("f");
            } else {
                let target = super::tests::string("../f/1");
                guest.ask(
                    16,
                    &[
                        &[1, 0, 0, 0],
                        &super::tests::string(&name),
                        &target,
                        &[0; 4],
                    ],
                );
            }
        }
    });
    assert_eq!(done.left_out, []);
    assert_eq!(done.written.len(), ENTRIES);
    // The library's own removal holds a descriptor for each level.
    let removed = std::process::Command::new("rm")
        .arg("-r")
        .arg(shared(&host))
        .status();
    assert!(removed.expect("rm").success());
}
