//! Clients that want more than they are given.

use super::*;
use proptest::prelude::*;

#[test]
fn names_cannot_lead_out() {
    let mut client = Client::new(true);
    for _ in 0..5 {
        assert_eq!(
            client.walk(1, "../../.."),
            Ok(3),
            "the root is its own parent"
        );
        client.ask(12, |m| m.word(1).word(0)).expect("the root");
        assert!(client.names(1, 8192).contains(&"file".into()));
        client.clunk(1).expect("it is open");
    }
    for name in ["/etc", "inner/deep", "."] {
        let walked = client.ask(110, |m| {
            m.word(MOUNT).word(1).half(1).string(name.as_bytes())
        });
        assert_eq!(walked, Err(2), "{name}");
    }
    let long = "x".repeat(256);
    for name in ["..", ".", "", "a/b", "/etc/passwd", "a\0b", &long] {
        let name = name.as_bytes();
        let expected = Err(if name.len() > 255 { 36 } else { 22 });
        let made = client.ask(72, |m| m.word(MOUNT).string(name).word(0o777).word(0));
        assert_eq!(made, expected);
        let moved = client.ask(74, |m| {
            m.word(MOUNT).string(b"file").word(MOUNT).string(name)
        });
        assert_eq!(moved, expected);
        client.walk(1, "").expect("the mount itself");
        let created = client.ask(14, |m| m.word(1).string(name).word(0).word(0).word(0));
        assert_eq!(created, expected);
        client.clunk(1).expect("it is open");
        let linked = client.ask(16, |m| m.word(MOUNT).string(name).string(b"t").word(0));
        assert_eq!(linked, expected);
    }
}

#[test]
fn doors_of_the_host_are_refused() {
    let mut client = Client::new(true);
    let node = client.ask(18, |m| {
        m.word(MOUNT)
            .string(b"sda")
            .word(0o060_666)
            .word(8)
            .word(0)
            .word(0)
    });
    assert_eq!(node, Err(1));
    client.walk(1, "file").expect("it is there");
    assert_eq!(
        client.ask(70, |m| m.word(MOUNT).word(1).string(b"hard")),
        Err(1)
    );
    assert_eq!(
        client.ask(30, |m| m.word(1).word(2).string(b"user.x")),
        Err(95)
    );
    assert_eq!(
        client.ask(32, |m| m.word(1).string(b"user.x").long(1).word(0)),
        Err(95)
    );
    assert_eq!(client.ask(200, |m| m), Err(95));
    let nowhere = client.ask(16, |m| m.word(MOUNT).string(b"l").string(b"").word(0));
    assert_eq!(nowhere, Err(22));
}

#[test]
fn a_share_has_an_end() {
    let mut client = Client::new(true);
    client.open(1, "file", 1).expect("it may be written");
    assert_eq!(client.write(1, SHARE_BYTES_MAX, b"x"), Err(28));
    assert_eq!(client.write(1, u64::MAX, b"x"), Err(27));
    assert_eq!(client.write(1, u64::MAX, b""), Ok(0));
    assert_eq!(client.content("file"), Ok(b"hello".to_vec()));
    let mut tree = Tree::new(true);
    let file = || Content::File(Vec::new().into());
    for number in 1..SHARE_ENTRIES_MAX {
        let name = number.to_string();
        tree.add_from_host(ROOT, name.as_bytes(), file(), false)
            .expect("there is room");
    }
    let one_more = tree.add_from_host(ROOT, b"last", file(), false);
    assert_eq!(one_more, Err(Errno::NoSpace));
}

#[test]
fn short_messages_are_malformed() {
    let mut client = Client::new(true);
    for kind in 0..=255 {
        let message = [7, 0, 0, 0, kind, 1, 0];
        let reply = client.server.answer(&message, NOW).expect("it has a tag");
        assert_eq!(reply[4], RLERROR, "kind {kind}");
        assert!([5, 95, 1].contains(&reply[7]), "kind {kind}: {}", reply[7]);
        let lies = [255, 0, 0, 0, kind, 1, 0];
        let reply = client.server.answer(&lies, NOW).expect("it has a tag");
        assert_eq!(reply[7], 5, "a size that is not there");
    }
    assert_eq!(client.server.answer(&[1, 2, 3], NOW), None);
}

/// One of the numbers that are near something.
fn number() -> impl Strategy<Value = u64> {
    prop_oneof![
        0..8u64,
        Just(u64::MAX),
        Just(u32::MAX.into()),
        Just(1 << 31),
        any::<u64>()
    ]
}

fn field() -> impl Strategy<Value = Vec<u8>> {
    let name = prop_oneof![
        Just("file"),
        Just("inner"),
        Just("deep"),
        Just("a"),
        Just(".."),
        Just("/"),
        Just("link"),
    ];
    prop_oneof![
        6 => (0..6u32).prop_map(|fid| fid.to_le_bytes().to_vec()),
        3 => name.prop_map(|name| {
            let mut field = Writer::default();
            field.string(name.as_bytes());
            field.0
        }),
        2 => number().prop_map(|value| value.to_le_bytes().to_vec()),
        2 => number().prop_map(|value| (value as u32).to_le_bytes().to_vec()),
        1 => number().prop_map(|value| (value as u16).to_le_bytes().to_vec()),
        1 => any::<u8>().prop_map(|value| vec![value]),
    ]
}

fn message() -> impl Strategy<Value = Vec<u8>> {
    let kinds = [
        8, 12, 14, 16, 18, 20, 22, 24, 26, 30, 32, 40, 50, 52, 54, 70, 72, 74, 76, 104, 110, 110,
        110, 116, 118, 120, 122,
    ];
    let fields = prop::collection::vec(field(), 0..9);
    (prop::sample::select(kinds.to_vec()), fields).prop_map(|(kind, fields)| {
        let body = fields.concat();
        let mut message = Writer::default();
        message
            .word(7 + body.len() as u32)
            .byte(kind)
            .half(1)
            .bytes(&body);
        message.0
    })
}

proptest! {
    #[test]
    fn no_conversation_breaks_the_server(
        messages in prop::collection::vec(message(), 1..120),
        writable in any::<bool>(),
    ) {
        let mut client = Client::new(writable);
        for message in messages {
            let reply = client.server.answer(&message, NOW).expect("it has a tag");
            prop_assert!(reply.len() <= 65_536);
            prop_assert_eq!(client.server.check(), Ok(()));
        }
        client.server.reset();
        prop_assert_eq!(client.server.check(), Ok(()));
        let tree = client.server.tree().expect("one");
        prop_assert_eq!(Tree::decode(&tree.encode()), Ok(tree.clone()));
        if !writable {
            prop_assert_eq!(tree, &super::tree(false));
        }
    }

    #[test]
    fn no_bytes_break_the_server(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let mut client = Client::new(true);
        client.server.answer(&bytes, NOW);
        let _ = Tree::decode(&bytes);
    }
}
