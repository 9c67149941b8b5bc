//! Cycles of blocks on a platform: each block in each state of the timing model in which it can be entered.

use crate::blocks::{Destination, Exit, Step};
use crate::count::{Analysis, Block};
use crate::reading::DataAccess;
use socscope_isa::arm::InstructionSet;
use socscope_isa::{CycleClass, CycleModel};
use socscope_memory::{AccessCost, Direction, RegionIndex};
use socscope_timing::Arm7Tdmi;
use std::collections::BTreeMap;

/// A range of addresses with its costs.
#[derive(Clone, Debug)]
pub struct Region {
    /// First address.
    pub start: u32,
    /// Last address.
    pub last: u32,
    /// What accesses cost.
    pub cost: AccessCost,
    /// Whether it takes writes.
    pub writable: bool,
    /// Whether a pointer that is not known may lead there.
    pub pointed: bool,
    /// Whether stacks may lie there.
    pub stacks: bool,
    /// Whether code lies there: what is returned to may.
    pub code: bool,
}

/// What accesses cost, by address.
#[derive(Clone, Debug)]
pub struct Platform {
    /// All regions.
    pub regions: Vec<Region>,
}

/// A way from one block in one state to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PricedEdge {
    /// Number of the node that it leaves.
    pub from: u32,
    /// Number of the node to which it leads; `None` out of the program.
    pub to: Option<u32>,
    /// The block to which it leads.
    pub exit: Exit,
    /// Cycles of the block that it leaves, if it is left this way, at most.
    pub cycles: u64,
}

/// The graph with cycles.
#[derive(Clone, Debug, Default)]
pub struct Priced {
    /// The block of each node; node 0 is the entry.
    pub nodes: Vec<u32>,
    /// All ways.
    pub edges: Vec<PricedEdge>,
}

type Costs = Vec<(Arm7Tdmi, u64)>;

impl Platform {
    fn at(&self, address: u32) -> AccessCost {
        let region = self
            .regions
            .iter()
            .find(|one| one.start <= address && address <= one.last);
        region.map_or(AccessCost::SINGLE_CYCLE, |region| region.cost)
    }

    /// Costs of filling the pipeline that an exit may have.
    fn refills(&self, exit: &Exit) -> Vec<Option<(AccessCost, InstructionSet)>> {
        let Some((target, set)) = exit.refill else {
            return vec![None];
        };
        if let Some(target) = target {
            return vec![Some((self.at(target), set))];
        }
        let mut all = vec![];
        for region in self.regions.iter().filter(|region| region.code) {
            let refill = Some((region.cost, set));
            if !all.contains(&refill) {
                all.push(refill);
            }
        }
        all
    }

    /// Costs that an access may have.
    fn candidates(&self, access: &DataAccess) -> Vec<AccessCost> {
        let mut all = vec![];
        let mut add = |cost: AccessCost| {
            if !all.contains(&cost) {
                all.push(cost);
            }
        };
        if let Some(addresses) = access.address.values(64) {
            addresses.iter().for_each(|&address| add(self.at(address)));
            return all;
        }
        let (low, high) = access.address.unsigned();
        let anywhere = access.address.is_top() || high - low > 1 << 30;
        for region in &self.regions {
            let possible = if access.stack && anywhere {
                region.stacks
            } else {
                region.pointed
            };
            let written = region.writable || access.direction == Direction::Read;
            let reached = region.start <= high && low <= region.last;
            if written && reached && (possible || !anywhere) {
                add(region.cost);
            }
        }
        if all.is_empty() {
            all.push(self.at(low));
        }
        all
    }
}

/// Keeps the greatest cost of each state.
fn keep(all: &mut Costs, model: Arm7Tdmi, cycles: u64) {
    match all.iter_mut().find(|(known, _)| *known == model) {
        Some((_, most)) => *most = cycles.max(*most),
        None => all.push((model, cycles)),
    }
}

/// What the accesses of one instruction may cost together: several go to one region, two, as those of a swap, to any.
fn choices(platform: &Platform, accesses: &[DataAccess]) -> Vec<Vec<AccessCost>> {
    let each: Vec<Vec<AccessCost>> = accesses.iter().map(|a| platform.candidates(a)).collect();
    match each.as_slice() {
        [] => vec![vec![]],
        [one] => one.iter().map(|&cost| vec![cost]).collect(),
        [first, second] => {
            let pairs = first
                .iter()
                .flat_map(|&a| second.iter().map(move |&b| vec![a, b]));
            pairs.collect()
        }
        many if many.iter().all(|costs| costs.len() == 1) => {
            vec![many.iter().map(|costs| costs[0]).collect()]
        }
        many => {
            let mut all: Vec<AccessCost> = vec![];
            for cost in many.iter().flatten() {
                if !all.contains(cost) {
                    all.push(*cost);
                }
            }
            all.iter().map(|&cost| vec![cost; many.len()]).collect()
        }
    }
}

/// One instruction from each of the states; `refill` is where it leaves to.
fn step(
    platform: &Platform,
    step: &Step,
    executed: bool,
    refill: Option<(AccessCost, InstructionSet)>,
    before: &Costs,
) -> Costs {
    let fetch = platform.at(step.address);
    let width = step.set.width();
    let class = if executed {
        step.class
    } else {
        CycleClass::NotExecuted
    };
    let accesses: &[DataAccess] = if executed { &step.accesses } else { &[] };
    let choices = choices(platform, accesses);
    let mut after = vec![];
    for (model, cycles) in before {
        for choice in &choices {
            let mut model = model.clone();
            model.begin(class, &fetch, width);
            for (access, cost) in accesses.iter().zip(choice) {
                model.data(RegionIndex(0), cost, access.width, access.direction);
            }
            if let (true, Some((operand, signed))) = (executed, step.multiplier) {
                model.multiplier(operand, signed);
            }
            if let Some((cost, set)) = &refill {
                model.refill(cost, set.width());
            }
            let spent = model.end();
            keep(&mut after, model, cycles + spent);
        }
    }
    after
}

/// All states at an exit of a block that is entered in one.
fn leave(platform: &Platform, block: &Block, exit: &Exit, model: &Arm7Tdmi) -> Costs {
    let mut costs = vec![(model.clone(), 0)];
    let Some((last, steps)) = block.steps.split_last() else {
        return costs;
    };
    for one in steps {
        costs = step(platform, one, one.executed, None, &costs);
    }
    // One that may leave and does not is one that is passed over.
    let executed = exit.refill.is_some() || last.executed && !last.leaves;
    let mut all = vec![];
    for refill in platform.refills(exit) {
        for (model, cycles) in step(platform, last, executed, refill, &costs) {
            keep(&mut all, model, cycles);
        }
    }
    all
}

/// Prices an analysis. The entry is reached by a jump.
pub fn price(analysis: &Analysis, platform: &Platform) -> Priced {
    let mut priced = Priced::default();
    let Some(entry) = analysis.blocks.get(&0) else {
        return priced;
    };
    let mut model = Arm7Tdmi::default();
    let fetch = platform.at(entry.key.address);
    let width = entry.key.set.width();
    model.begin(CycleClass::Branch, &fetch, width);
    model.refill(&fetch, width);
    model.end();
    let mut numbers: BTreeMap<u32, Vec<(Arm7Tdmi, u32)>> =
        BTreeMap::from([(0, vec![(model.clone(), 0)])]);
    priced.nodes.push(0);
    let mut waiting = vec![(0, model)];
    while let Some((node, model)) = waiting.pop() {
        let number = priced.nodes[node as usize];
        let Some(block) = analysis.blocks.get(&number) else {
            continue;
        };
        for exit in &block.exits {
            for (after, cycles) in leave(platform, block, exit, &model) {
                let Destination::Block(target) = exit.to else {
                    let edge = PricedEdge {
                        from: node,
                        to: None,
                        exit: *exit,
                        cycles,
                    };
                    priced.edges.push(edge);
                    continue;
                };
                if !analysis.blocks.contains_key(&target) {
                    continue;
                }
                let known = numbers.entry(target).or_default();
                let to = match known.iter().find(|(known, _)| *known == after) {
                    Some((_, to)) => *to,
                    None => {
                        let to = priced.nodes.len() as u32;
                        priced.nodes.push(target);
                        known.push((after.clone(), to));
                        waiting.push((to, after));
                        to
                    }
                };
                priced.edges.push(PricedEdge {
                    from: node,
                    to: Some(to),
                    exit: *exit,
                    cycles,
                });
            }
        }
    }
    priced
}
