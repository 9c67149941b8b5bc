//! The TCP server: who may connect, what happens when they come and go, and telnet.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

use socscope_host::serial::TcpServer;
use socscope_host::{Endpoint, Interrupt, PeerState, SerialBackend, Settlement};

fn server(text: &str) -> TcpServer {
    let Ok(Endpoint::Tcp(options)) = text.parse() else {
        panic!("{text}")
    };
    TcpServer::bind(&options, &Interrupt::new()).expect("loopback")
}

fn client(server: &TcpServer) -> TcpStream {
    let stream = TcpStream::connect(server.local_address()).expect("loopback");
    stream
        .set_read_timeout(Some(Duration::from_secs(10)))
        .expect("a time-out");
    stream
}

/// Reads from a live server until `count` bytes are there.
fn heard(server: &mut TcpServer, count: usize) -> Vec<u8> {
    let (mut all, start) = (Vec::new(), Instant::now());
    while all.len() < count && start.elapsed() < Duration::from_secs(10) {
        let mut buffer = [0; 64];
        let size = server.read(&mut buffer).expect("listening");
        all.extend(&buffer[..size]);
    }
    all
}

fn received(client: &mut TcpStream, count: usize) -> Vec<u8> {
    let mut buffer = vec![0; count];
    client.read_exact(&mut buffer).expect("connected");
    buffer
}

#[test]
fn only_loopback_is_bound_unless_a_host_is_written() {
    for text in [
        "tcp::0",
        "tcp:127.0.0.1:0",
        "tcp:localhost:0",
        "tcp:[::1]:0",
    ] {
        assert!(server(text).local_address().ip().is_loopback(), "{text}");
    }
    assert_eq!(
        server("tcp:0.0.0.0:0").local_address().ip(),
        Ipv4Addr::UNSPECIFIED
    );
    let server = server("tcp::0");
    assert_eq!(
        server.address(),
        format!("tcp:127.0.0.1:{}", server.local_address().port())
    );
    assert_ne!(server.local_address().port(), 0);
}

#[test]
fn a_port_in_use_is_reported_with_a_remedy() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("loopback");
    let text = format!("tcp::{}", taken.local_addr().expect("bound").port());
    let endpoint: Endpoint = text.parse().expect("an endpoint");
    let error = endpoint
        .open(&Interrupt::new())
        .err()
        .expect("the port is taken")
        .to_string();
    assert!(
        error.starts_with(&text.replace("tcp::", "tcp:127.0.0.1:")),
        "{error}"
    );
    assert!(
        error.contains("cannot listen") && error.contains("choose another port"),
        "{error}"
    );
    let nowhere: Endpoint = "tcp:203.0.113.1:0".parse().expect("an endpoint");
    let error = nowhere
        .open(&Interrupt::new())
        .err()
        .expect("not our address")
        .to_string();
    assert!(error.contains("this host has no such address"), "{error}");
}

#[test]
fn one_client_at_a_time_and_the_next_may_come() {
    let mut server = server("tcp::0,live");
    let mut first = client(&server);
    first.write_all(b"one").expect("connected");
    assert_eq!(heard(&mut server, 3), b"one");
    let mut second = client(&server);
    assert_eq!(heard_nothing(&mut server), 0);
    assert_eq!(
        second.read(&mut [0; 1]).unwrap_or(0),
        0,
        "the second is turned away"
    );
    drop(first);
    let start = Instant::now();
    while server.state() == PeerState::Present && start.elapsed() < Duration::from_secs(10) {
        heard_nothing(&mut server);
    }
    let mut third = client(&server);
    third.write_all(b"three").expect("connected");
    assert_eq!(heard(&mut server, 5), b"three");
    server.write(b"hello").expect("connected");
    assert_eq!(received(&mut third, 5), b"hello");
    assert_eq!(server.report().connections, 2);
    server.close().and_then(|()| server.close()).expect("open");
    assert_eq!(third.read(&mut [0; 1]).expect("closed in order"), 0);
}

fn heard_nothing(server: &mut TcpServer) -> usize {
    std::thread::sleep(Duration::from_millis(5));
    server.read(&mut [0; 1]).expect("listening")
}

#[test]
fn without_a_client_output_is_dropped_and_counted() {
    let mut server = server("tcp::0");
    server.write(b"nobody hears").expect("listening");
    assert_eq!(server.settle().expect("listening"), Settlement::Absent);
    let report = server.report();
    assert_eq!((report.sent_bytes, report.dropped_bytes), (12, 12));
    assert_eq!(server.state(), PeerState::Absent);
}

#[test]
fn wait_holds_the_run_until_a_client_is_there_or_an_interrupt() {
    let mut waiting = server("tcp::0,wait");
    let address = waiting.local_address();
    let peer = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(50));
        TcpStream::connect(address).expect("loopback")
    });
    waiting.wait_ready().expect("a client comes");
    assert_eq!(waiting.state(), PeerState::Present);
    drop(peer.join());

    let interrupt = Interrupt::new();
    interrupt.raise();
    let endpoint: Endpoint = "tcp::0,wait".parse().expect("an endpoint");
    let mut link = endpoint.open(&interrupt).expect("loopback");
    let error = link.wait_ready().expect_err("interrupted").to_string();
    assert!(
        error.contains("interrupted while it waited for a client"),
        "{error}"
    );
}

#[test]
fn a_client_that_comes_late_spoils_the_record() {
    let mut server = server("tcp::0,settle=0.05");
    assert_eq!(server.settle().expect("listening"), Settlement::Absent);
    assert!(server.report().repeatable);
    let _client = client(&server);
    server.write(b"x").expect("listening");
    assert_eq!(
        server.report().connections,
        0,
        "clients come in when the machine settles"
    );
    // The client is this very thread: nobody reads.
    assert!(matches!(
        server.settle().expect("listening"),
        Settlement::TimedOut(_)
    ));
    let report = server.report();
    assert_eq!(report.connections, 1);
    assert!(report.reason.expect("a reason").contains("use wait"));
}

#[test]
fn a_live_link_says_so() {
    let mut server = server("tcp::0,live");
    assert_eq!(server.settle().expect("listening"), Settlement::Live);
    assert!(server.report().reason.expect("a reason").contains("live"));
}

#[test]
fn telnet_negotiates_and_escapes() {
    let mut server = server("tcp::0,telnet,live");
    let mut client = client(&server);
    client
        .write_all(&[255, 253, 1, 255, 251, 31, b'h', 255, 255, 255, 241, b'i'])
        .expect("connected");
    assert_eq!(heard(&mut server, 3), [b'h', 255, b'i']);
    server.write(&[255, b'y', b'\r']).expect("connected");
    let mut offers: Vec<u8> = [(251, 1), (251, 3), (251, 0), (253, 3), (253, 0)]
        .into_iter()
        .flat_map(|(verb, option)| [255, verb, option])
        .collect();
    offers.extend([255, 254, 31, 255, 255, b'y', b'\r']);
    assert_eq!(received(&mut client, offers.len()), offers);
    let report = server.report();
    assert_eq!((report.received_bytes, report.sent_bytes), (3, 3));
}

#[test]
fn a_client_that_only_stops_sending_still_hears() {
    let mut server = server("tcp::0,live");
    let mut client = client(&server);
    client.write_all(b"q").expect("connected");
    client
        .shutdown(std::net::Shutdown::Write)
        .expect("connected");
    assert_eq!(heard(&mut server, 1), b"q");
    heard_nothing(&mut server);
    server.write(b"answer").expect("half open");
    assert_eq!(received(&mut client, 6), b"answer");
}

#[test]
fn clients_that_have_reset_end_nothing() {
    for text in ["tcp::0,live", "tcp::0,settle=0.05", "tcp::0,telnet,live"] {
        let mut server = server(text);
        for _ in 0..3 {
            let hostile = client(&server);
            rustix::net::sockopt::set_socket_linger(&hostile, Some(Duration::ZERO))
                .expect("an option");
            drop(hostile);
            server.read(&mut [0; 8]).expect("the port is good");
            server.settle().expect("the port is good");
            server.write(b"x").expect("the port is good");
        }
        assert_eq!(server.report().connections, 0, "{text}");
    }
}

#[test]
fn a_request_of_http_reaches_no_guest_and_the_next_client_does() {
    for text in ["tcp::0,live", "tcp::0,telnet,live"] {
        let mut server = server(text);
        for pieces in [1, 7, 1000] {
            let mut page = client(&server);
            let request = b"POST / HTTP/1.1\r\nHost: localhost:5001\r\n\r\nreboot\r\n";
            for piece in request.chunks(pieces) {
                // The connection may be closed before all is sent.
                let _ = page.write_all(piece);
            }
            let start = Instant::now();
            while server.report().refused == 0 && start.elapsed() < Duration::from_secs(10) {
                assert_eq!(heard_nothing(&mut server), 0, "{text}");
            }
            assert_eq!(server.state(), PeerState::Absent);
            let mut user = client(&server);
            user.write_all(b"GET it\r").expect("connected");
            assert_eq!(heard(&mut server, 7), b"GET it\r");
            let report = server.report();
            assert_eq!(
                (report.connections, report.refused, report.received_bytes),
                (1, 1, 7)
            );
            server = self::server(text);
        }
    }
}

#[test]
fn a_page_does_not_hold_up_the_run() {
    let mut server = server("tcp::0,settle=60");
    let mut page = client(&server);
    page.write_all(b"POST / HTTP/1.1\r\nHost: localhost\r\n\r\nreboot\r")
        .expect("connected");
    let start = Instant::now();
    // The client is this very thread: it would never settle.
    assert_eq!(
        server.settle().expect("the port is good"),
        Settlement::Absent
    );
    assert!(start.elapsed() < Duration::from_secs(30));
    assert_eq!(server.report().refused, 1);
    assert_eq!(server.read(&mut [0; 8]).expect("the port is good"), 0);
}

#[test]
fn a_run_that_waits_for_its_client_does_not_take_a_page_for_it() {
    let mut server = server("tcp::0,wait,settle=0.05");
    let mut page = client(&server);
    page.write_all(b"GET / HTTP/1.1\r\n\r\n")
        .expect("connected");
    server.wait_ready().expect("somebody is there");
    let address = server.local_address();
    let user = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(50));
        TcpStream::connect(address).expect("loopback")
    });
    server.settle().expect("the port is good");
    let _user = user.join().expect("connected");
    let report = server.report();
    assert_eq!((report.connections, report.refused), (1, 1));
    assert_eq!(server.state(), PeerState::Present);
    assert!(
        !report
            .reason
            .expect("this very program is its client")
            .contains("use wait")
    );
}
