//! Which instructions are translated together: those of one page that can be reached from the first one by known branches, calls included.
//! Without translation of addresses, pages make no difference.

use super::flavour::Flavour;
use super::tables::PAGE;
use socscope_isa::{Footprint, Known, Leave};
use socscope_memory::{Bus, RegionIndex, Width};
use socscope_powerpc::footprint::{footprint, goes_to_link, leaves_a_way_back};
use socscope_powerpc::{Class, CoreModel, encoding};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Instructions in one translation, at most.
const INSTRUCTIONS_MAX: usize = 320;
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

/// One instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Planned {
    pub word: u32,
    pub class: Class,
    pub flow: Flow,
    /// Whether a branch leaves a way back to the next instruction, wherever it goes.
    pub links: bool,
    /// Whether a branch is a return of the usual kind: to the link register.
    pub mostly_returns: bool,
    /// Whether it may turn out that the interpreter has to execute it.
    pub may_leave: bool,
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
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub start: u32,
    /// What makes an effective address one of the bus.
    to_bus: u32,
    flavour: Flavour,
    /// The region that holds all of them.
    pub region: RegionIndex,
    pub instructions: BTreeMap<u32, Planned>,
    /// Where control comes from more than one place.
    pub leaders: BTreeSet<u32>,
    /// Addresses behind calls: where returns probably lead.
    pub returns: BTreeSet<u32>,
    /// Targets of jumps that lie behind an instruction that may be a call: a jump there may be a return.
    pub behind_calls: BTreeSet<u32>,
}

impl Plan {
    /// Reads code from `start` on, which lies at `physical` on the bus. `None` when the first one cannot be translated.
    pub fn new<B: Bus>(
        bus: &mut B,
        flavour: Flavour,
        (start, physical): (u32, u32),
        limits: &Limits,
    ) -> Option<Plan> {
        let mut plan = Plan {
            start,
            to_bus: physical.wrapping_sub(start),
            flavour,
            region: bus.region(physical),
            instructions: BTreeMap::new(),
            leaders: BTreeSet::from([start]),
            returns: BTreeSet::new(),
            behind_calls: BTreeSet::new(),
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
            let next = address.wrapping_add(4);
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
        (plan.instructions.get(&start)?.flow != Flow::Left).then_some(plan)
    }

    fn is_far(&self, address: u32) -> bool {
        if self.flavour.fetches_translated {
            (address ^ self.start) & PAGE != 0
        } else {
            address.abs_diff(self.start) > DISTANCE_MAX
        }
    }

    /// Whether an address is known to lie in a page that instructions are being fetched from.
    pub fn is_near(&self, address: u32) -> bool {
        !self.flavour.fetches_translated || (address ^ self.start) & PAGE == 0
    }

    fn read<B: Bus>(&self, bus: &mut B, address: u32, limits: &Limits) -> Option<Planned> {
        let fetched = bus.fetch(self.on_bus(address), Width::Word).ok()?;
        if fetched.region != self.region {
            return None;
        }
        let word = fetched.value;
        let encoding = encoding(word);
        let class = encoding.class;
        let branch = branch(address, word, class);
        let left = limits.stops.contains(&address)
            || matches!(class, Class::Illegal | Class::Vector)
            || class == Class::Exception && limits.exceptions_told;
        let flow = match &branch {
            _ if left => Flow::Left,
            Some(found) => flow(found, address),
            None if class == Class::Exception => Flow::Computed {
                call: false,
                always: true,
            },
            None => Flow::Falls,
        };
        let may_leave = !matches!(
            class,
            Class::Integer
                | Class::Multiply
                | Class::Divide
                | Class::Branch
                | Class::ConditionRegister
        ) || encoding.pattern.text().contains('e');
        Some(Planned {
            word,
            class,
            flow,
            links: branch
                .as_ref()
                .is_some_and(|found| leaves_a_way_back(found, address)),
            mostly_returns: branch.as_ref().is_some_and(goes_to_link),
            may_leave,
        })
    }

    fn find_targets_behind_calls<B: Bus>(&mut self, bus: &mut B) {
        for planned in self.instructions.values() {
            let Flow::Jumps { target, .. } = planned.flow else {
                continue;
            };
            let before = target.wrapping_sub(4);
            // What cannot be fetched, or lies nobody knows where, may be anything.
            let near = self.is_near(before);
            let fetched = near.then(|| bus.fetch(self.on_bus(before), Width::Word));
            let calls = match fetched {
                Some(Ok(fetched)) => is_call(before, fetched.value),
                _ => true,
            };
            if calls {
                self.behind_calls.insert(target);
            }
        }
    }

    /// The address on the bus of an instruction.
    pub fn on_bus(&self, address: u32) -> u32 {
        address.wrapping_add(self.to_bus)
    }

    /// Whether it is so long that others had better not contain it.
    pub fn is_long(&self) -> bool {
        self.instructions.len() > INSTRUCTIONS_MAX / 2
    }
}

/// What a branch may touch; nothing for other instructions. Branches are the same on all cores.
fn branch(address: u32, word: u32, class: Class) -> Option<Footprint> {
    (class == Class::Branch).then(|| footprint(CoreModel::E600, address, word))
}

/// Whether it is a branch that leaves a way back.
fn is_call(address: u32, word: u32) -> bool {
    branch(address, word, encoding(word).class)
        .is_some_and(|found| leaves_a_way_back(&found, address))
}

fn flow(found: &Footprint, address: u32) -> Flow {
    let (call, always) = (leaves_a_way_back(found, address), !found.goes_on);
    match found.leave {
        Some(Leave::Branch(Known::Constant(target))) => Flow::Jumps {
            target,
            call,
            always,
        },
        Some(Leave::Branch(_)) => Flow::Computed { call, always },
        // An invalid form.
        _ => Flow::Left,
    }
}
