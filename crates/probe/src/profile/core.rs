//! What a profile knows of one core: its calling contexts, their counters, and how far it is.

use super::RegisterAccess;
use super::code::{Code, Space};
use super::registers::RegisterCounts;
use crate::contexts::{Contexts, Interrupted, Node};
use crate::counts::Counts;
use crate::functions::{FunctionId, Range};
use crate::interrupts::{InterruptLog, InterruptStatistics};
use crate::window::Span;
use socscope_machine::AnyCore;
use std::collections::BTreeMap;

/// A stack pointer for the programs of a task, whose calls are not followed: each has one frame, above all of the kernel's.
pub(super) const USER_STACK: u32 = !3;

/// Kinds of register accesses that are told apart by context; as many more by register only.
pub(super) const REGISTERS_MAX: usize = if cfg!(test) { 16 } else { 200_000 };

/// Spans that are told apart; those behind them are added to the last one.
pub(super) const SPANS_MAX: usize = if cfg!(test) { 16 } else { 1 << 18 };

/// One core of a profile.
pub struct CoreProfile {
    pub(crate) contexts: Contexts,
    pub(crate) registers: RegisterCounts,
    pub(crate) interrupts: InterruptLog,
    /// By the exception's number; `None` where a profile goes on whose beginning did not count them.
    pub(crate) exceptions: Option<BTreeMap<u8, u64>>,
    pub(crate) counting: bool,
    /// Entries were counted from the beginning: not in a profile that goes on from a file without them.
    pub(crate) entries_known: bool,
    /// The last one is still open when counting is on: it lasts until `cycle` and has the instructions that are counted by then.
    pub(crate) spans: Vec<Span>,
    /// Spans that are added to the last of those that are told apart.
    pub(crate) spans_folded: u64,
    /// The function that runs.
    pub(crate) range: Range,
    /// The instruction behind the one that executes.
    pub(super) next: u32,
    pub(crate) cycle: u64,
    /// The cycles that come next are those of an interrupt's entry.
    pub(crate) interrupt_entry: bool,
    /// What the exception interrupts that is being taken.
    pub(super) interrupted: Option<Interrupted>,
    pub(super) space: Space,
    /// The function that stands for the programs of the core's task.
    pub(super) user: FunctionId,
}

impl CoreProfile {
    /// Begins where a core is now, at `cycle`, on a machine with so many regions.
    pub(super) fn new(
        (number, core): (usize, &AnyCore),
        cycle: u64,
        code: &mut Code,
        regions: usize,
    ) -> CoreProfile {
        let user = Code::unknown_user();
        let space = code.space(core.execution_state(), user);
        let pc = core.program_counter();
        let range = code.range_in(number, space, pc);
        let sp = match space {
            Space::User(_) => USER_STACK,
            _ => core.stack_pointer(),
        };
        CoreProfile {
            contexts: Contexts::new(range.function, sp, regions),
            registers: RegisterCounts::default(),
            interrupts: InterruptLog::new(),
            exceptions: Some(BTreeMap::new()),
            counting: false,
            entries_known: true,
            spans: vec![],
            spans_folded: 0,
            range,
            next: pc,
            cycle,
            interrupt_entry: false,
            interrupted: None,
            space,
            user,
        }
    }

    /// The function around an address runs.
    pub(crate) fn begin_at(&mut self, number: usize, code: &mut Code, address: u32) {
        self.range = code.range_in(number, self.space, address);
    }

    /// The map is another one: what runs has not changed, but where it ends may have.
    pub(super) fn find_range_again(&mut self, number: usize, code: &mut Code) {
        let range = code.range_in(number, self.space, self.range.start);
        if range.function == self.range.function {
            self.range = range;
        } else {
            // What comes next is looked for anew: no instruction is at an odd address.
            (self.range.start, self.range.last) = (1, 1);
        }
    }

    /// The calling contexts by index.
    pub fn nodes(&self) -> &[Node] {
        self.contexts.nodes()
    }

    /// The counters of each context.
    pub fn counts(&self) -> Vec<Counts> {
        let counters = self.contexts.tracking().counters();
        (0..self.nodes().len())
            .map(|node| Counts::of(counters, node as u32))
            .collect()
    }

    /// How often each context was entered while counting was on: by a call, a jump, a fall or an exception, and as a root. `None` in a profile that
    /// goes on from one that did not count this.
    pub fn entries(&self) -> Option<Vec<u64>> {
        let counters = self.contexts.tracking().counters();
        let nodes = 0..self.nodes().len() as u32;
        self.entries_known
            .then(|| nodes.map(|node| counters.entered(node)).collect())
    }

    /// Register accesses of the core.
    pub fn registers(&self) -> BTreeMap<RegisterAccess, u64> {
        self.registers.all()
    }

    /// Controller, source, statistics of each interrupt that the core took.
    pub fn interrupts(&self) -> impl Iterator<Item = (u16, u32, &InterruptStatistics)> {
        self.interrupts.statistics()
    }

    /// How often the core took exceptions, by their numbers: see [`Transfer::ExceptionEntry`](socscope_core::Transfer::ExceptionEntry).
    pub fn exceptions(&self) -> impl Iterator<Item = (u8, u64)> {
        let counted = self.exceptions.iter().flatten();
        counted.map(|(&number, &count)| (number, count))
    }

    /// The stretches of time that were counted, one that is under way as far as it got.
    pub fn spans(&self) -> Vec<Span> {
        let mut spans = self.spans.clone();
        if self.counting
            && let Some(span) = spans.last_mut()
        {
            self.close(span);
        }
        spans
    }

    fn close(&self, span: &mut Span) {
        span.end_cycle = self.cycle;
        span.instructions = self.contexts.tracking().instructions();
    }

    pub(super) fn start(&mut self) {
        if !self.counting {
            self.counting = true;
            self.contexts.tracking_mut().count_entries(true);
            self.contexts.tracking_mut().set_instructions(0);
            self.spans.push(Span {
                start_cycle: self.cycle,
                end_cycle: self.cycle,
                ..Span::default()
            });
        }
    }

    pub(super) fn stop(&mut self) {
        if self.counting
            && let Some(mut span) = self.spans.pop()
        {
            self.close(&mut span);
            match self.spans.get_mut(SPANS_MAX - 1) {
                Some(last) => {
                    last.fold(&span);
                    self.spans_folded += 1;
                }
                None => self.spans.push(span),
            }
        }
        self.counting = false;
        self.contexts.tracking_mut().count_entries(false);
    }

    /// Cycles pass in which no instruction executes.
    pub(super) fn pass(&mut self, cycles: u64, account: impl FnOnce(&mut Span)) {
        self.cycle += cycles;
        if self.counting
            && let Some(span) = self.spans.last_mut()
        {
            account(span);
        }
    }

    /// Counts an access. Where there are too many kinds of them, its context is that of all that is folded.
    pub(super) fn count_register(&mut self, access: RegisterAccess) {
        let known = self.registers.len();
        if let Some(count) = self.registers.known(access) {
            *count += 1;
        } else if known < REGISTERS_MAX {
            self.registers.add(access);
        } else {
            let mut folded = RegisterAccess {
                node: self.contexts.fold_root(),
                ..access
            };
            if known >= 2 * REGISTERS_MAX {
                folded.offset = RegisterAccess::OTHERS;
            }
            self.registers.add(folded);
        }
    }

    pub(super) fn takes_exception(&mut self, number: u8) {
        if self.counting
            && let Some(exceptions) = &mut self.exceptions
        {
            *exceptions.entry(number).or_default() += 1;
        }
    }

    /// Whether translated code may run now: not while control is in another function than its frame's, as in a profile that was saved so.
    pub(super) fn translatable(&self) -> bool {
        self.contexts.function() == self.range.function
    }
}
