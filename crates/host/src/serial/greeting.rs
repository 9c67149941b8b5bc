//! How a connection to a serial line begins. A page in a browser can make it send a request to any port of this host, and what stands in the
//! request would be typed into the guest's console: a connection that begins with a line of HTTP is none.

/// A first line that is longer is none of HTTP: servers refuse it far below.
const LINE_BYTES_MAX: usize = 64 << 10;
/// The methods that a page can ask for without asking the server first (and others of the standard), each with what follows it.
const METHODS: [&[u8]; 10] = [
    b"GET ",
    b"POST ",
    b"HEAD ",
    b"PUT ",
    b"DELETE ",
    b"OPTIONS ",
    b"PATCH ",
    b"CONNECT ",
    b"TRACE ",
    b"PRI ",
];

/// The connection began with a request of HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct IsHttp;

/// The first line of a connection, as far as it has come.
#[derive(Clone, Debug, Default)]
pub(super) struct Greeting {
    line: Vec<u8>,
    /// How much of it the guest has.
    given: usize,
    /// It is no request.
    decided: bool,
}

impl Greeting {
    /// Takes bytes of the client and appends to `heard` what the guest may have of them by now: all, but for what looks like a request.
    pub(super) fn take(&mut self, bytes: &[u8], heard: &mut impl Extend<u8>) -> Result<(), IsHttp> {
        if self.decided {
            heard.extend(bytes.iter().copied());
            return Ok(());
        }
        self.line.extend(bytes);
        let end = self.line.iter().position(|byte| b"\r\n".contains(byte));
        let is_long = self.line.len() > LINE_BYTES_MAX;
        match end {
            Some(end) if is_request(&self.line[..end]) => return Err(IsHttp),
            None if is_long && self.begins_with_method() => return Err(IsHttp),
            None if !is_long && (self.begins_with_method() || self.may_become_method()) => {}
            _ => self.give(heard),
        }
        if end.is_some() || is_long {
            self.decided = true;
            self.line = vec![];
        }
        Ok(())
    }

    /// Whether these bytes make the connection one of HTTP.
    pub(super) fn refuses(&self, bytes: &[u8]) -> bool {
        !self.decided && !bytes.is_empty() && self.clone().take(bytes, &mut vec![]).is_err()
    }

    /// The client waits: the beginning of a word that could have become a method's is the guest's after all.
    pub(super) fn release(&mut self, heard: &mut impl Extend<u8>) {
        if !self.decided && !self.begins_with_method() {
            self.give(heard);
        }
    }

    fn give(&mut self, heard: &mut impl Extend<u8>) {
        heard.extend(self.line[self.given..].iter().copied());
        self.given = self.line.len();
    }

    fn begins_with_method(&self) -> bool {
        METHODS.iter().any(|method| self.line.starts_with(method))
    }

    fn may_become_method(&self) -> bool {
        METHODS.iter().any(|method| method.starts_with(&self.line))
    }
}

/// Whether a line is `METHOD TARGET HTTP/1.1` (RFC 9112, section 3), with any method.
fn is_request(line: &[u8]) -> bool {
    let parts: Vec<&[u8]> = line.split(|byte| *byte == b' ').collect();
    matches!(parts[..], [method, target, version]
        if !method.is_empty() && !target.is_empty() && version.starts_with(b"HTTP/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the guest hears of pieces, each followed by a wait of the client or not.
    fn heard(pieces: &[&[u8]], waits: bool) -> (Vec<u8>, Result<(), IsHttp>) {
        let (mut greeting, mut heard) = (Greeting::default(), vec![]);
        for piece in pieces {
            if let Err(http) = greeting.take(piece, &mut heard) {
                return (heard, Err(http));
            }
            if waits {
                greeting.release(&mut heard);
            }
        }
        (heard, Ok(()))
    }

    #[test]
    fn requests_are_known_wherever_they_are_cut() {
        for request in [
            &b"POST /x HTTP/1.1\r\nHost: localhost\r\n\r\nreboot\r\n"[..],
            b"GET / HTTP/1.1\r\n",
            b"OPTIONS * HTTP/1.0\n",
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        ] {
            for cut in 0..20.min(request.len()) {
                let (said, outcome) = heard(&[&request[..cut], &request[cut..]], false);
                assert_eq!((said, outcome), (vec![], Err(IsHttp)), "{cut}");
                // Who is slow has a piece of the first word heard, never a line.
                let (said, outcome) = heard(&[&request[..cut], &request[cut..]], true);
                assert!(outcome.is_err() && request.starts_with(&said) && said.len() < 8);
            }
            let bytes: Vec<&[u8]> = request.chunks(1).collect();
            assert_eq!(heard(&bytes, false), (vec![], Err(IsHttp)));
        }
        // A page of the same origin, by a name that leads here, may choose the method.
        assert_eq!(
            heard(&[b"reboot / HTTP/1.1\r\nHost"], false),
            (vec![], Err(IsHttp))
        );
        let long = [b"GET /".as_slice(), &vec![b'a'; LINE_BYTES_MAX]].concat();
        assert_eq!(heard(&[&long], false), (vec![], Err(IsHttp)));
    }

    #[test]
    fn what_is_no_request_reaches_the_guest_whole_and_at_once() {
        for text in [
            &b"help\r"[..],
            b"G",
            b"PO",
            b"\x01 S~/ @-#N1\r",
            b"GET it done\r\nnext",
            b"POSTER\n",
            b"\xff\x00\r\n",
            b"a / HTTP/1.1 x\r\n",
        ] {
            assert_eq!(heard(&[text], true), (text.to_vec(), Ok(())), "{text:?}");
            let bytes: Vec<&[u8]> = text.chunks(1).collect();
            assert_eq!(heard(&bytes, true), (text.to_vec(), Ok(())), "{text:?}");
        }
        let later = [
            &b"login\r"[..],
            b"GET / HTTP/1.1\r\n",
            &[b'x'; LINE_BYTES_MAX * 2],
        ];
        assert_eq!(heard(&later, false), (later.concat(), Ok(())));
    }
}
