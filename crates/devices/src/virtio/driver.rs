//! A driver for tests: it sets a device up and speaks over its ring, which lies in the bench's RAM.

use crate::bench::{Bench, Node, RAM};
use crate::share::{Content, ROOT, Tree};

pub const STATUS: u32 = 0x70;
pub const NOTIFY: u32 = 0x50;
pub const INTERRUPT: u32 = 0x60;
pub const ACKNOWLEDGE: u32 = 0x64;
/// Descriptors of the driver's queue.
pub const SIZE: u16 = 8;
/// Where the parts of the queue lie.
pub const DESCRIPTORS: u32 = RAM;
pub const AVAILABLE: u32 = RAM + 0x400;
pub const USED: u32 = RAM + 0x800;
/// Where buffers may lie.
pub const BUFFERS: u32 = RAM + 0x1000;
pub const NEXT: u16 = 1;
pub const WRITE: u16 = 2;
pub const INDIRECT: u16 = 4;

/// A device with its driver.
pub struct Driver {
    pub bench: Bench,
    pub offered: u16,
    pub taken: u16,
}

impl Driver {
    /// A device whose driver is ready, and which shares one file.
    pub fn new() -> Driver {
        let mut bench = Bench::with("virtio,mmio", Node::default());
        let mut tree = Tree::new(true);
        let file = Content::File(b"hello".to_vec().into());
        tree.add_from_host(ROOT, b"file", file, false)
            .expect("there is room");
        bench
            .call(|device, context| device.set_attribute("folder", &tree.encode(), context))
            .expect("a folder");
        let mut driver = Driver {
            bench,
            offered: 0,
            taken: 0,
        };
        driver.start();
        driver
    }

    /// What a driver does after a reset (VIRTIO 1.2, section 3.1.1).
    pub fn start(&mut self) {
        (self.offered, self.taken) = (0, 0);
        self.bench.load(RAM, &[0; 0x1000]);

        for (offset, value) in [
            (STATUS, 0),
            (STATUS, 1),
            (STATUS, 3),
            (0x24, 1),
            (0x20, 1),
            (0x24, 0),
            (0x20, 1 << 28 | 1),
            (STATUS, 11),
            (0x30, 0),
            (0x38, SIZE.into()),
            (0x80, DESCRIPTORS),
            (0x84, 0),
            (0x90, AVAILABLE),
            (0x94, 0),
            (0xa0, USED),
            (0xa4, 0),
            (0x44, 1),
            (STATUS, 15),
        ] {
            self.bench.write(offset, value);
        }
        assert_eq!(self.bench.read(STATUS), 15);
    }

    /// Writes a row of the table of descriptors.
    pub fn describe(&mut self, at: u32, number: u16, row: (u64, u32, u16, u16)) {
        let (address, length, flags, next) = row;
        let mut bytes = address.to_le_bytes().to_vec();
        bytes.extend(length.to_le_bytes());
        bytes.extend(flags.to_le_bytes());
        bytes.extend(next.to_le_bytes());
        self.bench.load(at + 16 * u32::from(number), &bytes);
    }

    /// Makes a chain available.
    pub fn offer(&mut self, head: u16) {
        let slot = AVAILABLE + 4 + 2 * u32::from(self.offered % SIZE);
        self.bench.load(slot, &head.to_le_bytes());
        self.offered = self.offered.wrapping_add(1);
        self.bench.load(AVAILABLE + 2, &self.offered.to_le_bytes());
    }

    /// Tells the device, and waits for its answers.
    pub fn notify(&mut self) {
        self.bench.write(NOTIFY, 0);
        self.bench.run(1_000);
    }

    /// The next chain that came back: its head and the bytes that were written.
    pub fn take(&mut self) -> Option<(u32, u32)> {
        let ring = self.bench.ram(USED);
        if u16::from_le_bytes([ring[2], ring[3]]) == self.taken {
            return None;
        }
        let at = 4 + 8 * usize::from(self.taken % SIZE);
        self.taken = self.taken.wrapping_add(1);
        let word =
            |at: usize| u32::from_le_bytes([ring[at], ring[at + 1], ring[at + 2], ring[at + 3]]);
        Some((word(at), word(at + 4)))
    }

    /// Sends a message over two descriptors and gives its answer.
    pub fn exchange(&mut self, message: &[u8]) -> Vec<u8> {
        self.bench.load(BUFFERS, message);
        let length = message.len() as u32;
        self.describe(DESCRIPTORS, 0, (BUFFERS.into(), length, NEXT, 1));
        let answer = BUFFERS + 0x1000;
        self.describe(DESCRIPTORS, 1, (answer.into(), 0x1000, WRITE, 0));
        self.offer(0);
        self.notify();
        let (head, written) = self.take().expect("an answer");
        assert_eq!(head, 0);
        self.bench.ram(answer)[..written as usize].to_vec()
    }
}

/// A message of 9P with a tag of 1.
pub fn message(kind: u8, body: &[u8]) -> Vec<u8> {
    let mut message = (7 + body.len() as u32).to_le_bytes().to_vec();
    message.extend([kind, 1, 0]);
    message.extend(body);
    message
}

/// The request for version 9P2000.L with messages of 8192 bytes.
pub fn version() -> Vec<u8> {
    message(100, b"\x00\x20\x00\x00\x08\x009P2000.L")
}

/// The request to attach as handle 0.
pub fn attach() -> Vec<u8> {
    message(104, b"\0\0\0\0\xff\xff\xff\xff\0\0\0\0\0\0\0\0")
}
