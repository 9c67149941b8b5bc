//! Settling with real programs at the other end: each answer is whole when the wait ends, however long the program thinks.

mod kermit_receiver;

use std::io::Write;
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use socscope_host::serial::TcpServer;
use socscope_host::{Endpoint, Interrupt, SerialBackend, Settlement, TcpOptions};

/// Ends a program when the test does.
struct Peer(Child);

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn server(settings: &str) -> TcpServer {
    let text = format!("tcp::0,wait{settings}");
    let Ok(Endpoint::Tcp(options)) = text.parse() else {
        panic!("{text}")
    };
    TcpServer::bind(&options, &Interrupt::new()).expect("loopback")
}

fn python(server: &TcpServer, body: &str) -> Peer {
    let prelude = "import os, random, select, socket, subprocess, sys, threading, time\n\
        sock = socket.create_connection(('127.0.0.1', int(sys.argv[1])))\n\
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)\n\
        def think():\n    \
            if random.random() < 0.5: time.sleep(random.random() * 0.004)\n    \
            else:\n        \
                end = time.perf_counter() + random.random() * 0.004\n        \
                while time.perf_counter() < end: pass\n\
        def answer(data):\n    \
            for byte in data:\n        \
                for i in range(byte % 4):\n            \
                    think(); sock.sendall(bytes([byte, i]))\n";
    let port = server.local_address().port().to_string();
    let mut command = Command::new("python3");
    command
        .args(["-c", &format!("{prelude}{body}"), &port])
        .stdin(Stdio::null());
    Peer(command.spawn().expect("python3 is installed"))
}

/// What `answer` in the prelude says to `data`.
fn expected(data: &[u8]) -> Vec<u8> {
    data.iter()
        .flat_map(|&byte| (0..byte % 4).flat_map(move |index| [byte, index]))
        .collect()
}

fn heard(server: &mut TcpServer) -> Vec<u8> {
    let mut buffer = [0; 65_536];
    let count = server.read(&mut buffer).expect("connected");
    buffer[..count].to_vec()
}

/// Sends requests and asks for each whole answer right after the wait.
fn converse(body: &str, rounds: u8) -> TcpServer {
    let mut server = server("");
    let _peer = python(&server, body);
    server.wait_ready().expect("a client comes");
    assert_eq!(server.settle().expect("connected"), Settlement::Settled);
    for round in 0..rounds {
        let request = [round, round.wrapping_mul(7), 200 - round];
        server.write(&request).expect("connected");
        assert_eq!(
            server.settle().expect("connected"),
            Settlement::Settled,
            "round {round}"
        );
        assert_eq!(heard(&mut server), expected(&request), "round {round}");
    }
    assert!(server.report().repeatable, "{:?}", server.report());
    server
}

#[test]
fn a_reader_is_settled_when_it_reads_again() {
    for _ in 0..20 {
        converse("while data := sock.recv(100): answer(data)", 20);
    }
}

#[test]
fn a_reader_of_single_bytes_is_settled_after_the_last() {
    converse("while data := sock.recv(1): think(); answer(data)", 60);
}

#[test]
fn select_poll_and_epoll_are_waits_for_us() {
    converse(
        "while select.select([sock], [], [], 30)[0]: answer(sock.recv(9))",
        40,
    );
    converse(
        "p = select.poll(); p.register(sock, select.POLLIN)\nwhile p.poll(): answer(sock.recv(9))",
        40,
    );
    converse(
        "p = select.epoll(); p.register(sock, select.EPOLLIN)\nwhile p.poll(): answer(sock.recv(9))",
        40,
    );
    converse(
        "sock.settimeout(30)\nwhile data := sock.recv(9): answer(data)",
        40,
    );
}

#[test]
fn an_idle_loop_with_short_time_outs_is_recognised() {
    let body = "while True:\n    if select.select([sock], [], [], 0.02)[0]: answer(sock.recv(9))";
    let mut server = server("");
    let _peer = python(&server, body);
    server.wait_ready().expect("a client comes");
    let start = Instant::now();
    for round in 0..40 {
        server.write(&[round]).expect("connected");
        assert_eq!(server.settle().expect("connected"), Settlement::Settled);
        assert_eq!(heard(&mut server), expected(&[round]));
    }
    // The loop is learned once; it does not cost a time-out each time.
    assert!(
        start.elapsed() < Duration::from_secs(3),
        "{:?}",
        start.elapsed()
    );
}

#[test]
fn a_program_of_several_threads_is_settled_as_a_whole() {
    let body = "import queue\nwork = queue.Queue()\n\
        def worker():\n    while True: answer(work.get())\n\
        threading.Thread(target=worker, daemon=True).start()\n\
        while data := sock.recv(9): work.put(data)";
    converse(body, 60);
}

#[test]
fn a_relay_and_its_child_are_settled_as_a_whole() {
    let child = "import sys, time, random\nwhile True:\n    byte = sys.stdin.buffer.read(1)\n    \
        if not byte: break\n    time.sleep(random.random() * 0.004)\n    \
        for i in range(byte[0] % 4): sys.stdout.buffer.write(bytes([byte[0], i])); sys.stdout.buffer.flush()\n";
    let body = format!(
        "child = subprocess.Popen([sys.executable, '-c', {child:?}], stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n\
         def back():\n    while data := os.read(child.stdout.fileno(), 100): sock.sendall(data)\n\
         threading.Thread(target=back, daemon=True).start()\n\
         while data := sock.recv(9): os.write(child.stdin.fileno(), data)"
    );
    converse(&body, 60);
}

#[test]
fn a_thread_of_our_own_process_can_be_the_peer() {
    let mut server = server("");
    let address = server.local_address();
    let peer = std::thread::spawn(move || {
        use std::io::Read;
        let mut stream = std::net::TcpStream::connect(address).expect("loopback");
        let mut buffer = [0; 16];
        while let Ok(count @ 1..) = stream.read(&mut buffer) {
            std::thread::sleep(Duration::from_millis(2));
            stream.write_all(&buffer[..count]).expect("connected");
        }
    });
    server.wait_ready().expect("a client comes");
    for round in 0..20 {
        server.write(&[round; 5]).expect("connected");
        assert_eq!(server.settle().expect("connected"), Settlement::Settled);
        assert_eq!(heard(&mut server), [round; 5]);
    }
    server.close().expect("open");
    drop(server);
    peer.join().expect("the thread ends with the connection");
}

#[test]
fn a_program_that_ends_is_heard_to_its_last_byte() {
    let mut server = server("");
    let _peer = python(
        &server,
        "sock.recv(1); think(); sock.sendall(b'x' * 3000 + b'end')",
    );
    server.wait_ready().expect("a client comes");
    server.write(b"?").expect("connected");
    assert_eq!(server.settle().expect("connected"), Settlement::Absent);
    let text = heard(&mut server);
    assert_eq!((text.len(), &text[3000..]), (3003, &b"end"[..]));
    assert_eq!(server.settle().expect("listening"), Settlement::Absent);
    assert!(server.report().repeatable, "{:?}", server.report());
}

#[test]
fn a_program_that_sleeps_is_not_settled() {
    let mut server = server(",settle=0.3");
    let _peer = python(&server, "time.sleep(100)");
    server.wait_ready().expect("a client comes");
    let Settlement::TimedOut(what) = server.settle().expect("connected") else {
        panic!("it sleeps")
    };
    assert!(
        what.contains("python3") && what.contains("sleeps"),
        "{what}"
    );
    let report = server.report();
    assert!(!report.repeatable && report.reason.expect("a reason").contains("more than 0.3 s"));
}

#[test]
fn after_a_time_out_the_run_goes_on_and_the_program_may_settle_again() {
    let mut server = server(",settle=0.3");
    let _peer = python(
        &server,
        "time.sleep(1)\nwhile data := sock.recv(9): answer(data)",
    );
    server.wait_ready().expect("a client comes");
    assert!(matches!(
        server.settle().expect("connected"),
        Settlement::TimedOut(_)
    ));
    let start = Instant::now();
    for _ in 0..20 {
        assert!(matches!(
            server.settle().expect("connected"),
            Settlement::TimedOut(_)
        ));
    }
    assert!(
        start.elapsed() < Duration::from_millis(200),
        "{:?}",
        start.elapsed()
    );
    while server.settle().expect("connected") != Settlement::Settled {
        assert!(start.elapsed() < Duration::from_secs(10));
    }
    server.write(&[3]).expect("connected");
    assert_eq!(server.settle().expect("connected"), Settlement::Settled);
    assert_eq!(heard(&mut server), expected(&[3]));
    assert!(!server.report().repeatable);
}

#[test]
fn a_program_that_waits_for_something_else_is_named() {
    let mut server = server("");
    let _peer = python(&server, "os.read(os.pipe()[0], 1)");
    server.wait_ready().expect("a client comes");
    let start = Instant::now();
    let Settlement::Elsewhere(what) = server.settle().expect("connected") else {
        panic!("it reads a pipe")
    };
    assert!(what.contains("waits for a read on pipe:"), "{what}");
    // The second time costs nothing: nobody has run since.
    let first = start.elapsed();
    for _ in 0..10 {
        server.write(b"x").expect("connected");
        assert!(matches!(
            server.settle().expect("connected"),
            Settlement::Elsewhere(_)
        ));
    }
    assert!(start.elapsed() < first * 2 + Duration::from_millis(50));
    assert!(!server.report().repeatable);
}

#[test]
fn an_interrupt_ends_the_wait() {
    let interrupt = Interrupt::new();
    let mut server = TcpServer::bind(
        &TcpOptions {
            wait: true,
            ..TcpOptions::loopback(0)
        },
        &interrupt,
    )
    .expect("loopback");
    let _peer = python(&server, "time.sleep(100)");
    server.wait_ready().expect("a client comes");
    interrupt.raise();
    assert_eq!(server.settle().expect("connected"), Settlement::Interrupted);
}

#[test]
fn bytes_that_were_not_called_for_spoil_the_record() {
    let mut server = server("");
    let _peer = python(
        &server,
        "select.select([sock], [], [], 1.2); sock.sendall(b'hello?'); sock.recv(1)",
    );
    server.wait_ready().expect("a client comes");
    assert_eq!(server.settle().expect("connected"), Settlement::Settled);
    assert!(server.report().repeatable);
    std::thread::sleep(Duration::from_millis(1500));
    assert_eq!(server.settle().expect("connected"), Settlement::Settled);
    assert_eq!(heard(&mut server), b"hello?");
    assert!(
        server
            .report()
            .reason
            .expect("a reason")
            .contains("spoke up by itself")
    );
}

#[test]
fn a_client_that_pours_is_taken_in_up_to_a_bound() {
    let mut server = server("");
    let _peer = python(
        &server,
        "block = bytes(range(256)) * 256\nwhile True: sock.sendall(block)",
    );
    server.wait_ready().expect("a client comes");
    let mut next = 0_usize;
    for _ in 0..100 {
        assert_eq!(server.settle().expect("connected"), Settlement::Settled);
        for byte in heard(&mut server) {
            assert_eq!(usize::from(byte), next % 256);
            next += 1;
        }
    }
    assert_eq!(next, 100 * 65_536);
}

/// Transfers with the same Kermit are equal, exchange by exchange, however fast we are.
fn repeats(kermit: fn(SocketAddr, &Path) -> Child) {
    let folder = tempfile::tempdir().expect("there is room");
    let file: Vec<u8> = (0..4000_u32).map(|n| (n * n / 7) as u8).collect();
    std::fs::write(folder.path().join("data.bin"), &file).expect("there is room");
    let transfer = |pace| {
        let mut server = server("");
        let kermit = kermit(server.local_address(), folder.path());
        kermit_receiver::transfer(&mut server, kermit, Duration::from_millis(pace))
    };
    let first = transfer(0);
    assert_eq!(first.file, file);
    assert!(first.exchanges.len() > 40);
    for pace in [0, 1, 4] {
        assert_eq!(transfer(pace), first);
    }
}

#[test]
fn a_file_from_c_kermit_repeats_to_the_bit() {
    repeats(kermit_receiver::c_kermit);
}

#[test]
fn a_file_from_g_kermit_repeats_to_the_bit() {
    repeats(kermit_receiver::g_kermit);
}
