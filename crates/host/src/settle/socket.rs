//! The kernel's view of the peer's socket, by `sock_diag` (man 7 sock_diag): exact byte counts and its inode.

use std::io;
use std::net::{IpAddr, SocketAddr};

use rustix::fd::OwnedFd;
use rustix::net::{self, AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, netlink};

const SOCK_DIAG_BY_FAMILY: u16 = 20;
const NLMSG_ERROR: u16 = 2;
const NLM_F_REQUEST: u16 = 1;
const INET_DIAG_INFO: u16 = 2;
/// Sizes of `nlmsghdr` and `inet_diag_msg`.
const HEADER: usize = 16;
const MESSAGE: usize = 72;

/// A connection: the socket's own address first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    pub(crate) own: SocketAddr,
    pub(crate) other: SocketAddr,
}

impl Pair {
    /// IPv4 addresses that travel in IPv6 sockets are IPv4 to the kernel's tables.
    pub(crate) fn new(own: SocketAddr, other: SocketAddr) -> Pair {
        let canonical =
            |address: SocketAddr| SocketAddr::new(address.ip().to_canonical(), address.port());
        Pair {
            own: canonical(own),
            other: canonical(other),
        }
    }
}

/// How far a socket has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SocketView {
    /// Inode in the socket file system; 0 when no program holds the socket.
    pub(crate) inode: u32,
    /// Bytes that have arrived at it.
    pub(crate) received: u64,
    /// Of these, bytes that its program has not read.
    pub(crate) unread: u32,
    /// Bytes that it has sent, without repetitions.
    pub(crate) sent: u64,
    /// Bytes that its program has written and the kernel has not sent.
    pub(crate) unsent: u32,
}

/// Asks the kernel about sockets of this network namespace.
#[derive(Debug)]
pub(crate) struct SocketQuery {
    netlink: OwnedFd,
    sequence: u32,
}

impl SocketQuery {
    pub(crate) fn open() -> io::Result<SocketQuery> {
        let flags = SocketFlags::CLOEXEC;
        let protocol = Some(netlink::SOCK_DIAG);
        let netlink = net::socket_with(AddressFamily::NETLINK, SocketType::RAW, flags, protocol)?;
        Ok(SocketQuery {
            netlink,
            sequence: 0,
        })
    }

    /// The socket with the addresses `pair`; `None` when there is none.
    pub(crate) fn look(&mut self, pair: Pair) -> io::Result<Option<SocketView>> {
        self.sequence = self.sequence.wrapping_add(1);
        net::send(
            &self.netlink,
            &request(pair, self.sequence),
            SendFlags::empty(),
        )?;
        let mut buffer = [0; 4096];
        loop {
            let (_, size) = net::recv(&self.netlink, &mut buffer[..], RecvFlags::empty())?;
            let answer = &buffer[..size.min(buffer.len())];
            if u32_at(answer, 8) == Some(self.sequence) {
                return parse(answer);
            }
        }
    }
}

fn request(pair: Pair, sequence: u32) -> Vec<u8> {
    let mut message = Vec::with_capacity(HEADER + 56);
    message.extend(72_u32.to_ne_bytes());
    message.extend(SOCK_DIAG_BY_FAMILY.to_ne_bytes());
    message.extend(NLM_F_REQUEST.to_ne_bytes());
    message.extend(sequence.to_ne_bytes());
    message.extend([0; 4]);
    let family = if pair.own.is_ipv4() {
        libc::AF_INET
    } else {
        libc::AF_INET6
    };
    message.extend([
        family as u8,
        libc::IPPROTO_TCP as u8,
        1 << (INET_DIAG_INFO - 1),
        0,
    ]);
    message.extend(u32::MAX.to_ne_bytes());
    message.extend(pair.own.port().to_be_bytes());
    message.extend(pair.other.port().to_be_bytes());
    for address in [pair.own.ip(), pair.other.ip()] {
        let mut field = [0; 16];
        match address {
            IpAddr::V4(address) => field[..4].copy_from_slice(&address.octets()),
            IpAddr::V6(address) => field = address.octets(),
        }
        message.extend(field);
    }
    message.extend(0_u32.to_ne_bytes());
    // A cookie of all ones means any.
    message.extend([0xFF; 8]);
    message
}

fn parse(answer: &[u8]) -> io::Result<Option<SocketView>> {
    let short = || {
        io::Error::new(
            io::ErrorKind::InvalidData,
            "the kernel's answer about a socket is too short",
        )
    };
    match u16_at(answer, 4) {
        Some(NLMSG_ERROR) => {
            let code = u32_at(answer, HEADER).ok_or_else(short)?.cast_signed();
            return match -code {
                libc::ENOENT => Ok(None),
                code => Err(io::Error::from_raw_os_error(code)),
            };
        }
        Some(SOCK_DIAG_BY_FAMILY) => {}
        _ => return Err(short()),
    }
    let mut rest = answer.get(HEADER + MESSAGE..).ok_or_else(short)?;
    let word = |offset| u32_at(answer, HEADER + offset).ok_or_else(short);
    let mut view = SocketView {
        inode: word(68)?,
        received: 0,
        unread: word(56)?,
        sent: 0,
        unsent: 0,
    };
    while let (Some(length), Some(kind)) = (u16_at(rest, 0), u16_at(rest, 2)) {
        let length = usize::from(length);
        if kind == INET_DIAG_INFO {
            // Offsets in `struct tcp_info`; the sent bytes are there since Linux 4.19.
            let info = rest.get(4..length).ok_or_else(short)?;
            let wide = |offset: usize| {
                let bytes = info.get(offset..offset + 8)?;
                Some(u64::from_ne_bytes(bytes.try_into().ok()?))
            };
            view.received = wide(128).ok_or_else(short)?;
            view.unsent = u32_at(info, 144).ok_or_else(short)?;
            let sent = wide(200).ok_or_else(short)?;
            view.sent = sent.saturating_sub(wide(208).ok_or_else(short)?);
        }
        rest = rest
            .get(length.max(4).next_multiple_of(4)..)
            .unwrap_or_default();
    }
    Ok(Some(view))
}

fn u16_at(bytes: &[u8], offset: usize) -> Option<u16> {
    Some(u16::from_ne_bytes(
        bytes.get(offset..offset + 2)?.try_into().ok()?,
    ))
}

fn u32_at(bytes: &[u8], offset: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(
        bytes.get(offset..offset + 4)?.try_into().ok()?,
    ))
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};

    use super::*;

    fn counts(host: &str) {
        let listener = TcpListener::bind((host, 0)).expect("loopback");
        let mut client =
            TcpStream::connect(listener.local_addr().expect("bound")).expect("loopback");
        let (mut server, _) = listener.accept().expect("a client");
        let pair = Pair::new(
            client.local_addr().expect("bound"),
            client.peer_addr().expect("there"),
        );
        let mut query = SocketQuery::open().expect("sock_diag");
        let mut view = || query.look(pair).expect("sock_diag");
        server.write_all(b"hello").expect("connected");
        client.write_all(b"ok").expect("connected");
        let before = view().expect("the socket is there");
        assert_ne!(before.inode, 0);
        assert_eq!(
            (before.received, before.unread, before.sent, before.unsent),
            (5, 5, 2, 0)
        );
        client.read_exact(&mut [0; 3]).expect("connected");
        assert_eq!(view().expect("the socket is there").unread, 2);
        drop((client, server));
        assert!(view().is_none_or(|view| view.inode == 0));
    }

    #[test]
    fn the_kernel_counts_both_directions() {
        counts("127.0.0.1");
        counts("::1");
    }

    #[test]
    fn malformed_answers_are_errors() {
        assert!(parse(&[]).is_err());
        assert!(parse(&[0; 40]).is_err());
        let mut answer = vec![0; HEADER + MESSAGE + 4];
        answer[4] = 20;
        answer[HEADER + MESSAGE] = 200;
        answer[HEADER + MESSAGE + 2] = 2;
        assert!(parse(&answer).is_err());
    }
}
