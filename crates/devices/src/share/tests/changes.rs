//! What a client changes.

use super::*;

const WRITE: u32 = 1;
const BOTH: u32 = 2;
const TRUNCATE: u32 = 0o1000;
const APPEND: u32 = 0o2000;

fn create(client: &mut Client, fid: u32, folder: &str, name: &str) -> Result<(), u32> {
    client.walk(fid, folder)?;
    client
        .ask(14, |m| {
            m.word(fid)
                .string(name.as_bytes())
                .word(BOTH)
                .word(0o100_640)
                .word(5)
        })
        .map(drop)
}

fn rename(client: &mut Client, old: (&str, &str), new: (&str, &str)) -> Result<(), u32> {
    client.walk(800, old.0)?;
    client.walk(801, new.0)?;
    let renamed = client.ask(74, |m| {
        m.word(800)
            .string(old.1.as_bytes())
            .word(801)
            .string(new.1.as_bytes())
    });
    client.clunk(800)?;
    client.clunk(801)?;
    renamed.map(drop)
}

fn unlink(client: &mut Client, folder: &str, name: &str, flags: u32) -> Result<(), u32> {
    client.walk(802, folder)?;
    let removed = client.ask(76, |m| m.word(802).string(name.as_bytes()).word(flags));
    client.clunk(802)?;
    removed.map(drop)
}

fn make_folder(client: &mut Client, folder: &str, name: &str) -> Result<(), u32> {
    client.walk(803, folder)?;
    let made = client.ask(72, |m| {
        m.word(803).string(name.as_bytes()).word(0o755).word(0)
    });
    client.clunk(803)?;
    made.map(drop)
}

#[test]
fn files_are_written_truncated_and_appended_to() {
    let mut client = Client::new(true);
    client.open(1, "file", BOTH).expect("it may be written");
    assert_eq!(client.write(1, 3, b"p me"), Ok(4));
    assert_eq!(client.content("file"), Ok(b"help me".to_vec()));
    assert_eq!(client.write(1, 9, b"!"), Ok(1));
    assert_eq!(client.content("file"), Ok(b"help me\0\0!".to_vec()));
    client
        .open(2, "file", WRITE | APPEND)
        .expect("it may be written");
    assert_eq!(client.write(2, 0, b"?"), Ok(1), "at the end in any case");
    assert_eq!(client.content("file"), Ok(b"help me\0\0!?".to_vec()));
    assert_eq!(client.read(2, 0, 1), Err(9), "opened for writing");
    client
        .open(3, "file", WRITE | TRUNCATE)
        .expect("it may be written");
    assert_eq!(client.content("file"), Ok(vec![]));
    assert_eq!(client.server.tree().expect("one").bytes(), 10 + 9 + 16);
}

#[test]
fn new_files_and_folders_have_what_the_guest_gives_them() {
    let mut client = Client::new(true);
    create(&mut client, 1, "inner", "new").expect("the name is free");
    assert_eq!(client.write(1, 0, b"text"), Ok(4));
    assert_eq!(client.attributes(1), Ok((0o100_640, 1, 4)));
    assert_eq!(client.content("inner/new"), Ok(b"text".to_vec()));
    assert_eq!(create(&mut client, 2, "inner", "new"), Err(17));
    make_folder(&mut client, "inner", "more").expect("the name is free");
    create(&mut client, 3, "inner/more", "x").expect("the name is free");
    client.open(4, "inner", 0).expect("a folder");
    assert_eq!(client.names(4, 8192), [".", "..", "deep", "new", "more"]);
    let link = client.ask(16, |m| m.word(MOUNT).string(b"l").string(b"/etc").word(0));
    assert!(link.is_ok(), "the guest may make links for itself");
    let entries = client.server.tree().expect("one").walk();
    assert!(entries.len() == 6 + 4);
}

#[test]
fn paths_are_as_long_as_linux_takes_them() {
    let mut client = Client::new(true);
    // A walk takes 16 names at most.
    let name = "n".repeat(240);
    let mut folder = String::new();
    for _ in 0..16 {
        make_folder(&mut client, &folder, &name).expect("it is short enough");
        folder = format!("{folder}/{name}");
    }
    let exact = &"m".repeat(PATH_BYTES_MAX - 16 * 241);
    assert_eq!(
        make_folder(&mut client, &folder, &format!("{exact}m")),
        Err(36)
    );
    make_folder(&mut client, &folder, exact).expect("it is short enough");
    make_folder(&mut client, "", "above").expect("it is short enough");
    assert_eq!(
        rename(&mut client, ("", &name), ("above", "a")),
        Ok(()),
        "shorter"
    );
    let long = "l".repeat(255);
    assert_eq!(
        rename(&mut client, ("above", "a"), ("above", &long)),
        Err(36)
    );
    let deep = client.server.tree().expect("one");
    let mut longest = 0;
    deep.visit(&mut |number, path| {
        assert_eq!(deep.path(number).as_deref(), Some(path));
        assert_eq!(deep.at(path), Some(number));
        longest = longest.max(path.len());
    });
    assert!(longest > 3800 && longest <= PATH_BYTES_MAX);
}

#[test]
fn files_that_are_open_for_writing_are_known() {
    let mut client = Client::new(true);
    client.open(1, "file", 0).expect("it is there");
    assert!(client.server.open_for_writing().is_empty());
    client.open(2, "file", BOTH).expect("it may be written");
    create(&mut client, 3, "inner", "new").expect("the name is free");
    let tree = client.server.tree().expect("one");
    let numbers = ["file", "inner/new"].map(|path| tree.at(path.as_bytes()).expect("there"));
    assert_eq!(client.server.open_for_writing(), numbers.into());
    client
        .clunk(2)
        .and_then(|()| client.clunk(3))
        .expect("they are open");
    assert!(client.server.open_for_writing().is_empty());
}

#[test]
fn attributes_are_set() {
    let mut client = Client::new(true);
    client.walk(1, "file").expect("it is there");
    let mut set = |valid: u32, mode: u32, size: u64| {
        client.ask(26, |m| {
            m.word(1)
                .word(valid)
                .word(mode)
                .word(12)
                .word(13)
                .long(size);
            m.long(100).long(1).long(200).long(2)
        })
    };
    set(0x1b7, 0o600, 0).expect("it may be written");
    set(0x08, 0, 2).expect("it may be written");
    set(0x08, 0, 4).expect("it may be written");
    assert_eq!(set(0x08, 0, SHARE_BYTES_MAX + 1), Err(28));
    assert_eq!(client.attributes(1), Ok((0o100_600, 1, 4)));
    assert_eq!(client.content("file"), Ok(b"he\0\0".to_vec()));
    let tree = client.server.tree().expect("one");
    let number = tree.find(ROOT, b"file").expect("it is there");
    let entry = tree.entry(number).expect("it is there");
    assert_eq!((entry.user, entry.group), (12, 13));
    assert_eq!(entry.accessed.seconds, 100);
    assert_eq!(entry.modified, NOW, "the last change of size");
    assert!(entry.touched && !entry.executable());
}

#[test]
fn names_move_and_replace_others() {
    let mut client = Client::new(true);
    let client = &mut client;
    rename(client, ("", "file"), ("inner", "moved")).expect("the name is free");
    assert_eq!(client.content("inner/moved"), Ok(b"hello".to_vec()));
    assert_eq!(client.walk(1, "file"), Err(2));
    rename(client, ("inner", "deep"), ("inner", "moved")).expect("files replace files");
    assert_eq!(client.content("inner/moved"), Ok(b"down here".to_vec()));
    assert_eq!(rename(client, ("", "inner"), ("", "inner")), Ok(()));
    assert_eq!(rename(client, ("", "inner"), ("inner", "x")), Err(22));
    assert_eq!(rename(client, ("", "run"), ("", "inner")), Err(21));
    assert_eq!(rename(client, ("", "inner"), ("", "run")), Err(20));
    make_folder(client, "", "empty").expect("the name is free");
    assert_eq!(rename(client, ("", "empty"), ("", "inner")), Err(39));
    rename(client, ("", "inner"), ("", "empty")).expect("an empty folder is replaced");
    assert_eq!(client.content("empty/moved"), Ok(b"down here".to_vec()));
    client.walk(2, "run").expect("it is there");
    let moved = client.ask(20, |m| m.word(2).word(MOUNT).string(b"go"));
    assert_eq!(moved, Ok(vec![]));
    assert_eq!(
        client.ask(20, |m| m.word(MOUNT).word(MOUNT).string(b"x")),
        Err(16)
    );
    let gone = client.server.tree().expect("one").gone();
    let gone: Vec<&[u8]> = gone.iter().map(Vec::as_slice).collect();
    let paths: [&[u8]; 4] = [b"file", b"inner", b"inner/deep", b"run"];
    assert_eq!(gone, paths);
}

#[test]
fn what_is_removed_lives_while_it_is_open() {
    let mut client = Client::new(true);
    client.open(1, "file", BOTH).expect("it may be written");
    unlink(&mut client, "", "file", 0).expect("it is there");
    assert_eq!(client.walk(2, "file"), Err(2));
    assert_eq!(client.read(1, 0, 5), Ok(b"hello".to_vec()));
    assert_eq!(client.attributes(1), Ok((0o100_644, 0, 5)));
    client.clunk(1).expect("it is open");
    assert_eq!(client.server.tree().expect("one").bytes(), 9 + 16 + 10);

    assert_eq!(unlink(&mut client, "", "inner", 0), Err(21));
    assert_eq!(unlink(&mut client, "", "inner", 0x200), Err(39));
    assert_eq!(unlink(&mut client, "inner", "deep", 0x200), Err(20));
    unlink(&mut client, "inner", "deep", 0).expect("it is there");
    client.walk(3, "inner").expect("it is there");
    unlink(&mut client, "", "inner", 0x200).expect("it is empty");
    let made = client.ask(72, |m| m.word(3).string(b"x").word(0o755).word(0));
    assert_eq!(made, Err(2), "nothing is made in a folder without a place");
    assert_eq!(client.ask(122, |m| m.word(3)), Err(2));
    assert_eq!(
        client.clunk(3),
        Err(9),
        "remove ends the handle in any case"
    );
    assert_eq!(client.ask(122, |m| m.word(MOUNT)), Err(16));
}

#[test]
fn a_list_goes_on_while_names_are_removed() {
    let mut client = Client::new(true);
    for number in 0..40 {
        create(&mut client, 100 + number, "inner", &format!("f{number}")).expect("free");
    }
    client.open(1, "inner", 0).expect("a folder");
    let first = client
        .ask(40, |m| m.word(1).long(0).word(300))
        .expect("a folder");
    let mut f = Reader(&first[4..]);
    let (mut seen, mut offset) = (vec![], 0);
    while !f.0.is_empty() {
        f.bytes(13).expect("an identity");
        offset = f.long().expect("a place");
        f.byte().expect("a kind");
        seen.push(f.string().expect("a name").to_vec());
    }
    for name in seen.iter().skip(2) {
        let name = std::str::from_utf8(name).expect("text");
        unlink(&mut client, "inner", name, 0).expect("it is there");
    }
    let rest = client
        .ask(40, |m| m.word(1).long(offset).word(60_000))
        .expect("a folder");
    let text = String::from_utf8_lossy(&rest).into_owned();
    let last = seen.len() - 3;
    assert!(!text.contains(&format!("f{}\0", last - 1)));
    assert!(text.contains(&format!("f{last}")) && text.ends_with("f39"));
}

#[test]
fn a_read_only_share_is_not_changed() {
    let mut client = Client::new(false);
    let before = client.server.tree().cloned();
    assert_eq!(client.open(1, "file", BOTH), Err(30));
    client.clunk(1).expect("the walk was good");
    assert_eq!(create(&mut client, 1, "", "new"), Err(30));
    let mut c = client;
    assert_eq!(make_folder(&mut c, "", "new"), Err(30));
    assert_eq!(unlink(&mut c, "", "file", 0), Err(30));
    assert_eq!(rename(&mut c, ("", "file"), ("", "x")), Err(30));
    let set = c.ask(26, |m| m.word(MOUNT).bytes(&[0xff; 56]));
    assert_eq!(set, Err(30));
    let link = c.ask(16, |m| m.word(MOUNT).string(b"l").string(b"t").word(0));
    assert_eq!(link, Err(30));
    assert_eq!(c.ask(122, |m| m.word(1)), Err(30));
    assert_eq!(c.server.tree().cloned(), before);
}
