//! What GDB calls processes: the cores of one architecture, as it knows one architecture for each.

use crate::debugger::{DebugError, Debugger};
use crate::motion::Halt;
use crate::threads::Thread;
use gdbstub::common::{Pid, Tid};
use gdbstub::target::ext::extended_mode::CurrentActivePid;
use socscope_core::RegisterFile;
use socscope_machine::Machine;
use std::collections::BTreeSet;

/// Which process each core belongs to. Processes count from 0, their numbers for GDB from 1.
#[derive(Debug)]
pub(crate) struct Processes {
    /// By machine and core.
    of_cores: Vec<Vec<usize>>,
    /// Registers of each one's cores.
    files: Vec<&'static RegisterFile>,
    /// The debugger sees the threads of these.
    attached: BTreeSet<usize>,
    /// GDB waits for stops of these alone; `None` is all. It hangs when it hears of others.
    resumed: Option<BTreeSet<usize>>,
    /// The same for packets that name no thread: what `Hc` has said.
    chosen: Option<BTreeSet<usize>>,
    /// The one that was spoken of last.
    pub current: usize,
}

impl Processes {
    pub fn of(machines: &[Machine]) -> Processes {
        let mut files: Vec<&'static RegisterFile> = vec![];
        let mut process = |machine: &Machine, core| {
            let own = machine.core(core).register_file();
            let same = |one: &&RegisterFile| {
                one.endianness == own.endianness && one.description() == own.description()
            };
            files.iter().position(same).unwrap_or_else(|| {
                files.push(own);
                files.len() - 1
            })
        };
        let of_machine = |machine: &Machine| -> Vec<usize> {
            let cores = 0..machine.cores();
            cores.map(|core| process(machine, core)).collect()
        };
        let mut of_cores: Vec<_> = machines.iter().map(of_machine).collect();
        // What GDB begins with has to be one that it knows.
        let mut order: Vec<usize> = (0..files.len()).collect();
        order.sort_by_key(|&one| !is_known(files[one]));
        for process in of_cores.iter_mut().flatten() {
            *process = order.iter().position(|one| one == process).unwrap_or(0);
        }
        let files = order.into_iter().map(|one| files[one]).collect();
        Processes {
            of_cores,
            files,
            attached: BTreeSet::from([0]),
            resumed: None,
            chosen: None,
            current: 0,
        }
    }

    pub fn are_several(&self) -> bool {
        self.files.len() > 1
    }

    /// That of a thread; a task belongs to the first core, whose image its system is.
    pub fn of_thread(&self, thread: Thread) -> usize {
        match thread {
            Thread::Core { machine, core } => self.of_cores[machine][core],
            Thread::Task { machine, .. } => self.of_cores[machine][0],
        }
    }

    /// Those of a machine's cores.
    pub fn of_machine(&self, machine: usize) -> &[usize] {
        &self.of_cores[machine]
    }

    /// The registers of the current one.
    pub fn registers(&self) -> &'static RegisterFile {
        self.files[self.current]
    }

    /// The first machine that the current one has a core in.
    pub fn machine(&self) -> usize {
        let mut machines = self.of_cores.iter();
        let found = machines.position(|cores| cores.contains(&self.current));
        found.unwrap_or(0)
    }

    pub fn is_attached(&self, process: usize) -> bool {
        self.attached.contains(&process)
    }

    /// Whether the debugger waits for a stop of one.
    fn is_awaited(&self, process: usize) -> bool {
        let resumed = self.resumed.as_ref();
        self.is_attached(process) && resumed.is_none_or(|them| them.contains(&process))
    }

    /// Whether there is one that the debugger knows and did not see yet.
    pub fn attach(&mut self, process: usize) -> bool {
        let known = self.files.get(process).is_some_and(|file| is_known(file));
        let new = known && self.attached.insert(process);
        if new {
            self.current = process;
        }
        new
    }

    /// The debugger lets one go, and looks at another one. Whether there is another one.
    pub fn detach(&mut self, process: usize) -> bool {
        let others = self.attached.iter().find(|&&one| one != process);
        let Some(&other) = others else {
            return false;
        };
        self.attached.remove(&process);
        if self.current == process {
            self.current = other;
        }
        true
    }

    /// What a new debugger sees.
    pub fn begin(&mut self) {
        self.attached = BTreeSet::from([0]);
        (self.resumed, self.chosen) = (None, None);
        self.current = 0;
    }
}

/// Whether GDB knows such registers: then the description has features that it has named. Of others it shows those of its host.
fn is_known(file: &RegisterFile) -> bool {
    let mut groups = file.groups.iter();
    groups.any(|group| group.feature.starts_with("org.gnu.gdb."))
}

/// The cores of a machine that GDB cannot show.
pub fn unknown_cores(machine: &Machine) -> Vec<usize> {
    let cores = 0..machine.cores();
    cores
        .filter(|&core| !is_known(machine.core(core).register_file()))
        .collect()
}

/// A process by GDB's number.
pub(crate) fn process_of(pid: usize) -> Option<usize> {
    pid.checked_sub(1)
}

/// GDB's number of a process.
pub(crate) fn pid_of(process: usize) -> Pid {
    Pid::new(process + 1).unwrap_or(Pid::MIN)
}

impl CurrentActivePid for Debugger<'_> {
    fn current_active_pid(&mut self) -> Result<Pid, DebugError> {
        Ok(pid_of(self.processes.current))
    }
}

impl Debugger<'_> {
    /// The thread that a stop of a thread is told of, and whether GDB can be told what it was: it waits for that thread, or the access
    /// is one that another process watches. Its process is the current one then.
    pub(crate) fn told_of(&mut self, own: Tid, halt: &Halt) -> (Tid, bool) {
        let thread = self.numbers.thread(own);
        let process = thread.map_or(0, |thread| self.processes.of_thread(thread));
        // GDB looks for watchpoints in the process of the thread alone.
        let owners = match halt {
            Halt::Watch(_, _, watchpoint) => self.stops.watching(watchpoint, process),
            _ => vec![process],
        };
        if let Some(&owner) = owners.iter().find(|&&one| self.processes.is_awaited(one)) {
            self.processes.current = owner;
            let first = self.threads_of(owner).next();
            let told = if owner == process { None } else { first };
            return (told.unwrap_or(own), true);
        }
        let mut attached = self.processes.attached.iter().copied();
        let awaited = attached.find(|&one| self.processes.is_awaited(one));
        self.processes.current = awaited.unwrap_or(self.processes.current);
        let current = self.processes.current;
        let first = self.threads_of(current).next();
        (first.unwrap_or(own), false)
    }

    /// Notes whose stops GDB waits for, from what it sends to let the guest go on.
    pub(crate) fn note_resumed(&mut self, packet: &str) {
        if let Some(thread) = packet.strip_prefix("Hc") {
            self.processes.chosen = self.process_named(thread).map(|one| [one].into());
        } else if let Some(actions) = packet.strip_prefix("vCont;") {
            let named = |action: &str| self.process_named(action.split_once(':')?.1);
            let processes = actions.split(';').map(named);
            self.processes.resumed = processes.collect();
        } else if matches!(packet, "bc" | "bs" | "c" | "s") {
            self.processes.resumed.clone_from(&self.processes.chosen);
        }
    }

    /// The process of a thread, `TID` or `pPID.TID`; `None` is all.
    fn process_named(&self, thread: &str) -> Option<usize> {
        let number = |text: &str| usize::from_str_radix(text, 16).ok();
        match thread.strip_prefix('p') {
            Some(both) => process_of(number(both.split('.').next()?)?),
            None => {
                let thread = self.numbers.thread(Tid::new(number(thread)?)?)?;
                Some(self.processes.of_thread(thread))
            }
        }
    }

    /// The threads of a process.
    pub(crate) fn threads_of(&mut self, process: usize) -> impl Iterator<Item = Tid> {
        let threads = self.threads().into_iter();
        let processes = &self.processes;
        threads
            .filter(move |(_, entry)| processes.of_thread(entry.thread) == process)
            .map(|(tid, _)| tid)
    }

    /// Notes the process that a packet selects with its thread, `-1`, `0`, `TID` or `pPID.TID`. Whether there is such a one.
    pub(crate) fn select(&mut self, thread: &str) -> bool {
        let number = |text: &str| usize::from_str_radix(text, 16).ok();
        let (pid, tid) = match thread.strip_prefix('p') {
            Some(both) => both.split_once('.').unwrap_or((both, "-1")),
            None => ("-1", thread),
        };
        let thread = number(tid).and_then(Tid::new);
        let thread = thread.and_then(|tid| self.numbers.thread(tid));
        let of_thread = thread.map(|thread| self.processes.of_thread(thread));
        let given = number(pid).filter(|&pid| pid > 0).and_then(process_of);
        match (of_thread, given) {
            (Some(own), Some(given)) if own != given => return false,
            (Some(process), _) | (None, Some(process)) => {
                if !self.processes.is_attached(process) {
                    return false;
                }
                self.processes.current = process;
            }
            (None, None) => {}
        }
        true
    }
}
