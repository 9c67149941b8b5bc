//! The telnet protocol (RFC 854, 855, 856, 857, 858), as far as a serial line needs it: escapes and option negotiation.

const IAC: u8 = 255;
const DONT: u8 = 254;
const DO: u8 = 253;
const WONT: u8 = 252;
const WILL: u8 = 251;
const SB: u8 = 250;
const SE: u8 = 240;

const BINARY: u8 = 0;
const ECHO: u8 = 1;
const SUPPRESS_GO_AHEAD: u8 = 3;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Decoder {
    #[default]
    Data,
    CarriageReturn,
    Command,
    Option(u8),
    Subnegotiation,
    SubnegotiationCommand,
}

/// Options by number, as a set of the first 64.
#[derive(Clone, Copy, Debug, Default)]
struct Options(u64);

impl Options {
    fn has(self, option: u8) -> bool {
        option < 64 && self.0 >> option & 1 == 1
    }

    fn set(&mut self, option: u8, on: bool) {
        if option < 64 {
            self.0 = self.0 & !(1 << option) | u64::from(on) << option;
        }
    }
}

/// The telnet state of one connection.
#[derive(Clone, Debug, Default)]
pub(super) struct Telnet {
    decoder: Decoder,
    /// What we do, agreed or offered.
    ours: Options,
    /// What the client does, agreed or asked for.
    theirs: Options,
    sent_carriage_return: bool,
}

impl Telnet {
    /// A connection and the offers to send: we echo, without go-ahead, and both directions are 8 bits wide.
    pub(super) fn new() -> (Telnet, Vec<u8>) {
        let mut telnet = Telnet::default();
        for option in [ECHO, SUPPRESS_GO_AHEAD, BINARY] {
            telnet.ours.set(option, true);
        }
        for option in [SUPPRESS_GO_AHEAD, BINARY] {
            telnet.theirs.set(option, true);
        }
        let offers = [
            WILL,
            ECHO,
            WILL,
            SUPPRESS_GO_AHEAD,
            WILL,
            BINARY,
            DO,
            SUPPRESS_GO_AHEAD,
            DO,
            BINARY,
        ];
        (
            telnet,
            offers
                .chunks(2)
                .flat_map(|pair| [IAC, pair[0], pair[1]])
                .collect(),
        )
    }

    /// Appends the guest's `bytes` as they go over the connection.
    pub(super) fn encode(&mut self, bytes: &[u8], out: &mut impl Extend<u8>) {
        for &byte in bytes {
            // Without the binary option a bare CR is CR NUL (RFC 854).
            if self.sent_carriage_return && byte != b'\n' {
                out.extend([0]);
            }
            out.extend([byte]);
            if byte == IAC {
                out.extend([IAC]);
            }
            self.sent_carriage_return = byte == b'\r' && !self.ours.has(BINARY);
        }
    }

    /// Appends what the guest hears of `bytes` to `data`, and what has to be answered to `answer`.
    pub(super) fn decode(
        &mut self,
        bytes: &[u8],
        data: &mut impl Extend<u8>,
        answer: &mut Vec<u8>,
    ) {
        for &byte in bytes {
            self.decoder = match (self.decoder, byte) {
                (Decoder::Data | Decoder::CarriageReturn, IAC) => Decoder::Command,
                (Decoder::CarriageReturn, 0) => Decoder::Data,
                (Decoder::Data | Decoder::CarriageReturn, _) => {
                    data.extend([byte]);
                    if byte == b'\r' && !self.theirs.has(BINARY) {
                        Decoder::CarriageReturn
                    } else {
                        Decoder::Data
                    }
                }
                (Decoder::Command, IAC) => {
                    data.extend([IAC]);
                    Decoder::Data
                }
                (Decoder::Command, WILL..=DONT) => Decoder::Option(byte),
                (Decoder::Command, SB) => Decoder::Subnegotiation,
                (Decoder::Command, _) => Decoder::Data,
                (Decoder::Option(verb), option) => {
                    answer.extend(self.negotiate(verb, option).into_iter().flatten());
                    Decoder::Data
                }
                (Decoder::Subnegotiation, IAC) => Decoder::SubnegotiationCommand,
                (Decoder::SubnegotiationCommand, SE) => Decoder::Data,
                (Decoder::Subnegotiation | Decoder::SubnegotiationCommand, _) => {
                    Decoder::Subnegotiation
                }
            };
        }
    }

    /// Answers a request unless it changes nothing: that keeps two ends from talking for ever (RFC 854).
    fn negotiate(&mut self, verb: u8, option: u8) -> Option<[u8; 3]> {
        let known = matches!(option, BINARY | SUPPRESS_GO_AHEAD);
        let (side, on, able, yes, no) = match verb {
            DO | DONT => (
                &mut self.ours,
                verb == DO,
                known || option == ECHO,
                WILL,
                WONT,
            ),
            _ => (&mut self.theirs, verb == WILL, known, DO, DONT),
        };
        let agreed = on && able;
        if side.has(option) == agreed && on == agreed {
            return None;
        }
        side.set(option, agreed);
        Some([IAC, if agreed { yes } else { no }, option])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(telnet: &mut Telnet, bytes: &[u8]) -> (Vec<u8>, Vec<u8>) {
        let (mut data, mut answer) = (Vec::new(), Vec::new());
        telnet.decode(bytes, &mut data, &mut answer);
        (data, answer)
    }

    #[test]
    fn agreed_offers_need_no_answer() {
        let (mut telnet, offers) = Telnet::new();
        assert_eq!(offers.len(), 15);
        let agreed = [
            IAC,
            DO,
            ECHO,
            IAC,
            DO,
            BINARY,
            IAC,
            WILL,
            BINARY,
            IAC,
            WILL,
            SUPPRESS_GO_AHEAD,
        ];
        assert_eq!(decoded(&mut telnet, &agreed), (vec![], vec![]));
    }

    #[test]
    fn unknown_options_are_refused_each_time_and_refusals_are_taken() {
        let (mut telnet, _) = Telnet::new();
        assert_eq!(
            decoded(&mut telnet, &[IAC, WILL, 31, IAC, DO, 24]).1,
            [IAC, DONT, 31, IAC, WONT, 24]
        );
        assert_eq!(
            decoded(&mut telnet, &[IAC, DONT, ECHO]).1,
            [IAC, WONT, ECHO]
        );
        assert_eq!(decoded(&mut telnet, &[IAC, DONT, ECHO]).1, []);
        assert_eq!(
            decoded(&mut telnet, &[IAC, WONT, 200, IAC, DO, 200]).1,
            [IAC, WONT, 200]
        );
    }

    #[test]
    fn data_is_escaped_and_commands_are_taken_out_wherever_they_are_cut() {
        let (mut telnet, _) = Telnet::new();
        let mut sent = Vec::new();
        telnet.encode(&[1, 255, 13, 2], &mut sent);
        assert_eq!(sent, [1, 255, 255, 13, 2]);
        let stream = [
            65, IAC, IAC, IAC, SB, 24, 1, IAC, IAC, 9, IAC, SE, 66, IAC, 241, 13, 0, 67,
        ];
        for cut in 0..stream.len() {
            let mut telnet = telnet.clone();
            let mut data = decoded(&mut telnet, &stream[..cut]).0;
            data.extend(decoded(&mut telnet, &stream[cut..]).0);
            assert_eq!(data, [65, 255, 66, 13, 0, 67], "cut at {cut}");
        }
    }

    #[test]
    fn without_the_binary_option_a_carriage_return_has_a_companion() {
        let (mut telnet, _) = Telnet::new();
        decoded(&mut telnet, &[IAC, DONT, BINARY, IAC, WONT, BINARY]);
        let mut sent = Vec::new();
        telnet.encode(b"\r", &mut sent);
        telnet.encode(b"a\r\n", &mut sent);
        assert_eq!(sent, b"\r\0a\r\n");
        assert_eq!(decoded(&mut telnet, b"x\r\0y\r\n").0, b"x\ry\r\n");
    }
}
