//! What GDB calls threads: one for each core, then one for each task of the guests' operating systems.

use crate::debugger::Debugger;
use crate::processes::pid_of;
use crate::tasks::Task;
use gdbstub::common::Tid;
use std::collections::BTreeMap;
use std::fmt::Write;

/// A thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Thread {
    /// A core of a machine.
    Core {
        machine: usize,
        /// Its number in the machine.
        core: usize,
    },
    /// A task.
    Task {
        machine: usize,
        /// Address of its control block.
        address: u32,
        /// Tells it from others that used the control block before.
        identity: u32,
    },
}

impl Thread {
    pub fn machine(self) -> usize {
        match self {
            Thread::Core { machine, .. } | Thread::Task { machine, .. } => machine,
        }
    }
}

/// Numbers that threads keep: cores from 1 on, then tasks as they are first seen.
#[derive(Debug, Default)]
pub(crate) struct Numbers {
    numbers: BTreeMap<Thread, usize>,
    threads: BTreeMap<usize, Thread>,
}

impl Numbers {
    /// `cores` is how many each machine has.
    pub fn new(cores: impl Iterator<Item = usize>) -> Numbers {
        let mut numbers = Numbers::default();
        for (machine, cores) in cores.enumerate() {
            for core in 0..cores {
                numbers.of(Thread::Core { machine, core });
            }
        }
        numbers
    }

    pub fn of(&mut self, thread: Thread) -> Tid {
        let next = self.numbers.len() + 1;
        let number = *self.numbers.entry(thread).or_insert(next);
        self.threads.insert(number, thread);
        tid(number)
    }

    pub fn thread(&self, tid: Tid) -> Option<Thread> {
        self.threads.get(&tid.get()).copied()
    }
}

fn tid(number: usize) -> Tid {
    Tid::new(number).unwrap_or(Tid::MIN)
}

/// A thread with what is known of it.
pub(crate) struct Entry {
    pub thread: Thread,
    pub name: String,
    pub extra: String,
}

impl Debugger<'_> {
    /// All threads now with their numbers, cores first.
    pub(crate) fn threads(&mut self) -> Vec<(Tid, Entry)> {
        let entries = self.thread_entries().into_iter();
        entries
            .map(|entry| (self.numbers.of(entry.thread), entry))
            .collect()
    }

    /// The same without numbers.
    pub(crate) fn thread_entries(&self) -> Vec<Entry> {
        let machines = 0..self.machines.len();
        let tasks: Vec<Vec<Task>> = machines.map(|machine| self.tasks(machine)).collect();
        let mut cores = vec![];
        for (number, tasks) in tasks.iter().enumerate() {
            let machine = &self.machines[number];
            for core in 0..machine.cores() {
                let running = tasks.iter().find(|task| task.core == Some(core));
                let mode = machine.core(core).mode_name();
                let name = match machine.cores() {
                    1 => format!("{} core", machine.platform()),
                    _ if self.processes.are_several() => {
                        let model = machine.core(core).model_name();
                        format!("{} core {core} {model}", machine.platform())
                    }
                    _ => format!("{} core {core}", machine.platform()),
                };
                cores.push(Entry {
                    thread: Thread::Core {
                        machine: number,
                        core,
                    },
                    name,
                    extra: match running {
                        Some(task) => format!("runs {}, {mode}", task.name),
                        None => mode,
                    },
                });
            }
        }
        let tasks = tasks.into_iter().enumerate();
        let tasks = tasks.flat_map(|(machine, tasks)| {
            tasks.into_iter().map(move |task| Entry {
                thread: Thread::Task {
                    machine,
                    address: task.address,
                    identity: task.identity,
                },
                extra: match task.details().as_str() {
                    "" => format!("task: {}", task.state),
                    details => format!("task: {}, {details}", task.state),
                },
                name: task.name,
            })
        });
        cores.into_iter().chain(tasks).collect()
    }

    /// The tasks of a machine; none when its system is unknown or not up.
    pub(crate) fn tasks(&self, machine: usize) -> Vec<Task> {
        let table = self.task_tables.get(machine).and_then(Option::as_ref);
        table.map_or_else(Vec::new, |table| table.tasks(&self.machines[machine]))
    }

    /// What a number stands for, if it is alive.
    pub(crate) fn alive(&mut self, tid: Tid) -> Option<Thread> {
        let thread = self.numbers.thread(tid)?;
        match thread {
            Thread::Core { .. } => Some(thread),
            Thread::Task {
                machine,
                address,
                identity,
            } => self
                .tasks(machine)
                .iter()
                .any(|task| (task.address, task.identity) == (address, identity))
                .then_some(thread),
        }
    }

    /// Whether a thread has its core now: its registers are the core's.
    pub(crate) fn has_core(&self, thread: Thread) -> bool {
        match thread {
            Thread::Core { .. } => true,
            Thread::Task {
                machine, address, ..
            } => self.runs_on(machine, address).is_some(),
        }
    }

    /// The core that runs a task.
    fn runs_on(&self, machine: usize, address: u32) -> Option<usize> {
        let table = self.task_tables.get(machine)?.as_ref()?;
        table.core_of(&self.machines[machine], address)
    }

    /// The core that a thread is, or has now; of a task that does not run the one that the machine stands at.
    pub(crate) fn core_of(&self, thread: Thread) -> usize {
        match thread {
            Thread::Core { core, .. } => core,
            Thread::Task {
                machine, address, ..
            } => {
                let here = self.machines[machine].turn();
                self.runs_on(machine, address).unwrap_or(here)
            }
        }
    }

    /// The number of a thread's core among those of all machines.
    fn core_number(&self, thread: Thread) -> usize {
        let before = self.machines.iter().take(thread.machine());
        before.map(socscope_machine::Machine::cores).sum::<usize>() + self.core_of(thread)
    }

    /// The list as GDB reads it.
    pub(crate) fn threads_xml(&mut self) -> String {
        let mut xml = String::from("<?xml version=\"1.0\"?>\n<threads>\n");
        for (tid, entry) in self.threads() {
            let process = self.processes.of_thread(entry.thread);
            if !self.processes.is_attached(process) {
                continue;
            }
            let pid = pid_of(process);
            let (name, extra) = (escaped(&entry.name), escaped(&entry.extra));
            let core = self.core_number(entry.thread);
            let _ = writeln!(
                xml,
                "<thread id=\"p{pid:x}.{tid:x}\" core=\"{core}\" name=\"{name}\">{extra}</thread>"
            );
        }
        xml + "</threads>\n"
    }
}

/// Text in a document. A task's name is the guest's to choose: what acts on a terminal has no place in a document either.
fn escaped(text: &str) -> String {
    let letters = text.chars().map(|letter| match letter {
        letter if letter.is_control() => letter.escape_debug().to_string(),
        letter => letter.to_string(),
    });
    letters
        .collect::<String>()
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_that_a_guest_chose_leave_the_document_whole() {
        assert_eq!(
            super::escaped("a<b>&\"\u{1b}[31m\n\u{9b}é"),
            "a&lt;b&gt;&amp;&quot;\\u{1b}[31m\\n\\u{9b}é"
        );
    }
}
