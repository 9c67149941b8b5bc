//! The target of a debugger: machines that share one time, with what was set on them.

use crate::arch::AnyArch;
use crate::counting::Counting;
use crate::motion::{Goal, Halt};
use crate::processes::Processes;
use crate::stops::Stops;
use crate::tasks::TaskTable;
use crate::threads::Numbers;
use gdbstub::target::ext::base::BaseOps;
use gdbstub::target::ext::breakpoints::BreakpointsOps;
use gdbstub::target::ext::extended_mode::ExtendedModeOps;
use gdbstub::target::ext::memory_map::{MemoryMap, MemoryMapOps};
use gdbstub::target::ext::monitor_cmd::MonitorCmdOps;
use gdbstub::target::ext::target_description_xml_override::{
    TargetDescriptionXmlOverride, TargetDescriptionXmlOverrideOps,
};
use gdbstub::target::{Target, TargetError, TargetResult};
use socscope_checkpoint::history::{History, Settings};
use socscope_machine::{LockStep, Machine};
use socscope_probe::{Functions, ProbeSet};
use socscope_time::Instant;
use std::collections::{BTreeMap, VecDeque};
use thiserror::Error;

/// `ENOENT`: a description that there is none of.
const NO_FILE: u8 = 2;

/// What is debugged.
pub struct Subject<'a> {
    /// Machines that share one time.
    pub machines: &'a mut [Machine],
    /// Their profiles, by machine.
    pub profiles: &'a mut [ProbeSet],
    /// What joins them.
    pub lock_step: &'a LockStep,
    /// Names for addresses, by machine.
    pub symbols: Vec<Symbols>,
    /// The tasks of their operating systems, by machine.
    pub task_tables: Vec<Option<TaskTable>>,
    /// When the run ends by itself.
    pub end: Instant,
}

/// Functions: first address, the one behind the last, number, name; sorted and disjoint.
pub type SymbolList = Vec<(u32, u32, i64, String)>;

/// The functions of images.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    /// Those in memory that all share.
    pub shared: SymbolList,
    /// Those in memory that a core alone sees.
    pub own: BTreeMap<u16, SymbolList>,
}

impl Symbols {
    /// The function that a core finds at an address, with the distance from its start.
    pub(crate) fn at(&self, core: u16, address: u32) -> Option<(&str, u32)> {
        let own = self.own.get(&core);
        let lists = own.into_iter().chain([&self.shared]);
        lists.into_iter().find_map(|list| {
            let after = list.partition_point(|(start, ..)| *start <= address);
            let (start, end, _, name) = list.get(after.checked_sub(1)?)?;
            (address < *end).then_some((name.as_str(), address - start))
        })
    }

    pub(crate) fn name(&self, number: i64) -> Option<&str> {
        let mut all = self.own.values().chain([&self.shared]).flatten();
        let found = all.find(|(_, _, one, _)| *one == number);
        found.map(|(.., name)| name.as_str())
    }

    /// The same without names, as a profile wants them.
    pub(crate) fn functions(&self) -> Result<Functions, u32> {
        let nameless = |list: &SymbolList| -> Vec<(u32, u32, i64)> {
            let all = list.iter();
            all.map(|&(start, end, id, _)| (start, end, id)).collect()
        };
        let shared = Functions::new(&nameless(&self.shared))?;
        let mut own = self.own.iter();
        own.try_fold(shared, |known, (core, list)| {
            known.with_own(*core, &nameless(list))
        })
    }
}

/// Debugging cannot go on.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DebugError {
    /// Time cannot be moved.
    #[error("{0}")]
    Time(String),
}

/// A debugger's view of machines.
pub struct Debugger<'a> {
    pub(crate) machines: &'a mut [Machine],
    pub(crate) profiles: &'a mut [ProbeSet],
    pub(crate) lock_step: &'a LockStep,
    pub(crate) symbols: Vec<Symbols>,
    pub(crate) task_tables: Vec<Option<TaskTable>>,
    pub(crate) end: Instant,
    pub(crate) numbers: Numbers,
    pub(crate) processes: Processes,
    pub(crate) stops: Stops,
    pub(crate) goal: Goal,
    /// What other machines came to at the same time; told one after another.
    pub(crate) waiting: VecDeque<(usize, Halt)>,
    /// GDB steps one thread and holds the others back.
    pub(crate) steps_alone: bool,
    /// The last halt was an access behind which the machine stands, and GDB will ask for the step that makes it.
    pub(crate) access_is_done: bool,
    /// A step stops in the interrupt that comes before its instruction.
    pub(crate) steps_into_interrupts: bool,
    /// How tasks that do not run are seen.
    pub(crate) view: Option<String>,
    /// The machine that came to a halt last: what monitor commands and ways back are about.
    pub(crate) focus: usize,
    pub(crate) history: Option<History>,
    pub(crate) history_settings: Settings,
    /// The debugger has ended the guest.
    pub(crate) killed: bool,
    /// What the profiles count, by machine.
    pub(crate) counting: Vec<Counting>,
    /// A monitor command has begun, paused or reset what is counted.
    pub(crate) probes_changed: bool,
}

impl<'a> Debugger<'a> {
    /// A view with nothing set.
    pub fn new(subject: Subject<'a>) -> Debugger<'a> {
        let Subject {
            machines,
            profiles,
            lock_step,
            symbols,
            task_tables,
            end,
        } = subject;
        Debugger {
            processes: Processes::of(machines),
            numbers: Numbers::new(machines.iter().map(Machine::cores)),
            counting: vec![Counting::default(); machines.len()],
            machines,
            profiles,
            lock_step,
            symbols,
            task_tables,
            end,
            stops: Stops::default(),
            goal: Goal::Stay,
            waiting: VecDeque::new(),
            steps_alone: false,
            access_is_done: false,
            steps_into_interrupts: false,
            view: None,
            focus: 0,
            history: None,
            history_settings: Settings::default(),
            killed: false,
            probes_changed: false,
        }
    }

    /// The machines, between two pieces of a run.
    pub fn machines(&mut self) -> &mut [Machine] {
        self.machines
    }

    /// Whether the profiles still hold what was counted from their begin to where the machines stand: time was not moved, and no monitor
    /// command was about them.
    pub fn counts_hold(&self) -> bool {
        let moved = |history: &History| history.in_past() || history.cuts() > 0;
        !self.probes_changed && !self.history.as_ref().is_some_and(moved)
    }

    /// Forgets what a debugger that has gone had set.
    pub(crate) fn forget_client(&mut self) {
        self.stops.clear();
        self.processes.begin();
        self.waiting.clear();
        self.access_is_done = false;
        self.goal = Goal::Stay;
        self.killed = false;
    }
}

impl Target for Debugger<'_> {
    type Arch = AnyArch;
    type Error = DebugError;

    fn base_ops(&mut self) -> BaseOps<'_, AnyArch, DebugError> {
        BaseOps::MultiThread(self)
    }

    fn guard_rail_implicit_sw_breakpoints(&self) -> bool {
        true
    }

    fn use_fork_stop_reason(&self) -> bool {
        false
    }

    fn use_vfork_stop_reason(&self) -> bool {
        false
    }

    fn use_vforkdone_stop_reason(&self) -> bool {
        false
    }

    fn support_breakpoints(&mut self) -> Option<BreakpointsOps<'_, Self>> {
        Some(self)
    }

    fn support_monitor_cmd(&mut self) -> Option<MonitorCmdOps<'_, Self>> {
        Some(self)
    }

    fn support_target_description_xml_override(
        &mut self,
    ) -> Option<TargetDescriptionXmlOverrideOps<'_, Self>> {
        Some(self)
    }

    fn support_memory_map(&mut self) -> Option<MemoryMapOps<'_, Self>> {
        Some(self)
    }

    fn support_extended_mode(&mut self) -> Option<ExtendedModeOps<'_, Self>> {
        Some(self)
    }
}

impl TargetDescriptionXmlOverride for Debugger<'_> {
    fn target_description_xml(
        &self,
        annex: &[u8],
        offset: u64,
        length: usize,
        buffer: &mut [u8],
    ) -> TargetResult<usize, Self> {
        if annex != b"target.xml" {
            return Err(TargetError::Errno(NO_FILE));
        }
        let xml = self.processes.registers().description();
        Ok(piece(xml.as_bytes(), offset, length, buffer))
    }
}

impl MemoryMap for Debugger<'_> {
    fn memory_map_xml(
        &self,
        offset: u64,
        length: usize,
        buffer: &mut [u8],
    ) -> TargetResult<usize, Self> {
        let xml = crate::memory_map::memory_map(&self.machines[self.processes.machine()]);
        Ok(piece(xml.as_bytes(), offset, length, buffer))
    }
}

/// Copies a piece of a document; 0 is its end.
pub(crate) fn piece(document: &[u8], offset: u64, length: usize, buffer: &mut [u8]) -> usize {
    let start = usize::try_from(offset)
        .unwrap_or(usize::MAX)
        .min(document.len());
    let size = length.min(buffer.len()).min(document.len() - start);
    buffer[..size].copy_from_slice(&document[start..start + size]);
    size
}
