use proptest::prelude::*;

use super::*;

fn parsed(text: &str) -> Endpoint {
    text.parse()
        .unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn every_form_is_read() {
    assert_eq!(parsed("terminal"), Endpoint::Terminal);
    assert_eq!(parsed("stdout"), Endpoint::Stdout);
    assert_eq!(parsed("null"), Endpoint::Null);
    assert_eq!(parsed("pipe"), Endpoint::Pipe);
    assert_eq!(
        parsed("file:a:b"),
        Endpoint::File {
            output: Some("a:b".into()),
            input: None
        }
    );
    let both = Endpoint::File {
        output: Some("o".into()),
        input: Some("i".into()),
    };
    assert_eq!(parsed("file:out=o,in=i"), both);
    assert_eq!(
        parsed("file:in=i"),
        Endpoint::File {
            output: None,
            input: Some("i".into())
        }
    );
    let machine = Endpoint::Machine {
        machine: "b".into(),
        port: "usart1".into(),
    };
    assert_eq!(parsed("machine:b/usart1"), machine);
    assert_eq!(
        parsed("tcp::5001"),
        Endpoint::Tcp(TcpOptions::loopback(5001))
    );
    let Endpoint::Tcp(options) = parsed("tcp:[::1]:0,telnet,wait,live,settle=0.5") else {
        panic!("tcp")
    };
    assert_eq!((options.host.as_str(), options.port), ("::1", 0));
    assert!(options.telnet && options.wait && options.live);
    assert_eq!(options.settle_bound, Duration::from_millis(500));
    let Endpoint::Tcp(options) = parsed("tcp:example.org:23") else {
        panic!("tcp")
    };
    assert_eq!((options.host.as_str(), options.port), ("example.org", 23));
}

#[test]
fn a_link_is_a_port_and_an_endpoint() {
    let link: Link = "usart1=file:out=x".parse().expect("a link");
    assert_eq!(link.port, "usart1");
    assert_eq!(
        link.endpoint,
        Endpoint::File {
            output: Some("x".into()),
            input: None
        }
    );
}

#[test]
fn errors_name_text_rule_and_remedy() {
    for (text, rule, remedy) in [
        (
            "usart1",
            "no '=' between port and endpoint",
            "usart1=tcp::5001",
        ),
        ("=null", "'' is no port name", "PORT=ENDPOINT"),
        ("u=", "'' is no kind of endpoint", "write terminal, stdout"),
        (
            "u=udp::1",
            "'udp' is no kind of endpoint",
            "tcp:[HOST]:PORT",
        ),
        ("u=null:x", "null takes no settings", "write null alone"),
        ("u=tcp", "tcp needs settings", "tcp:[HOST]:PORT"),
        ("u=tcp:5001", "no ':' between host and port", "tcp::5001"),
        ("u=tcp::65536", "'65536' is no port", "0 to 65535"),
        ("u=tcp::+1", "'+1' is no port", "0 to 65535"),
        ("u=tcp:::1:5", "'::1' is no host", "brackets"),
        ("u=tcp:[::1:5", "'[::1' is no host", "brackets"),
        ("u=tcp:[abc]:5", "'[abc]' is no host", "brackets"),
        ("u=tcp::5,tls", "'tls' is no setting of tcp", "telnet, raw"),
        ("u=tcp::5,settle=0", "'0' is no bound", "settle=10"),
        ("u=tcp::5,settle=nan", "'nan' is no bound", "settle=10"),
        ("u=file:", "the path is empty", "file:PATH"),
        (
            "u=file:out=a,b",
            "'b' is no setting of a file",
            "file:out=PATH",
        ),
        (
            "u=file:out=a,out=b",
            "each path is given once",
            "file:out=PATH",
        ),
        ("u=file:out=a,in=a", "the same file", "two files"),
        (
            "u=machine:b",
            "needs a machine and a port",
            "machine:NAME/usart1",
        ),
    ] {
        let error = text.parse::<Link>().expect_err(text).to_string();
        let named = text.split_once('=').map_or(text, |(_, endpoint)| endpoint);
        assert!(
            error.contains(named) && error.contains(rule) && error.contains(remedy),
            "{error}"
        );
    }
}

proptest! {
    #[test]
    fn no_text_makes_the_parser_panic(text in "(u=)?(tcp|file|machine)?[:,=/\\[\\]a-z0-9.é-]{0,20}") {
        let _ = text.parse::<Link>();
        let _ = text.parse::<Endpoint>();
    }
}
