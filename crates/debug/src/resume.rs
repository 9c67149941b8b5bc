//! What GDB asks for: threads, registers, memory, breakpoints, steps.

use crate::arch::CoreRegisters;
use crate::debugger::{DebugError, Debugger};
use crate::motion::{Goal, Step};
use crate::processes::{pid_of, process_of};
use crate::registers::NO_THREAD;
use crate::stops::{BreakKind, watchpoint};
use crate::threads::Thread;
use gdbstub::common::{Pid, Signal, Tid};
use gdbstub::target::ext::base::multithread::{
    MultiThreadBase, MultiThreadRangeStepping, MultiThreadRangeSteppingOps, MultiThreadResume,
    MultiThreadResumeOps, MultiThreadSchedulerLocking, MultiThreadSchedulerLockingOps,
    MultiThreadSingleStep, MultiThreadSingleStepOps,
};
use gdbstub::target::ext::base::reverse_exec::{
    ReverseCont, ReverseContOps, ReverseStep, ReverseStepOps,
};
use gdbstub::target::ext::base::single_register_access::SingleRegisterAccessOps;
use gdbstub::target::ext::breakpoints::{
    Breakpoints, HwBreakpoint, HwBreakpointOps, HwWatchpoint, HwWatchpointOps, SwBreakpoint,
    SwBreakpointOps, WatchKind,
};
use gdbstub::target::ext::extended_mode::{
    Args, AttachKind, CurrentActivePidOps, ExtendedMode, ShouldTerminate,
};
use gdbstub::target::ext::thread_extra_info::{ThreadExtraInfo, ThreadExtraInfoOps};
use gdbstub::target::{TargetError, TargetResult};

/// `EFAULT`: nothing answers at the address.
const BAD_ADDRESS: u8 = 14;
/// `EPERM`.
const NOT_PERMITTED: u8 = 1;

impl MultiThreadBase for Debugger<'_> {
    fn read_registers(
        &mut self,
        registers: &mut CoreRegisters,
        tid: Tid,
    ) -> TargetResult<(), Self> {
        *registers = self
            .registers_of(tid)
            .ok_or(TargetError::Errno(NO_THREAD))?;
        Ok(())
    }

    fn write_registers(&mut self, registers: &CoreRegisters, tid: Tid) -> TargetResult<(), Self> {
        let present = self
            .registers_of(tid)
            .ok_or(TargetError::Errno(NO_THREAD))?;
        let thread = self.alive(tid).ok_or(TargetError::Errno(NO_THREAD))?;
        let layout = self.layout(thread);
        for number in layout.writing_order() {
            let given = registers.0.get(number).copied().flatten();
            if let Some(bytes) = given
                && present.0.get(number) != Some(&given)
            {
                self.write_register_of(tid, number, layout.value(bytes))?;
            }
        }
        Ok(())
    }

    fn support_single_register_access(&mut self) -> Option<SingleRegisterAccessOps<'_, Tid, Self>> {
        Some(self)
    }

    fn read_addrs(&mut self, start: u32, data: &mut [u8], tid: Tid) -> TargetResult<usize, Self> {
        match self.read_memory(tid, start, data) {
            0 if !data.is_empty() => Err(TargetError::Errno(BAD_ADDRESS)),
            read => Ok(read),
        }
    }

    fn write_addrs(&mut self, start: u32, data: &[u8], tid: Tid) -> TargetResult<(), Self> {
        self.write_memory(tid, start, data)
            .map_err(|_| TargetError::Errno(BAD_ADDRESS))
    }

    fn list_active_threads(&mut self, found: &mut dyn FnMut(Tid)) -> Result<(), DebugError> {
        let process = self.processes.current;
        self.threads_of(process).for_each(found);
        Ok(())
    }

    fn is_thread_alive(&mut self, tid: Tid) -> Result<bool, DebugError> {
        Ok(self.alive(tid).is_some())
    }

    fn support_resume(&mut self) -> Option<MultiThreadResumeOps<'_, Self>> {
        Some(self)
    }

    fn support_thread_extra_info(&mut self) -> Option<ThreadExtraInfoOps<'_, Self>> {
        Some(self)
    }
}

impl ThreadExtraInfo for Debugger<'_> {
    fn thread_extra_info(&self, tid: Tid, buffer: &mut [u8]) -> Result<usize, DebugError> {
        let entries = self.thread_entries();
        let thread = self.numbers.thread(tid);
        let text = entries
            .iter()
            .find(|entry| Some(entry.thread) == thread)
            .map_or_else(String::new, |entry| {
                format!("{}: {}", entry.name, entry.extra)
            });
        Ok(crate::debugger::piece(
            text.as_bytes(),
            0,
            buffer.len(),
            buffer,
        ))
    }
}

impl MultiThreadResume for Debugger<'_> {
    fn resume(&mut self) -> Result<(), DebugError> {
        Ok(())
    }

    fn clear_resume_actions(&mut self) -> Result<(), DebugError> {
        self.goal = Goal::Continue;
        self.steps_alone = false;
        Ok(())
    }

    fn set_resume_action_continue(&mut self, _: Tid, _: Option<Signal>) -> Result<(), DebugError> {
        Ok(())
    }

    fn support_single_step(&mut self) -> Option<MultiThreadSingleStepOps<'_, Self>> {
        Some(self)
    }

    fn support_range_step(&mut self) -> Option<MultiThreadRangeSteppingOps<'_, Self>> {
        Some(self)
    }

    fn support_reverse_step(&mut self) -> Option<ReverseStepOps<'_, Tid, Self>> {
        Some(self)
    }

    fn support_reverse_cont(&mut self) -> Option<ReverseContOps<'_, Tid, Self>> {
        Some(self)
    }

    fn support_scheduler_locking(&mut self) -> Option<MultiThreadSchedulerLockingOps<'_, Self>> {
        Some(self)
    }
}

/// Time passes for all threads or for none: what GDB would hold back runs as well, but its halts wait.
impl MultiThreadSchedulerLocking for Debugger<'_> {
    fn set_resume_action_scheduler_lock(&mut self) -> Result<(), DebugError> {
        self.steps_alone = true;
        Ok(())
    }
}

impl MultiThreadSingleStep for Debugger<'_> {
    fn set_resume_action_step(&mut self, tid: Tid, _: Option<Signal>) -> Result<(), DebugError> {
        self.goal = Goal::Step(Step::new(tid, None));
        Ok(())
    }
}

impl MultiThreadRangeStepping for Debugger<'_> {
    fn set_resume_action_range_step(
        &mut self,
        tid: Tid,
        start: u32,
        end: u32,
    ) -> Result<(), DebugError> {
        self.goal = Goal::Step(Step::new(tid, Some(start..end)));
        Ok(())
    }
}

impl ReverseStep<Tid> for Debugger<'_> {
    fn reverse_step(&mut self, tid: Tid) -> Result<(), DebugError> {
        self.goal = Goal::StepBack(tid);
        Ok(())
    }
}

impl ReverseCont<Tid> for Debugger<'_> {
    fn reverse_cont(&mut self) -> Result<(), DebugError> {
        self.goal = Goal::RunBack;
        Ok(())
    }
}

impl Breakpoints for Debugger<'_> {
    fn support_sw_breakpoint(&mut self) -> Option<SwBreakpointOps<'_, Self>> {
        Some(self)
    }

    fn support_hw_breakpoint(&mut self) -> Option<HwBreakpointOps<'_, Self>> {
        Some(self)
    }

    fn support_hw_watchpoint(&mut self) -> Option<HwWatchpointOps<'_, Self>> {
        Some(self)
    }
}

impl SwBreakpoint for Debugger<'_> {
    fn add_sw_breakpoint(&mut self, address: u32, _: usize) -> TargetResult<bool, Self> {
        let process = self.processes.current;
        self.stops.add(process, address, BreakKind::Software);
        Ok(true)
    }

    fn remove_sw_breakpoint(&mut self, address: u32, _: usize) -> TargetResult<bool, Self> {
        let process = self.processes.current;
        Ok(self.stops.remove(process, address, BreakKind::Software))
    }
}

impl HwBreakpoint for Debugger<'_> {
    fn add_hw_breakpoint(&mut self, address: u32, _: usize) -> TargetResult<bool, Self> {
        let process = self.processes.current;
        self.stops.add(process, address, BreakKind::Hardware);
        Ok(true)
    }

    fn remove_hw_breakpoint(&mut self, address: u32, _: usize) -> TargetResult<bool, Self> {
        let process = self.processes.current;
        Ok(self.stops.remove(process, address, BreakKind::Hardware))
    }
}

impl HwWatchpoint for Debugger<'_> {
    fn add_hw_watchpoint(
        &mut self,
        address: u32,
        length: u32,
        kind: WatchKind,
    ) -> TargetResult<bool, Self> {
        let process = self.processes.current;
        self.stops.watch(process, watchpoint(address, length, kind));
        Ok(true)
    }

    fn remove_hw_watchpoint(
        &mut self,
        address: u32,
        length: u32,
        kind: WatchKind,
    ) -> TargetResult<bool, Self> {
        let process = self.processes.current;
        Ok(self
            .stops
            .unwatch(process, watchpoint(address, length, kind)))
    }
}

impl ExtendedMode for Debugger<'_> {
    fn run(&mut self, _: Option<&[u8]>, _: Args<'_, '_>) -> TargetResult<Pid, Self> {
        self.start_again().map_err(TargetError::Fatal)?;
        self.killed = false;
        Ok(pid_of(self.processes.current))
    }

    fn attach(&mut self, pid: Pid) -> TargetResult<(), Self> {
        let attached = process_of(pid.get()).is_some_and(|one| self.processes.attach(one));
        attached
            .then_some(())
            .ok_or(TargetError::Errno(NOT_PERMITTED))
    }

    fn support_current_active_pid(&mut self) -> Option<CurrentActivePidOps<'_, Self>> {
        Some(self)
    }

    fn query_if_attached(&mut self, _: Pid) -> TargetResult<AttachKind, Self> {
        Ok(AttachKind::Attach)
    }

    fn kill(&mut self, pid: Option<Pid>) -> TargetResult<ShouldTerminate, Self> {
        self.killed = true;
        if let Some(process) = pid.and_then(|pid| process_of(pid.get())) {
            self.let_go(process);
        }
        // With a number GDB may start the guest again on the same connection.
        Ok(match pid {
            Some(_) => ShouldTerminate::No,
            None => ShouldTerminate::Yes,
        })
    }

    fn restart(&mut self) -> Result<(), DebugError> {
        self.killed = false;
        self.start_again()
    }
}

impl Debugger<'_> {
    pub(crate) fn machine_of(&self, tid: Tid) -> usize {
        self.numbers
            .thread(tid)
            .map_or(0, |thread| thread.machine())
    }

    /// The debugger lets a process go, with what was set in it. Whether others are left.
    pub(crate) fn let_go(&mut self, process: usize) -> bool {
        let others = self.processes.detach(process);
        if others {
            self.stops.clear_of(process);
        }
        others
    }

    /// The thread of the core that a machine has stopped at.
    pub(crate) fn stopped_core(&mut self, machine: usize) -> Tid {
        let core = self.machines[machine].turn();
        self.core_thread(machine, core)
    }

    /// The thread that a core is.
    pub(crate) fn core_thread(&mut self, machine: usize, core: usize) -> Tid {
        self.numbers.of(Thread::Core { machine, core })
    }
}
