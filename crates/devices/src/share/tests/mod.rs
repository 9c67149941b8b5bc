//! A client that speaks to the server as the kernel's does.

mod changes;
mod hostile;
mod reading;

use super::wire::{Reader, Writer};
use super::*;
use std::collections::BTreeMap;

/// The handle that the client attaches.
pub const MOUNT: u32 = 0;
/// The time of all requests.
pub const NOW: Stamp = Stamp {
    seconds: 7,
    nanoseconds: 5,
};

/// A client with a session.
pub struct Client {
    pub server: Server,
}

/// Files `file` and `run` (executable), a folder `inner` with `deep` in it, and a link `link`.
pub fn tree(writable: bool) -> Tree {
    let mut tree = Tree::new(writable);
    let mut add = |folder, name: &str, content, executable| {
        let added = tree.add_from_host(folder, name.as_bytes(), content, executable);
        added.expect("there is room")
    };
    let file = |text: &str| Content::File(text.as_bytes().to_vec().into());
    add(ROOT, "file", file("hello"), false);
    let inner = add(ROOT, "inner", Content::Folder(BTreeMap::new()), false);
    add(inner, "deep", file("down here"), false);
    add(
        ROOT,
        "link",
        Content::Link(b"../../etc/passwd".into()),
        false,
    );
    add(ROOT, "run", file("#!/bin/sh\n"), true);
    tree
}

impl Client {
    /// A client with [`tree`] attached.
    pub fn new(writable: bool) -> Client {
        let mut server = Server::default();
        server.set_tree(Some(tree(writable))).expect("it is idle");
        let mut client = Client { server };
        client.session();
        client
    }

    /// Agrees on a version and attaches.
    pub fn session(&mut self) {
        self.ask(100, |m| m.word(65_536).string(b"9P2000.L"))
            .expect("the version is good");
        self.ask(104, |m| {
            m.word(MOUNT)
                .word(u32::MAX)
                .string(b"root")
                .string(b"")
                .word(0)
        })
        .expect("a folder is shared");
    }

    /// Sends one request; gives the body of its reply.
    pub fn ask(
        &mut self,
        kind: u8,
        body: impl FnOnce(&mut Writer) -> &mut Writer,
    ) -> Result<Vec<u8>, u32> {
        let mut fields = Writer::default();
        body(&mut fields);
        let mut message = Writer::default();
        message
            .word(7 + fields.0.len() as u32)
            .byte(kind)
            .half(0x1234)
            .bytes(&fields.0);
        let reply = self.server.answer(&message.0, NOW).expect("it has a tag");
        self.server.check().expect("the server's state is whole");
        let mut f = Reader(&reply);
        assert_eq!(f.word(), Ok(reply.len() as u32));
        let answered = f.byte().expect("a kind");
        assert_eq!(f.half(), Ok(0x1234));
        if answered == RLERROR {
            return Err(f.word().expect("a number"));
        }
        assert_eq!(answered, kind + 1);
        Ok(f.0.to_vec())
    }

    /// Walks to a path from the mount; `new` becomes its handle.
    pub fn walk(&mut self, new: u32, path: &str) -> Result<u16, u32> {
        let names: Vec<&str> = path.split('/').filter(|name| !name.is_empty()).collect();
        let reply = self.ask(110, |m| {
            m.word(MOUNT).word(new).half(names.len() as u16);
            for name in &names {
                m.string(name.as_bytes());
            }
            m
        })?;
        Ok(Reader(&reply).half().expect("a count"))
    }

    /// Walks to a path and opens it.
    pub fn open(&mut self, new: u32, path: &str, flags: u32) -> Result<(), u32> {
        self.walk(new, path)?;
        self.ask(12, |m| m.word(new).word(flags)).map(drop)
    }

    pub fn clunk(&mut self, fid: u32) -> Result<(), u32> {
        self.ask(120, |m| m.word(fid)).map(drop)
    }

    pub fn read(&mut self, fid: u32, offset: u64, count: u32) -> Result<Vec<u8>, u32> {
        let reply = self.ask(116, |m| m.word(fid).long(offset).word(count))?;
        assert_eq!(Reader(&reply).word(), Ok(reply.len() as u32 - 4));
        Ok(reply[4..].to_vec())
    }

    pub fn write(&mut self, fid: u32, offset: u64, data: &[u8]) -> Result<u32, u32> {
        let count = data.len() as u32;
        let reply = self.ask(118, |m| m.word(fid).long(offset).word(count).bytes(data))?;
        Ok(Reader(&reply).word().expect("a count"))
    }

    /// Names of an open folder, all of them, in replies of at most `count` bytes.
    pub fn names(&mut self, fid: u32, count: u32) -> Vec<String> {
        let (mut names, mut offset) = (vec![], 0);
        loop {
            let reply = self
                .ask(40, |m| m.word(fid).long(offset).word(count))
                .expect("a folder");
            let mut f = Reader(&reply[4..]);
            if f.0.is_empty() {
                return names;
            }
            while !f.0.is_empty() {
                f.bytes(13).expect("an identity");
                offset = f.long().expect("a place");
                f.byte().expect("a kind");
                let name = f.string().expect("a name").to_vec();
                names.push(String::from_utf8(name).expect("text"));
            }
        }
    }

    /// The attributes that a guest looks at first: mode, links and size.
    pub fn attributes(&mut self, fid: u32) -> Result<(u32, u64, u64), u32> {
        let reply = self.ask(24, |m| m.word(fid).long(0x7ff))?;
        let mut f = Reader(&reply);
        f.bytes(8 + 13).expect("what is valid, and the identity");
        let mode = f.word().expect("a mode");
        f.bytes(8).expect("user and group");
        let links = f.long().expect("links");
        f.bytes(8).expect("a device number");
        Ok((mode, links, f.long().expect("a size")))
    }

    /// The content of a path, over handles of its own.
    pub fn content(&mut self, path: &str) -> Result<Vec<u8>, u32> {
        self.open(900, path, 0)?;
        let bytes = self.read(900, 0, 60_000);
        self.clunk(900)?;
        bytes
    }
}
