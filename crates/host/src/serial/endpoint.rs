//! The text that names an endpoint: `usart1=tcp::5001,telnet`.

use std::net::IpAddr;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use crate::HostError;

const FORMS: &str = "write terminal, stdout, null, pipe, file:PATH, file:out=PATH,in=PATH, \
    tcp:[HOST]:PORT[,telnet][,wait][,live][,settle=SECONDS] or machine:NAME/PORT";

/// How a TCP server listens.
#[derive(Clone, Debug, PartialEq)]
pub struct TcpOptions {
    /// Host as written, without brackets; empty for loopback.
    pub host: String,
    /// Port; 0 for any free one.
    pub port: u16,
    /// Speak the telnet protocol.
    pub telnet: bool,
    /// The run starts when a client is there.
    pub wait: bool,
    /// Take bytes as they come, without [`settle`](super::SerialBackend::settle): for people, not repeatable.
    pub live: bool,
    /// Longest wait of one [`settle`](super::SerialBackend::settle).
    pub settle_bound: Duration,
}

impl TcpOptions {
    /// A raw server on loopback.
    pub fn loopback(port: u16) -> TcpOptions {
        TcpOptions {
            host: String::new(),
            port,
            telnet: false,
            wait: false,
            live: false,
            settle_bound: Duration::from_secs(10),
        }
    }
}

/// The other end of a serial line.
#[derive(Clone, Debug, PartialEq)]
pub enum Endpoint {
    /// The terminal in raw mode; Ctrl-A x leaves.
    Terminal,
    /// Standard output; no input.
    Stdout,
    /// Nowhere.
    Null,
    /// A queue in memory, for scripts.
    Pipe,
    /// Files.
    File {
        /// Takes what the guest sends.
        output: Option<PathBuf>,
        /// Is sent to the guest.
        input: Option<PathBuf>,
    },
    /// A TCP server.
    Tcp(TcpOptions),
    /// The UART of another machine.
    Machine {
        /// Name of the machine.
        machine: String,
        /// Its port.
        port: String,
    },
}

/// A port of the board and what is at its other end.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Name of the port, such as `usart1`.
    pub port: String,
    /// The other end.
    pub endpoint: Endpoint,
}

impl Link {
    /// Reads text such as `usart1=tcp::5001`.
    pub fn parse(text: &str) -> Result<Link, HostError> {
        text.parse()
    }
}

fn refused(text: &str, rule: impl Into<String>, remedy: impl Into<String>) -> HostError {
    HostError::LinkText {
        text: text.to_owned(),
        rule: rule.into(),
        remedy: remedy.into(),
    }
}

impl FromStr for Link {
    type Err = HostError;

    fn from_str(text: &str) -> Result<Link, HostError> {
        let remedy = "write PORT=ENDPOINT, such as usart1=tcp::5001";
        let (port, endpoint) = text
            .split_once('=')
            .ok_or_else(|| refused(text, "no '=' between port and endpoint", remedy))?;
        let named = |c: char| c.is_ascii_alphanumeric() || "_-,@/.".contains(c);
        if port.is_empty() || !port.chars().all(named) {
            return Err(refused(text, format!("'{port}' is no port name"), remedy));
        }
        Ok(Link {
            port: port.to_owned(),
            endpoint: endpoint.parse()?,
        })
    }
}

impl FromStr for Endpoint {
    type Err = HostError;

    fn from_str(text: &str) -> Result<Endpoint, HostError> {
        let (kind, rest) = match text.split_once(':') {
            Some((kind, rest)) => (kind, Some(rest)),
            None => (text, None),
        };
        match (kind, rest) {
            ("terminal", None) => Ok(Endpoint::Terminal),
            ("stdout", None) => Ok(Endpoint::Stdout),
            ("null", None) => Ok(Endpoint::Null),
            ("pipe", None) => Ok(Endpoint::Pipe),
            ("terminal" | "stdout" | "null" | "pipe", Some(_)) => Err(refused(
                text,
                format!("{kind} takes no settings"),
                format!("write {kind} alone"),
            )),
            ("file", Some(rest)) => file(text, rest),
            ("tcp", Some(rest)) => tcp(text, rest),
            ("machine", Some(rest)) => match rest.split_once('/') {
                Some((machine, port)) if !machine.is_empty() && !port.is_empty() => {
                    Ok(Endpoint::Machine {
                        machine: machine.to_owned(),
                        port: port.to_owned(),
                    })
                }
                _ => Err(refused(
                    text,
                    "the other end needs a machine and a port",
                    "write machine:NAME/usart1",
                )),
            },
            ("file" | "tcp" | "machine", None) => {
                Err(refused(text, format!("{kind} needs settings"), FORMS))
            }
            _ => Err(refused(
                text,
                format!("'{kind}' is no kind of endpoint"),
                FORMS,
            )),
        }
    }
}

fn file(text: &str, rest: &str) -> Result<Endpoint, HostError> {
    let (mut output, mut input) = (None, None);
    if rest.starts_with("out=") || rest.starts_with("in=") {
        for setting in rest.split(',') {
            let (slot, path) = match setting.split_once('=') {
                Some(("out", path)) => (&mut output, path),
                Some(("in", path)) => (&mut input, path),
                _ => {
                    let rule = format!("'{setting}' is no setting of a file (commas end a path)");
                    return Err(refused(text, rule, "write file:out=PATH,in=PATH"));
                }
            };
            if path.is_empty() || slot.replace(PathBuf::from(path)).is_some() {
                return Err(refused(
                    text,
                    "each path is given once and not empty",
                    "write file:out=PATH,in=PATH",
                ));
            }
        }
    } else if rest.is_empty() {
        return Err(refused(text, "the path is empty", "write file:PATH"));
    } else {
        output = Some(PathBuf::from(rest));
    }
    if output.is_some() && output == input {
        return Err(refused(
            text,
            "input and output are the same file",
            "name two files",
        ));
    }
    Ok(Endpoint::File { output, input })
}

fn tcp(text: &str, rest: &str) -> Result<Endpoint, HostError> {
    let mut parts = rest.split(',');
    let place = parts.next().unwrap_or_default();
    let (host, port) = place.rsplit_once(':').ok_or_else(|| {
        refused(
            text,
            "no ':' between host and port",
            "write tcp::5001 or tcp:HOST:5001",
        )
    })?;
    let bare = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'));
    if bare.is_none() && host.contains([':', '[', ']'])
        || bare.is_some_and(|host| !matches!(host.parse(), Ok(IpAddr::V6(_))))
    {
        return Err(refused(
            text,
            format!("'{host}' is no host"),
            "put an IPv6 address in brackets: tcp:[::1]:5001",
        ));
    }
    let port = port
        .parse()
        .ok()
        .filter(|_| port.bytes().all(|byte| byte.is_ascii_digit()))
        .ok_or_else(|| {
            refused(
                text,
                format!("'{port}' is no port"),
                "write a number from 0 to 65535, 0 for any",
            )
        })?;
    let mut options = TcpOptions {
        host: bare.unwrap_or(host).to_owned(),
        ..TcpOptions::loopback(port)
    };
    for setting in parts {
        match setting.split_once('=') {
            None if setting == "telnet" => options.telnet = true,
            None if setting == "raw" => options.telnet = false,
            None if setting == "wait" => options.wait = true,
            None if setting == "live" => options.live = true,
            Some(("settle", seconds)) => {
                options.settle_bound = seconds
                    .parse()
                    .ok()
                    .and_then(|seconds: f64| Duration::try_from_secs_f64(seconds).ok())
                    .filter(|bound| !bound.is_zero() && *bound <= Duration::from_secs(86_400))
                    .ok_or_else(|| {
                        let rule = format!("'{seconds}' is no bound");
                        refused(
                            text,
                            rule,
                            "write seconds above 0 and up to a day, such as settle=10",
                        )
                    })?;
            }
            _ => {
                let rule = format!("'{setting}' is no setting of tcp");
                return Err(refused(
                    text,
                    rule,
                    "use telnet, raw, wait, live or settle=SECONDS",
                ));
            }
        }
    }
    Ok(Endpoint::Tcp(options))
}

#[cfg(test)]
#[path = "endpoint_tests.rs"]
mod tests;
