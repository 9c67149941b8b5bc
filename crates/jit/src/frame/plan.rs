//! Which instructions are translated together: those of one page that can be reached from the first one by known branches, calls included.
//! Without translation of addresses, pages make no difference.

use super::adapter::Adapter;
use super::key::Flavour;
use super::tables::PAGE;
use crate::statistics::Reason;
use socscope_isa::{Footprint, Known, Leave, Slots};
use socscope_memory::{Bus, RegionIndex, Width};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Instructions in one translation, at most.
pub(crate) const INSTRUCTIONS_MAX: usize = 320;
/// How far from the first instruction others may be, in bytes: code further away is another program's.
const DISTANCE_MAX: u32 = 1 << 20;

/// How an instruction goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// With the next one.
    Falls,
    /// At a known address, always or under a condition; `call` when it leaves a way back to the next instruction.
    Jumps {
        target: u32,
        call: bool,
        always: bool,
    },
    /// At an address that is computed.
    Computed { call: bool, always: bool },
    /// The interpreter has to execute it.
    Left,
}

/// An instruction that was fetched.
pub(crate) struct Fetched<F> {
    pub flavour: F,
    pub address: u32,
    pub word: u32,
    pub width: Width,
    /// The word of the instruction before it, if the translation has that, too.
    pub before: Option<u32>,
}

/// One instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Planned<C> {
    pub word: u32,
    pub width: Width,
    pub class: C,
    pub flow: Flow,
    /// Whether a branch leaves a way back to the next instruction, wherever it goes.
    pub links: bool,
    /// Whether a branch is a return of the usual kind: to the link register.
    pub mostly_returns: bool,
    /// Accesses to memory that it makes.
    pub accesses: u32,
    /// Whether it may turn out that the interpreter has to execute it.
    pub may_leave: bool,
    /// Whether it makes one access to memory, with general registers, and nothing can refuse it after that.
    pub accesses_once: bool,
    /// Whether nothing can refuse it once its first look at the table of pages has succeeded.
    pub looks_once: bool,
    /// Bytes that its accesses touch together, where one look is enough for all; else 0.
    pub span_bytes: u32,
    /// Flags whose values matter, and flags that it writes whatever they were.
    pub flags_read: u32,
    pub flags_replaced: u32,
    /// Why the interpreter would have to execute it.
    pub reason: Reason,
}

impl<C> Planned<C> {
    /// What the footprint of an instruction at an address says; the way back of a call is left in the place `link`. Exceptions are the interpreter's.
    pub fn of(
        found: &Footprint,
        (address, word, width): (u32, u32, Width),
        class: C,
        link: u32,
    ) -> Planned<C> {
        let next = address.wrapping_add(width.bytes());
        let links = matches!(found.leave, Some(Leave::Branch(_))) && found.sets(link, next);
        let to_link = |target: Known| target.slots() == Slots::one(link);
        let accesses = found.accesses.len();
        let mostly_falls = found.leave.is_none() && !found.may_fault;
        Planned {
            word,
            width,
            class,
            flow: flow(found, links),
            links,
            mostly_returns: matches!(found.leave, Some(Leave::Branch(to)) if to_link(to)),
            accesses: accesses as u32,
            may_leave: accesses != 0 || found.may_fault,
            accesses_once: accesses == 1 && mostly_falls,
            looks_once: accesses == 1 && mostly_falls,
            span_bytes: 0,
            flags_read: 0,
            flags_replaced: 0,
            reason: match found.leave {
                None => Reason::Other,
                Some(Leave::Branch(_)) => Reason::Calls,
                Some(Leave::Return) => Reason::Return,
                Some(Leave::Exception) => Reason::Exception,
            },
        }
    }
}

/// Where translations end beside what the instructions say.
pub(crate) struct Limits<'a> {
    /// Addresses whose instructions are left to the interpreter.
    pub stops: &'a BTreeSet<u32>,
    /// Where long translations begin that are better chained to than repeated.
    pub apart: &'a BTreeSet<u32>,
    /// Exceptions and their ends are left to the interpreter, which tells a probe of them.
    pub exceptions_told: bool,
}

/// The instructions of one translation, by effective address.
pub(crate) struct Plan<A: Adapter> {
    pub start: u32,
    /// What makes an effective address one of the bus.
    to_bus: u32,
    pub flavour: A::Flavour,
    /// The region that holds all of them.
    pub region: RegionIndex,
    pub instructions: BTreeMap<u32, Planned<A::Class>>,
    /// Where control comes from more than one place.
    pub leaders: BTreeSet<u32>,
    /// Addresses behind calls: where returns probably lead.
    pub returns: BTreeSet<u32>,
    /// Targets of jumps that lie behind an instruction that may be a call: a jump there may be a return.
    pub behind_calls: BTreeSet<u32>,
    /// Flags that matter at an address.
    pub(super) live: BTreeMap<u32, u32>,
}

impl<A: Adapter> Plan<A> {
    /// Reads code from `start` on, which lies at `physical` on the bus. `None` when the first one cannot be translated.
    pub fn new<B: Bus>(
        bus: &mut B,
        flavour: A::Flavour,
        (start, physical): (u32, u32),
        limits: &Limits,
    ) -> Option<Plan<A>> {
        let mut plan = Plan {
            start,
            to_bus: physical.wrapping_sub(start),
            flavour,
            region: bus.region(physical),
            instructions: BTreeMap::new(),
            leaders: BTreeSet::from([start]),
            returns: BTreeSet::new(),
            behind_calls: BTreeSet::new(),
            live: BTreeMap::new(),
        };
        let mut waiting = VecDeque::from([start]);
        let mut reached: BTreeMap<u32, u32> = BTreeMap::new();
        while let Some(address) = waiting.pop_front() {
            if plan.instructions.contains_key(&address)
                || plan.instructions.len() >= INSTRUCTIONS_MAX
                || plan.is_far(address)
                || address != start && limits.apart.contains(&address)
            {
                continue;
            }
            let Some(planned) = plan.read(bus, address, limits) else {
                continue;
            };
            let next = address.wrapping_add(planned.width.bytes());
            plan.instructions.insert(address, planned);
            let mut reach = |to| {
                *reached.entry(to).or_default() += 1;
                waiting.push_back(to);
            };
            let (call, always) = match planned.flow {
                Flow::Falls => (false, false),
                Flow::Jumps {
                    target,
                    call,
                    always,
                } => {
                    reach(target);
                    plan.leaders.insert(target);
                    (call, always)
                }
                Flow::Computed { call, always } => (call, always),
                Flow::Left => (false, true),
            };
            if call {
                plan.returns.insert(next);
                plan.leaders.insert(next);
            }
            if call || !always {
                reach(next);
            }
        }
        plan.returns
            .retain(|address| plan.instructions.contains_key(address));
        let joined = reached.iter().filter(|(_, count)| **count > 1);
        plan.leaders.extend(joined.map(|(at, _)| *at));
        plan.find_targets_behind_calls(bus);
        plan.find_live_flags();
        (plan.instructions.get(&start)?.flow != Flow::Left).then_some(plan)
    }

    fn is_far(&self, address: u32) -> bool {
        if self.flavour.fetches_translated() {
            (address ^ self.start) & PAGE != 0
        } else {
            address.abs_diff(self.start) > DISTANCE_MAX
        }
    }

    /// Whether an address is known to lie in a page that instructions are being fetched from.
    pub fn is_near(&self, address: u32) -> bool {
        !self.flavour.fetches_translated() || (address ^ self.start) & PAGE == 0
    }

    fn read<B: Bus>(
        &self,
        bus: &mut B,
        address: u32,
        limits: &Limits,
    ) -> Option<Planned<A::Class>> {
        let (found, width) = A::fetch(bus, self.flavour, self.on_bus(address))?;
        let last = address.wrapping_add(width.bytes() - 1);
        if found.region != self.region || !self.is_near(last) {
            return None;
        }
        let before = self.instructions.get(&address.wrapping_sub(width.bytes()));
        let fetched = Fetched {
            flavour: self.flavour,
            address,
            word: found.value,
            width,
            before: before.map(|planned| planned.word),
        };
        let mut planned = A::plan(&fetched, limits.exceptions_told);
        if limits.stops.contains(&address) {
            planned.flow = Flow::Left;
        }
        Some(planned)
    }

    fn find_targets_behind_calls<B: Bus>(&mut self, bus: &mut B) {
        for planned in self.instructions.values() {
            let Flow::Jumps { target, .. } = planned.flow else {
                continue;
            };
            if A::lengths(self.flavour)
                .iter()
                .any(|&width| self.may_be_behind_call(bus, target, width))
            {
                self.behind_calls.insert(target);
            }
        }
    }

    /// Whether an instruction of this length before an address may be a call.
    fn may_be_behind_call<B: Bus>(&self, bus: &mut B, address: u32, width: Width) -> bool {
        let before = address.wrapping_sub(width.bytes());
        // What cannot be fetched, or lies nobody knows where, may be anything.
        if !self.is_near(before) {
            return true;
        }
        match A::fetch(bus, self.flavour, self.on_bus(before)) {
            Some((fetched, found)) => {
                let fetched = Fetched {
                    flavour: self.flavour,
                    address: before,
                    word: fetched.value,
                    width,
                    before: None,
                };
                found == width && A::is_call(&fetched)
            }
            None => true,
        }
    }

    /// The address on the bus of an instruction.
    pub fn on_bus(&self, address: u32) -> u32 {
        address.wrapping_add(self.to_bus)
    }

    /// The shortest instruction.
    pub fn unit(&self) -> Width {
        A::lengths(self.flavour)[0]
    }

    /// Addresses of all of its instructions, in steps of the shortest one.
    pub fn units(&self) -> impl Iterator<Item = u32> {
        let unit = self.unit().bytes();
        self.instructions
            .iter()
            .flat_map(move |(&address, planned)| {
                let units = planned.width.bytes() / unit;
                (0..units).map(move |number| address + number * unit)
            })
    }

    /// Whether it is so long that others had better not contain it.
    pub fn is_long(&self) -> bool {
        self.instructions.len() > A::REPEATED_MAX
    }
}

/// How an instruction with this footprint goes on; `call` if it leaves a way back. Exceptions are the interpreter's.
fn flow(found: &Footprint, call: bool) -> Flow {
    let always = !found.goes_on;
    match found.leave {
        None => Flow::Falls,
        Some(Leave::Branch(Known::Constant(target))) => Flow::Jumps {
            target,
            call,
            always,
        },
        Some(Leave::Branch(_)) => Flow::Computed { call, always },
        Some(Leave::Return | Leave::Exception) => Flow::Left,
    }
}
