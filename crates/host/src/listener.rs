//! A TCP port on which others connect. What one of them does ends its own connection and nothing else.

use crate::HostError;
use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};

/// Clients that are looked at in one call: who connects without end holds up nobody.
const LOOKS_MAX: usize = 64;

/// A port that listens.
#[derive(Debug)]
pub(crate) struct Listener {
    socket: TcpListener,
    local: SocketAddr,
    /// What the port is for, at the front of its address in messages.
    kind: &'static str,
}

impl Listener {
    /// Listens on a host's port, on loopback when no host is given; port 0 takes any free one.
    ///
    /// # Errors
    /// Ports in use, addresses that this host does not have.
    pub fn bind(kind: &'static str, host: &str, port: u16) -> Result<Listener, HostError> {
        let host = if host.is_empty() { "127.0.0.1" } else { host };
        let failed = |source| HostError::Socket {
            address: format!("{kind}:{}:{port}", bracketed(host)),
            action: "listen",
            source,
        };
        let socket = TcpListener::bind((host, port)).map_err(failed)?;
        socket.set_nonblocking(true).map_err(failed)?;
        let local = socket.local_addr().map_err(failed)?;
        Ok(Listener {
            socket,
            local,
            kind,
        })
    }

    /// Address and real port.
    pub fn local(&self) -> SocketAddr {
        self.local
    }

    /// A client that waits, set up not to block. One that has gone meanwhile is none.
    ///
    /// # Errors
    /// The port itself can be used no more.
    pub fn accept(&self) -> Result<Option<(TcpStream, SocketAddr)>, HostError> {
        for _ in 0..LOOKS_MAX {
            match self.socket.accept() {
                Ok((stream, _)) => {
                    if let Ok(address) = set_up(&stream) {
                        return Ok(Some((stream, address)));
                    }
                }
                Err(error) if is_of_the_port(&error) => {
                    return Err(HostError::Socket {
                        address: format!("{}:{}", self.kind, self.local),
                        action: "accept a client",
                        source: error,
                    });
                }
                // Errors of one connection that never came about: the next one may be there.
                Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
                // Nobody is there, or the host is short of something for a while.
                Err(_) => return Ok(None),
            }
        }
        Ok(None)
    }
}

/// A host's name as it stands in an address.
pub(crate) fn bracketed(host: &str) -> String {
    if host.contains(':') {
        format!("[{host}]")
    } else {
        host.to_owned()
    }
}

fn set_up(stream: &TcpStream) -> io::Result<SocketAddr> {
    stream.set_nonblocking(true)?;
    stream.set_nodelay(true)?;
    // Fails when the client has reset the connection.
    stream.peer_addr()
}

/// Whether an error of accept(2) is one of the listening socket. All others pass: errors of the network and of clients that never came, and
/// a lack of descriptors or memory.
fn is_of_the_port(error: &io::Error) -> bool {
    let code = error.raw_os_error();
    code.is_some_and(|code| [libc::EBADF, libc::EINVAL, libc::ENOTSOCK].contains(&code))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    fn accepted(listener: &Listener) -> Option<(TcpStream, SocketAddr)> {
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(10) {
            let client = listener.accept().expect("the port is good");
            if client.is_some() {
                return client;
            }
        }
        None
    }

    #[test]
    fn clients_that_have_reset_are_none_and_the_next_is_taken() {
        let listener = Listener::bind("test", "", 0).expect("loopback");
        for _ in 0..3 {
            let hostile = TcpStream::connect(listener.local()).expect("loopback");
            rustix::net::sockopt::set_socket_linger(&hostile, Some(Duration::ZERO))
                .expect("an option");
            drop(hostile);
        }
        let good = TcpStream::connect(listener.local()).expect("loopback");
        let (_, address) = accepted(&listener).expect("the good one");
        assert_eq!(address, good.local_addr().expect("bound"));
        assert!(listener.accept().expect("the port is good").is_none());
    }

    #[test]
    fn only_errors_of_the_port_end_it() {
        let of_the_port = |code| is_of_the_port(&io::Error::from_raw_os_error(code));
        for passing in [
            libc::EAGAIN,
            libc::ECONNABORTED,
            libc::EMFILE,
            libc::ENFILE,
            libc::ENOBUFS,
            libc::EPROTO,
            libc::EHOSTUNREACH,
            libc::ENETDOWN,
            libc::EPERM,
        ] {
            assert!(!of_the_port(passing), "{passing}");
        }
        assert!(of_the_port(libc::EBADF));
    }
}
