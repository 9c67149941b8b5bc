//! What a client sees of a folder.

use super::*;

#[test]
fn a_version_is_agreed_on_before_anything_else() {
    let mut client = Client::new(false);
    client.server.reset();
    assert_eq!(client.walk(1, "file"), Err(71));
    let other = client.ask(100, |m| m.word(8192).string(b"9P2000.u"));
    assert_eq!(
        other,
        Ok([&8192u32.to_le_bytes()[..], b"\x07\0unknown"].concat())
    );
    let tiny = client.ask(100, |m| m.word(100).string(b"9P2000.L"));
    assert!(tiny.expect("an answer").ends_with(b"unknown"));
    let huge = client.ask(100, |m| m.word(u32::MAX).string(b"9P2000.L"));
    let huge = huge.expect("an answer");
    assert_eq!(huge[..4], MESSAGE_BYTES_MAX.to_le_bytes());
    assert_eq!(client.walk(1, "file"), Err(9), "the old handles are gone");
    let authentication = client.ask(102, |m| m.word(1).string(b"").string(b"").word(0));
    assert_eq!(authentication, Err(95));
}

#[test]
fn without_a_folder_there_is_nothing_to_attach() {
    let mut client = Client::new(false);
    client.clunk(MOUNT).expect("it is attached");
    client.server.set_tree(None).expect("nothing is mounted");
    let attached = client.ask(104, |m| {
        m.word(1).word(u32::MAX).string(b"").string(b"").word(0)
    });
    assert_eq!(attached, Err(123));
}

#[test]
fn a_mounted_folder_is_not_exchanged() {
    let mut client = Client::new(false);
    let error = client.server.set_tree(None).expect_err("it is mounted");
    assert!(error.contains("unmount"), "{error}");
    client.clunk(MOUNT).expect("it is attached");
    assert!(client.server.set_tree(Some(Tree::new(true))).is_ok());
}

#[test]
fn files_are_read_in_pieces() {
    let mut client = Client::new(false);
    client.open(1, "inner/deep", 0).expect("it is there");
    assert_eq!(client.read(1, 0, 4), Ok(b"down".to_vec()));
    assert_eq!(client.read(1, 5, 400), Ok(b"here".to_vec()));
    assert_eq!(client.read(1, 9, 1), Ok(vec![]));
    assert_eq!(client.read(1, u64::MAX, u32::MAX), Ok(vec![]));
    assert_eq!(client.write(1, 0, b"x"), Err(9), "opened for reading");
    assert_eq!(client.attributes(1), Ok((0o100_644, 1, 9)));
    client.walk(2, "run").expect("it is there");
    assert_eq!(client.attributes(2), Ok((0o100_755, 1, 10)));
    assert_eq!(client.read(2, 0, 4), Err(9), "not opened");
    client.walk(3, "").expect("the mount itself");
    assert_eq!(client.attributes(3), Ok((0o040_755, 2, 4)));
}

#[test]
fn walks_go_as_far_as_names_are_there() {
    let mut client = Client::new(false);
    assert_eq!(client.walk(1, "inner/deep"), Ok(2));
    assert_eq!(client.walk(1, "file"), Err(9), "the handle is in use");
    assert_eq!(client.walk(2, "inner/nothing"), Ok(1), "half of the way");
    assert_eq!(client.clunk(2), Err(9), "half a way gives no handle");
    assert_eq!(client.walk(2, "nothing"), Err(2));
    assert_eq!(client.walk(2, "file/x"), Ok(1));
    let again = client.ask(110, |m| m.word(1).word(1).half(1).string(b".."));
    assert!(again.is_ok(), "a handle may walk itself");
    client.ask(12, |m| m.word(1).word(0)).expect("a folder");
    assert_eq!(client.names(1, 8192), [".", "..", "deep"]);
    let many = client.ask(110, |m| m.word(MOUNT).word(3).half(17));
    assert_eq!(many, Err(22));
}

#[test]
fn folders_are_listed_in_pieces() {
    let mut client = Client::new(false);
    client.open(1, "", 0).expect("a folder");
    let all = [".", "..", "file", "inner", "link", "run"];
    assert_eq!(client.names(1, 8192), all);
    assert_eq!(client.names(1, 50), all, "two names at a time");
    client.open(2, "file", 0).expect("a file");
    let listed = client.ask(40, |m| m.word(2).long(0).word(100));
    assert_eq!(listed, Err(20));
    assert_eq!(client.read(1, 0, 10), Err(21));
}

#[test]
fn links_are_told_and_never_followed() {
    let mut client = Client::new(false);
    client.walk(1, "link").expect("it is there");
    let target = client.ask(22, |m| m.word(1)).expect("a link");
    assert_eq!(target, b"\x10\0../../etc/passwd");
    assert_eq!(client.ask(12, |m| m.word(1).word(0)), Err(40));
    assert_eq!(client.walk(2, "link/x"), Ok(1));
    client.walk(3, "file").expect("it is there");
    assert_eq!(client.ask(22, |m| m.word(3)), Err(22));
}

#[test]
fn sizes_of_the_share_are_told() {
    let mut client = Client::new(false);
    let reply = client.ask(8, |m| m.word(MOUNT)).expect("it is attached");
    let mut f = Reader(&reply);
    assert_eq!((f.word(), f.word()), (Ok(0x0102_1997), Ok(4096)));
    assert_eq!(f.long(), Ok(SHARE_BYTES_MAX / 4096));
    assert_eq!(f.long(), Ok(SHARE_BYTES_MAX / 4096 - 1));
}

#[test]
fn locks_and_flushes_are_granted() {
    let mut client = Client::new(false);
    client.open(1, "file", 0).expect("it is there");
    let lock = |m: &mut Writer| {
        m.word(1)
            .byte(1)
            .word(0)
            .long(0)
            .long(9)
            .word(4)
            .string(b"guest");
    };
    let locked = client.ask(52, |m| {
        lock(m);
        m
    });
    assert_eq!(locked, Ok(vec![0]));
    let held = client.ask(54, |m| {
        m.word(1).byte(1).long(3).long(9).word(4).string(b"guest")
    });
    let mut expected = Writer::default();
    expected.byte(2).long(3).long(9).word(4).string(b"guest");
    assert_eq!(held, Ok(expected.0));
    assert_eq!(client.ask(108, |m| m.half(0x1233)), Ok(vec![]));
    assert_eq!(client.ask(50, |m| m.word(1).word(0)), Ok(vec![]));
}
