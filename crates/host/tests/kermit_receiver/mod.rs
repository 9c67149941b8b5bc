//! A plain Kermit receiver (F. da Cruz, Kermit Protocol Manual, 6th edition): type 1 checks, control quoting, no extras.

use std::net::{SocketAddr, TcpStream};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use socscope_host::serial::TcpServer;
use socscope_host::{SerialBackend, Settlement};

/// What a transfer looked like.
#[derive(Debug, PartialEq, Eq)]
pub struct Transfer {
    /// Bytes that had arrived after each wait.
    pub exchanges: Vec<Vec<u8>>,
    /// The file.
    pub file: Vec<u8>,
}

/// C-Kermit, which connects and sends `data.bin` from `folder`.
pub fn c_kermit(address: SocketAddr, folder: &Path) -> Child {
    let script = format!(
        "set host 127.0.0.1 {} /raw-socket, set file type binary, set transfer display none, send data.bin, exit",
        address.port()
    );
    let mut kermit = Command::new("kermit");
    kermit
        .args(["-Y", "-C", &script])
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    kermit
        .current_dir(folder)
        .stderr(Stdio::null())
        .spawn()
        .expect("C-Kermit is installed")
}

/// G-Kermit, which knows no network: a connection takes the place of its terminal.
pub fn g_kermit(address: SocketAddr, folder: &Path) -> Child {
    let terminal = OwnedFd::from(TcpStream::connect(address).expect("loopback"));
    let copy = terminal.try_clone().expect("a descriptor");
    let mut kermit = Command::new("gkermit");
    kermit
        .args(["-i", "-s", "data.bin"])
        .stdin(terminal)
        .stdout(copy);
    kermit
        .current_dir(folder)
        .stderr(Stdio::null())
        .spawn()
        .expect("G-Kermit is installed")
}

/// Receives the file that a Kermit on the host sends, and is as slow as `pace` says.
pub fn transfer(server: &mut TcpServer, mut kermit: Child, pace: Duration) -> Transfer {
    server.wait_ready().expect("a client comes");
    let mut transfer = Transfer {
        exchanges: Vec::new(),
        file: Vec::new(),
    };
    let mut pending = Vec::new();
    loop {
        let settlement = server.settle().expect("connected");
        let mut buffer = [0; 8192];
        let count = server.read(&mut buffer).expect("connected");
        transfer.exchanges.push(buffer[..count].to_vec());
        pending.extend(&buffer[..count]);
        if settlement == Settlement::Absent {
            break;
        }
        assert_eq!(settlement, Settlement::Settled);
        // C-Kermit first types the command that would start a receiver.
        let start = pending
            .iter()
            .position(|&byte| byte == 1)
            .expect("a packet has a mark");
        pending.drain(..start);
        let end = pending
            .iter()
            .position(|&byte| byte == b'\r')
            .expect("a packet is whole when the sender waits");
        let packet: Vec<u8> = pending.drain(..=end).collect();
        let (sequence, kind, data) = (packet[2], packet[3], &packet[4..end - 1]);
        if kind == b'D' {
            unquote(data, &mut transfer.file);
        }
        let reply: &[u8] = if kind == b'S' { b"~* @-#N1" } else { b"" };
        std::thread::sleep(pace * (transfer.exchanges.len() as u32 % 5));
        server
            .write(&acknowledge(sequence, reply))
            .expect("connected");
    }
    assert!(kermit.wait().expect("it has ended").success());
    assert!(server.report().repeatable, "{:?}", server.report());
    transfer
}

fn acknowledge(sequence: u8, data: &[u8]) -> Vec<u8> {
    let mut packet = vec![1, data.len() as u8 + 3 + 32, sequence, b'Y'];
    packet.extend(data);
    let sum: u32 = packet[1..].iter().map(|&byte| u32::from(byte)).sum();
    packet.push(((sum + (sum >> 6 & 3)) & 63) as u8 + 32);
    packet.push(b'\r');
    packet
}

fn unquote(data: &[u8], file: &mut Vec<u8>) {
    let mut bytes = data.iter();
    while let Some(&byte) = bytes.next() {
        if byte != b'#' {
            file.push(byte);
            continue;
        }
        let &quoted = bytes.next().expect("a quote has a follower");
        let is_control = matches!(quoted & 0x7F, 0x3F..=0x5F);
        file.push(if is_control { quoted ^ 0x40 } else { quoted });
    }
}
