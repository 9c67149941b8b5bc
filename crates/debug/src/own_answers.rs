//! What is answered without gdbstub: the lists of threads, which it does not know or takes to be of one process, reads that are longer than an answer may
//! be, and what tells processes apart.

use crate::channel::PACKET_BYTES;
use crate::debugger::{Debugger, piece};
use crate::processes::{pid_of, process_of};

/// `ESRCH`: no such thread.
const NO_THREAD: &[u8] = b"E03";
/// `EINVAL`.
const INVALID: &[u8] = b"E16";

impl Debugger<'_> {
    /// The answer to a packet, if it is none of gdbstub's.
    pub(crate) fn own_answer(&mut self, body: &[u8]) -> Option<Vec<u8>> {
        let text = std::str::from_utf8(body).ok()?;
        let number = |text: &str| usize::from_str_radix(text, 16).ok();
        if let Some(range) = text.strip_prefix("qXfer:threads:read::") {
            let range = range.split_once(',');
            let range = range.and_then(|(offset, length)| Some((number(offset)?, number(length)?)));
            return Some(range.map_or(INVALID.into(), |(offset, length)| {
                self.threads_piece(offset, length)
            }));
        }
        if let Some((_, length)) = text
            .strip_prefix('m')
            .and_then(|range| range.split_once(','))
        {
            let fits = number(length).is_some_and(|length| length <= PACKET_BYTES / 2 - 64);
            return (!fits).then(|| INVALID.into());
        }
        if !self.processes.are_several() {
            return None;
        }
        self.note_resumed(text);
        if let Some(thread) = text.strip_prefix("Hg") {
            return (!self.select(thread)).then(|| NO_THREAD.into());
        }
        if text == "qfThreadInfo" {
            return Some(self.threads_list());
        }
        let process = process_of(number(text.strip_prefix("D;")?)?)?;
        self.let_go(process).then(|| b"OK".into())
    }

    fn threads_piece(&mut self, offset: usize, length: usize) -> Vec<u8> {
        let xml = self.threads_xml();
        let mut buffer = vec![0; length.min(PACKET_BYTES / 2)];
        let size = piece(xml.as_bytes(), offset as u64, buffer.len(), &mut buffer);
        let last = offset.saturating_add(size) >= xml.len();
        let mut answer = vec![if last { b'l' } else { b'm' }];
        answer.extend(buffer[..size].iter().flat_map(|&byte| escaped(byte)));
        answer
    }

    /// The threads of all processes that the debugger sees.
    fn threads_list(&mut self) -> Vec<u8> {
        let mut list = vec![];
        for (tid, entry) in self.threads() {
            let process = self.processes.of_thread(entry.thread);
            if self.processes.is_attached(process) {
                list.push(format!("p{:x}.{tid:x}", pid_of(process)));
            }
        }
        format!("m{}", list.join(",")).into_bytes()
    }
}

/// A byte of a document as it goes over the wire.
fn escaped(byte: u8) -> impl Iterator<Item = u8> {
    let special = matches!(byte, b'#' | b'$' | b'}' | b'*');
    let sent = if special { byte ^ 0x20 } else { byte };
    special.then_some(b'}').into_iter().chain([sent])
}
