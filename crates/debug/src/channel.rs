//! The wire to a debugger, whatever it is made of; packets are checked here before anything else sees them.

use gdbstub::conn::Connection;
use thiserror::Error;

/// Longest packet, in bytes; GDB is told of it.
pub(crate) const PACKET_BYTES: usize = 0x4000;

/// What came in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Received {
    /// Bytes of the debugger.
    Bytes(Vec<u8>),
    /// Nothing yet.
    Nothing,
    /// The debugger has gone.
    Closed,
}

/// The wire broke.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the connection to the debugger broke: {0}")]
pub struct ChannelError(pub String);

/// A wire to a debugger.
pub trait Channel {
    /// Takes in what is there; with `wait` set, waits a little while for it.
    fn receive(&mut self, wait: bool) -> Result<Received, ChannelError>;
    /// Sends all of it.
    fn send(&mut self, bytes: &[u8]) -> Result<(), ChannelError>;
}

/// What gdbstub writes to: whole packets go out, with what it leaves out added.
pub(crate) struct Line<'a> {
    pub channel: &'a mut dyn Channel,
    outgoing: Vec<u8>,
    /// The answer that goes out next is the list of features.
    pub lists_features: bool,
}

/// Features that are answered here and not by gdbstub.
const OWN_FEATURES: &[u8] = b";qXfer:threads:read+";

impl<'a> Line<'a> {
    pub fn new(channel: &'a mut dyn Channel) -> Line<'a> {
        Line {
            channel,
            outgoing: vec![],
            lists_features: false,
        }
    }

    /// Sends a packet of our own.
    pub fn send_packet(&mut self, body: &[u8]) -> Result<(), ChannelError> {
        self.channel.send(&packet(body))
    }

    /// Shows text in the debugger's console; only while it waits for the guest to stop.
    pub fn show(&mut self, text: &str) -> Result<(), ChannelError> {
        let mut body = b"O".to_vec();
        body.extend(text.bytes().flat_map(hexadecimal));
        self.send_packet(&body)
    }
}

impl Connection for Line<'_> {
    type Error = ChannelError;

    fn write(&mut self, byte: u8) -> Result<(), ChannelError> {
        self.outgoing.push(byte);
        Ok(())
    }

    fn flush(&mut self) -> Result<(), ChannelError> {
        let mut bytes = std::mem::take(&mut self.outgoing);
        if std::mem::take(&mut self.lists_features)
            && let Some(start) = bytes.iter().position(|&byte| byte == b'$')
            && let Some(end) = bytes.iter().rposition(|&byte| byte == b'#')
        {
            let mut body = bytes[start + 1..end].to_vec();
            body.extend(OWN_FEATURES);
            bytes.truncate(start);
            bytes.extend(packet(&body));
        }
        self.channel.send(&bytes)
    }
}

/// A packet around its body.
pub(crate) fn packet(body: &[u8]) -> Vec<u8> {
    let sum = body.iter().fold(0u8, |sum, &byte| sum.wrapping_add(byte));
    let mut packet = vec![b'$'];
    packet.extend(body);
    packet.push(b'#');
    packet.extend(hexadecimal(sum));
    packet
}

/// A byte as two digits.
pub(crate) fn hexadecimal(byte: u8) -> [u8; 2] {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    [
        DIGITS[usize::from(byte >> 4)],
        DIGITS[usize::from(byte & 15)],
    ]
}
