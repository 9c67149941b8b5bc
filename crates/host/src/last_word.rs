//! Guests that give up by their own word: a line of the console that reads like a kernel's last one.

use crate::HostError;
use socscope_machine::Machine;
use socscope_time::Instant;

/// Simulated time that a guest may go on after its last word, for registers and a backtrace.
const LAST_WORDS_PS: u64 = 100_000_000_000;
/// Of a longer line the rest is not looked at.
const LINE_BYTES_MAX: usize = 4096;

/// What a guest that gives up says, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastWord {
    /// The port.
    pub port: String,
    /// Beginnings of lines; a time stamp in brackets may stand before them.
    pub words: Vec<Vec<u8>>,
}

/// Reads a port for a guest's last word.
pub(crate) struct LastWordWatch<'a> {
    wanted: &'a LastWord,
    cursor: usize,
    line: Vec<u8>,
    found: Option<(String, Instant)>,
}

impl<'a> LastWordWatch<'a> {
    /// From here on.
    pub fn new(machine: &Machine, wanted: &'a LastWord) -> Result<Self, HostError> {
        let mut cursor = 0;
        sent(machine, &wanted.port, &mut cursor)?;
        Ok(LastWordWatch {
            wanted,
            cursor,
            line: vec![],
            found: None,
        })
    }

    /// Reads what has come. Gives the line when the guest has given up, and has said what it had to say or cannot go on.
    pub fn read(&mut self, machine: &Machine, ended: bool) -> Result<Option<String>, HostError> {
        let said = sent(machine, &self.wanted.port, &mut self.cursor)?;
        for byte in said {
            if byte == b'\n' {
                self.end_line(machine.now());
            } else if self.line.len() < LINE_BYTES_MAX {
                self.line.push(byte);
            }
        }
        if ended {
            self.end_line(machine.now());
        }
        let over = |since: Instant| ended || machine.now().0 >= since.0 + LAST_WORDS_PS;
        let found = self.found.as_ref().filter(|(_, since)| over(*since));
        Ok(found.map(|(line, _)| line.clone()))
    }

    fn end_line(&mut self, now: Instant) {
        if self.found.is_none() && self.wanted.words.iter().any(|word| says(&self.line, word)) {
            let line = String::from_utf8_lossy(&self.line);
            self.found = Some((line.trim().into(), now));
        }
        self.line.clear();
    }
}

fn sent(machine: &Machine, port: &str, cursor: &mut usize) -> Result<Vec<u8>, HostError> {
    machine
        .sent_since(port, cursor)
        .map_err(|error| HostError::LinkText {
            text: port.into(),
            rule: error.to_string(),
            remedy: "name a port".into(),
        })
}

/// Whether a line begins with the word, after a time stamp if there is one.
fn says(line: &[u8], word: &[u8]) -> bool {
    let stamp = line.first() == Some(&b'[');
    let behind = line.windows(2).position(|two| two == b"] ");
    let text = match behind.filter(|_| stamp) {
        Some(end) => &line[end + 2..],
        None => line,
    };
    text.starts_with(word)
}

#[cfg(test)]
mod tests {
    use super::says;

    #[test]
    fn a_last_word_begins_a_line_behind_a_time_stamp_or_not() {
        let word = b"Kernel panic - not syncing: ";
        assert!(says(b"Kernel panic - not syncing: no init", word));
        assert!(says(
            b"[    1.25] Kernel panic - not syncing: no init",
            word
        ));
        assert!(!says(b"log:Kernel panic - not syncing: no init", word));
        assert!(!says(b"---[ end Kernel panic - not syncing: ] x", word));
        assert!(!says(b"", word));
    }
}
