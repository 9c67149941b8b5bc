//! Packets out of bytes: broken ones are asked for again and never reach the rest, and what is no stream of packets is told from one.

use crate::channel::PACKET_BYTES;

/// Ctrl-C of the debugger.
pub(crate) const INTERRUPT: u8 = 3;

/// Something whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Frame {
    /// A packet whose sum is right: its body.
    Packet(Vec<u8>),
    /// The debugger wants the guest to stop.
    Interrupt,
    /// A packet that arrived broken, or is longer than was agreed.
    Broken,
    /// A byte between packets that no debugger sends: the other end speaks another protocol.
    Foreign,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    #[default]
    Between,
    Body,
    /// One digit of the sum is there.
    Sum(Option<u8>),
}

/// Collects bytes.
#[derive(Debug, Default)]
pub(crate) struct Frames {
    place: Place,
    body: Vec<u8>,
}

impl Frames {
    /// Takes a byte; gives what it completes.
    pub fn push(&mut self, byte: u8) -> Option<Frame> {
        match (self.place, byte) {
            (Place::Between, INTERRUPT) => return Some(Frame::Interrupt),
            (Place::Between | Place::Body, b'$') => {
                self.body.clear();
                self.place = Place::Body;
            }
            // Acknowledgements; TCP loses nothing, so they say nothing new.
            (Place::Between, b'+' | b'-') => {}
            (Place::Between, _) => return Some(Frame::Foreign),
            (Place::Body, b'#') => self.place = Place::Sum(None),
            // One more than fits is kept, as a sign.
            (Place::Body, _) if self.body.len() < PACKET_BYTES => self.body.push(byte),
            (Place::Body, _) => {}
            (Place::Sum(None), _) => self.place = Place::Sum(Some(byte)),
            (Place::Sum(Some(first)), second) => {
                self.place = Place::Between;
                return Some(self.complete(first, second));
            }
        }
        None
    }

    fn complete(&mut self, first: u8, second: u8) -> Frame {
        let body = std::mem::take(&mut self.body);
        let sum = body.iter().fold(0u8, |sum, &byte| sum.wrapping_add(byte));
        let digit = |byte: u8| char::from(byte).to_digit(16);
        let wanted = digit(first).zip(digit(second));
        if wanted == Some((u32::from(sum >> 4), u32::from(sum & 15)))
            && body.len() < PACKET_BYTES - 4
        {
            Frame::Packet(body)
        } else {
            Frame::Broken
        }
    }
}

/// What the first bytes of a connection say about who is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opening {
    /// Nothing yet.
    Open,
    /// A debugger: a packet, and nothing beside that is none.
    Debugger,
    /// Something else.
    Stranger,
}

impl Opening {
    /// Judges all bytes that a connection has sent so far.
    pub fn of(bytes: &[u8]) -> Opening {
        let mut frames = Frames::default();
        let found: Vec<Frame> = bytes.iter().filter_map(|&it| frames.push(it)).collect();
        if found.contains(&Frame::Foreign) || bytes.len() > AHEAD_BYTES_MAX {
            return Opening::Stranger;
        }
        let packet = |frame: &Frame| matches!(frame, Frame::Packet(_) | Frame::Broken);
        if found.iter().any(packet) {
            Opening::Debugger
        } else {
            Opening::Open
        }
    }
}

/// Most bytes that a debugger sends ahead: it waits for the answer to each packet.
pub(crate) const AHEAD_BYTES_MAX: usize = 2 * PACKET_BYTES;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channel::packet;

    fn frames(bytes: &[u8]) -> Vec<Frame> {
        let mut frames = Frames::default();
        bytes.iter().filter_map(|&byte| frames.push(byte)).collect()
    }

    #[test]
    fn who_speaks_in_packets_is_a_debugger() {
        let kill = packet(b"k");
        for (bytes, opening) in [
            (&b""[..], Opening::Open),
            (b"+", Opening::Open),
            (b"+\x03-", Opening::Open),
            (b"+$qSupp", Opening::Open),
            (&packet(b"qSupported"), Opening::Debugger),
            (b"+$QStartNoAckMode#b0", Opening::Debugger),
            (b"$qC#00", Opening::Debugger),
            (b"P", Opening::Stranger),
            (b"\r\n", Opening::Stranger),
            (
                b"POST / HTTP/1.1\r\nHost: localhost\r\n\r\n",
                Opening::Stranger,
            ),
            (
                &[b"POST / HTTP/1.1\r\n\r\n", &kill[..]].concat(),
                Opening::Stranger,
            ),
            // A page of the same origin may choose the method, and these are characters of one.
            (&[&kill[..], b" / HTTP/1.1\r\n"].concat(), Opening::Stranger),
            (&vec![b'+'; 3 * PACKET_BYTES], Opening::Stranger),
        ] {
            assert_eq!(Opening::of(bytes), opening, "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn packets_are_told_from_what_is_none() {
        let bytes = [b"+-".as_slice(), &packet(b"g"), b"\x03", &packet(b"?")].concat();
        let expected = [
            Frame::Packet(b"g".into()),
            Frame::Interrupt,
            Frame::Packet(b"?".into()),
        ];
        assert_eq!(frames(&bytes), expected);
        let bytes = [b"+x".as_slice(), &packet(b"g"), b"\n"].concat();
        let expected = [Frame::Foreign, Frame::Packet(b"g".into()), Frame::Foreign];
        assert_eq!(frames(&bytes), expected);
    }

    #[test]
    fn a_wrong_sum_a_cut_packet_and_an_endless_one_are_broken() {
        assert_eq!(frames(b"$g#00"), [Frame::Broken]);
        assert_eq!(frames(b"$g#zz"), [Frame::Broken]);
        assert_eq!(frames(b"$gg$g#67"), [Frame::Packet(b"g".into())]);
        let long = packet(&[b'a'; PACKET_BYTES + 100]);
        assert_eq!(frames(&long), [Frame::Broken]);
    }
}
