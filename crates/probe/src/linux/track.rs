//! Who does what on each core, whatever the architecture.

use super::layout::Task;
use std::collections::BTreeMap;

/// What a core is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Activity {
    /// The task of number 0 has nothing to do, or no kernel runs on the core yet.
    Idle,
    /// The task's own code.
    User,
    /// The kernel's own work: its start, its threads, the beginning of a new task.
    Kernel,
    /// A system call of the task, by its number.
    SystemCall(u32),
    /// An exception that an instruction has brought, by its vector's offset: a page that is not there, an illegal instruction.
    Fault(u32),
    /// An interrupt, by its source at the controller once the kernel has asked for it.
    Interrupt(Option<u32>),
    /// The core's own timer.
    Timer,
}

/// A stretch of time in which a core did one thing for one task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// The core.
    pub core: u16,
    /// First cycle.
    pub start_cycle: u64,
    /// The cycle behind the last one.
    pub end_cycle: u64,
    /// Number of the task.
    pub task: u32,
    /// What it did.
    pub activity: Activity,
}

/// A system call that has returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// The core on which it returned.
    pub core: u16,
    /// Cycle of its exception.
    pub start_cycle: u64,
    /// Cycle at which user code went on.
    pub end_cycle: u64,
    /// Number of the task.
    pub task: u32,
    /// Number of the system call.
    pub number: u32,
    /// What it gave.
    pub result: u32,
}

/// A core between two instructions.
#[derive(Clone, Debug)]
pub(super) struct Moment<'a> {
    pub cycle: u64,
    pub step: Step,
    /// The core is in user mode now.
    pub user: bool,
    pub stack: u32,
    /// Address of the task's control block.
    pub block: u32,
    /// None before the kernel has said where its task is.
    pub task: Option<&'a Task>,
    /// The register in which system calls give their result.
    pub result: u32,
}

/// What the instruction before the moment has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Entry {
        activity: Activity,
        from_user: bool,
        /// The stack pointer of what was interrupted.
        stack: u32,
        /// The next return ends nothing: the handler goes on in another mode.
        changes_mode: bool,
    },
    Return,
    Switch,
}

/// An exception that has not returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Frame {
    activity: Activity,
    start_cycle: u64,
    from_user: bool,
    /// The stack pointer before its entry, which its return brings back.
    stack: u32,
    changes_mode: bool,
}

/// What is known of a core.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Now {
    since: u64,
    block: u32,
    task: u32,
    activity: Activity,
    user: bool,
    frames: Vec<Frame>,
    /// The kernel starts on this core: its first task works until it makes way for another one.
    starting: bool,
}

/// Stretches that are told apart; what follows is added up by core, task and activity.
pub const STRETCHES_MAX: usize = if cfg!(test) { 64 } else { 1 << 21 };
/// System calls that are kept; later ones are only counted.
pub const CALLS_MAX: usize = if cfg!(test) { 64 } else { 1 << 20 };
/// Tasks that are told apart; all further ones are one.
pub const TASKS_MAX: usize = if cfg!(test) { 16 } else { 1 << 16 };
/// Tasks that wait in exceptions; of more one is forgotten, whose kernel work is then counted as the kernel's own.
const WAITING_MAX: usize = 1 << 16;
/// Exceptions within each other on one core, and of one task.
const FRAMES_MAX: usize = 1_000;

/// What is not told apart, because there was too much of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rest {
    /// Cycles and number of the stretches that are added up, by core, task and activity.
    pub stretches: BTreeMap<(u16, u32, Activity), (u64, u64)>,
    /// System calls that are not kept.
    pub calls: u64,
}

/// Everything that was found.
#[derive(Clone, Debug, Default)]
pub struct Track {
    tasks: Vec<Task>,
    numbers: BTreeMap<Task, u32>,
    cores: BTreeMap<u16, Now>,
    rest: Rest,
    /// Exceptions that tasks have not returned from while others run, by control block, with the number that the task had.
    waiting: BTreeMap<u32, (u32, Vec<Frame>)>,
    stretches: Vec<Stretch>,
    calls: Vec<Call>,
}

impl Track {
    /// The tasks by number.
    pub fn tasks(&self) -> &[Task] {
        &self.tasks
    }

    /// The task that a core runs; none before it was looked at.
    pub fn task_of(&self, core: u16) -> Option<&Task> {
        let now = self.cores.get(&core)?;
        Some(&self.tasks[now.task as usize])
    }

    /// All stretches, those of a core in the order of time; those that are under way end at the cycle that a core has reached.
    pub fn stretches(&self, reached: impl Fn(u16) -> u64) -> Vec<Stretch> {
        let mut all = self.stretches.clone();
        let open = self.cores.iter();
        all.extend(open.filter_map(|(core, now)| stretch(*core, now, reached(*core))));
        all
    }

    /// The system calls that have returned, in that order.
    pub fn calls(&self) -> &[Call] {
        &self.calls
    }

    /// What is not told apart.
    pub fn rest(&self) -> &Rest {
        &self.rest
    }

    /// What of this is not told apart, and what is exact all the same; none while everything is.
    pub fn warnings(&self) -> Vec<String> {
        let mut all = vec![];
        let folded: u64 = self.rest.stretches.values().map(|(_, count)| count).sum();
        if folded > 0 {
            all.push(format!(
                "tasks: {folded} stretches of time after the first {STRETCHES_MAX} are not in the table task_spans; sums of times by task are exact"
            ));
        }
        if self.rest.calls > 0 {
            all.push(format!(
                "tasks: {} system calls after the first {CALLS_MAX} are not in the table system_calls",
                self.rest.calls
            ));
        }
        if self.tasks.len() >= TASKS_MAX {
            all.push(format!(
                "tasks: the first {TASKS_MAX} are told apart, the times of all further ones are added up as one"
            ));
        }
        all
    }

    fn add_stretch(&mut self, stretch: Stretch) {
        if self.stretches.len() < STRETCHES_MAX {
            self.stretches.push(stretch);
            return;
        }
        let key = (stretch.core, stretch.task, stretch.activity);
        let (cycles, count) = self.rest.stretches.entry(key).or_default();
        *cycles += stretch.end_cycle - stretch.start_cycle;
        *count += 1;
    }

    fn number(&mut self, task: &Task) -> u32 {
        if let Some(number) = self.numbers.get(task) {
            return *number;
        }
        if self.tasks.len() >= TASKS_MAX {
            return TASKS_MAX as u32 - 1;
        }
        if self.tasks.len() == TASKS_MAX - 1 {
            self.tasks.push(Task {
                name: "(others)".into(),
                ..Task::default()
            });
            return TASKS_MAX as u32 - 1;
        }
        let number = self.tasks.len() as u32;
        self.tasks.push(task.clone());
        self.numbers.insert(task.clone(), number);
        number
    }

    /// The same for a task that a core mostly ran before.
    fn number_on(&mut self, core: u16, task: &Task) -> u32 {
        match self.cores.get(&core) {
            Some(now) if self.tasks[now.task as usize] == *task => now.task,
            _ => self.number(task),
        }
    }

    /// The interrupt that a core serves has this source.
    pub(super) fn interrupt(&mut self, core: u16, source: u32) {
        let Some(now) = self.cores.get_mut(&core) else {
            return;
        };
        if let Some(frame) = now.frames.last_mut()
            && frame.activity == Activity::Interrupt(None)
        {
            frame.activity = Activity::Interrupt(Some(source));
            now.activity = frame.activity;
        }
    }

    /// Takes in what a core shows.
    pub(super) fn take(&mut self, core: u16, moment: &Moment) {
        let task = self.number_on(core, moment.task.unwrap_or(&Task::default()));
        let mut now = self.cores.remove(&core).unwrap_or_else(|| Now {
            since: moment.cycle,
            block: moment.block,
            task,
            activity: Activity::Kernel,
            user: moment.user,
            frames: vec![],
            starting: moment.task.is_none(),
        });
        if now.block != moment.block {
            // The first pointer of all names the task that starts the kernel.
            now.starting &= self.tasks[now.task as usize] == Task::default();
            self.switch(&mut now, moment);
        }
        match moment.step {
            Step::Entry {
                activity,
                from_user,
                stack,
                changes_mode,
            } => {
                if from_user {
                    now.frames.clear();
                }
                if now.frames.len() == FRAMES_MAX {
                    now.frames.remove(0);
                }
                now.frames.push(Frame {
                    activity,
                    start_cycle: moment.cycle,
                    from_user,
                    stack,
                    changes_mode,
                });
            }
            Step::Return if moment.user => self.leave(core, &mut now, task, moment),
            Step::Return => {
                let last = now.frames.last_mut();
                if last.is_none_or(|frame| !std::mem::take(&mut frame.changes_mode)) {
                    // The kernel also uses returns to switch translation on, with the handler's stack then.
                    let ended = |frame: &Frame| !frame.from_user && frame.stack == moment.stack;
                    while now.frames.last().is_some_and(ended) {
                        now.frames.pop();
                    }
                }
            }
            Step::Switch => {}
        }
        let activity = match now.frames.last() {
            _ if moment.user => Activity::User,
            Some(frame) => frame.activity,
            None => match moment.task {
                Some(task) if task.pid == 0 && !now.starting => Activity::Idle,
                None if core != 0 => Activity::Idle,
                _ => Activity::Kernel,
            },
        };
        if activity != now.activity || task != now.task {
            if let Some(stretch) = stretch(core, &now, moment.cycle) {
                self.add_stretch(stretch);
            }
            now.since = moment.cycle;
        }
        (now.task, now.activity, now.user) = (task, activity, moment.user);
        self.cores.insert(core, now);
    }

    /// Another task has the core: its exceptions are those that it has not returned from.
    fn switch(&mut self, now: &mut Now, moment: &Moment) {
        let before = self.tasks[now.task as usize].pid;
        let frames = std::mem::take(&mut now.frames);
        if self.waiting.len() >= WAITING_MAX {
            self.waiting.pop_first();
        }
        self.waiting.insert(now.block, (before, frames));
        now.block = moment.block;
        // A control block may have been given to a new task.
        if let Some((pid, frames)) = self.waiting.remove(&moment.block)
            && Some(pid) == moment.task.map(|task| task.pid)
        {
            now.frames = frames;
        }
    }

    /// User code goes on.
    fn leave(&mut self, core: u16, now: &mut Now, task: u32, moment: &Moment) {
        let entered = now.frames.drain(..).next();
        if let Some(Frame {
            activity: Activity::SystemCall(number),
            start_cycle,
            from_user: true,
            ..
        }) = entered
        {
            if self.calls.len() == CALLS_MAX {
                self.rest.calls += 1;
                return;
            }
            self.calls.push(Call {
                core,
                start_cycle,
                end_cycle: moment.cycle,
                task,
                number,
                result: moment.result,
            });
        }
    }
}

/// What a core did until `cycle`, if that took time.
fn stretch(core: u16, now: &Now, cycle: u64) -> Option<Stretch> {
    (cycle > now.since).then_some(Stretch {
        core,
        start_cycle: now.since,
        end_cycle: cycle,
        task: now.task,
        activity: now.activity,
    })
}
