//! Cycles of blocks on a platform: each block in each state of the timing model in which it can be entered.

use crate::blocks::{Destination, Exit, Step};
use crate::count::{Analysis, Block};
use crate::reading::DataAccess;
use socscope_isa::{CycleClass, CycleModel};
use socscope_memory::{AccessCost, Direction, RegionIndex, Width};
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

/// A region by its number, and what accesses to it cost.
type Place = (RegionIndex, AccessCost);

/// Where no region is.
const UNMAPPED: Place = (RegionIndex::UNMAPPED, AccessCost::SINGLE_CYCLE);

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

type Costs<M> = Vec<(M, u64)>;

impl Platform {
    fn at(&self, address: u32) -> Place {
        let holds = |one: &Region| one.start <= address && address <= one.last;
        let number = self.regions.iter().position(holds);
        number.map_or(UNMAPPED, |number| self.place(number))
    }

    fn place(&self, number: usize) -> Place {
        (RegionIndex(number as u16 + 1), self.regions[number].cost)
    }

    /// Where an exit may fill the pipeline. It leads out of the program where that is not known, so one region of each cost stands for all.
    fn refills(&self, exit: &Exit) -> Vec<Option<(Place, Width)>> {
        let Some((target, width)) = exit.refill else {
            return vec![None];
        };
        if let Some(target) = target {
            return vec![Some((self.at(target), width))];
        }
        let numbers = || 0..self.regions.len();
        let mut places: Vec<Place> = numbers()
            .filter(|&number| self.regions[number].code)
            .map(|number| self.place(number))
            .collect();
        // Where no region is known to hold code, any may.
        if places.is_empty() {
            places = numbers().map(|number| self.place(number)).collect();
        }
        if places.is_empty() {
            places.push(UNMAPPED);
        }
        let different = of_different_costs(places).into_iter();
        different.map(|place| Some((place, width))).collect()
    }

    /// Where an access may go.
    fn candidates(&self, access: &DataAccess) -> Vec<Place> {
        let mut all = vec![];
        let mut add = |place: Place| {
            if !all.contains(&place) {
                all.push(place);
            }
        };
        if let Some(addresses) = access.address.values(64) {
            addresses.iter().for_each(|&address| add(self.at(address)));
            return all;
        }
        let (low, high) = access.address.unsigned();
        let anywhere = access.address.is_top() || high - low > 1 << 30;
        for (number, region) in self.regions.iter().enumerate() {
            let possible = if access.stack && anywhere {
                region.stacks
            } else {
                region.pointed
            };
            let written = region.writable || access.direction == Direction::Read;
            let reached = region.start <= high && low <= region.last;
            if written && reached && (possible || !anywhere) {
                add(self.place(number));
            }
        }
        if all.is_empty() {
            all.push(self.at(low));
        }
        all
    }

    /// Whether addresses run from one region into another.
    fn borders(&self, first: RegionIndex, second: RegionIndex) -> bool {
        let region = |index: RegionIndex| self.regions.get((index.0 as usize).checked_sub(1)?);
        let (first, second) = (region(first), region(second));
        first.zip(second).is_some_and(|(first, second)| {
            first
                .last
                .checked_add(1)
                .is_some_and(|next| next == second.start)
        })
    }
}

/// The first of each cost: where an access stands alone, nothing else of its region matters.
fn of_different_costs(places: Vec<Place>) -> Vec<Place> {
    let mut all: Vec<Place> = vec![];
    for place in places {
        if !all.iter().any(|(_, cost)| *cost == place.1) {
            all.push(place);
        }
    }
    all
}

/// Keeps the greatest cost of each state.
fn keep<M: PartialEq>(all: &mut Costs<M>, model: M, cycles: u64) {
    match all.iter_mut().find(|(known, _)| *known == model) {
        Some((_, most)) => *most = cycles.max(*most),
        None => all.push((model, cycles)),
    }
}

/// Where the accesses of one instruction may go together: several to one region, or from one on into the next; two, as those of a swap, to any.
fn choices(platform: &Platform, accesses: &[DataAccess]) -> Vec<Vec<Place>> {
    let each: Vec<Vec<Place>> = accesses.iter().map(|a| platform.candidates(a)).collect();
    match each.as_slice() {
        [] => vec![vec![]],
        [one] => of_different_costs(one.clone())
            .into_iter()
            .map(|place| vec![place])
            .collect(),
        [first, second] if accesses[0].direction != accesses[1].direction => {
            let pairs = first
                .iter()
                .flat_map(|&a| second.iter().map(move |&b| vec![a, b]));
            pairs.collect()
        }
        many if many.iter().all(|places| places.len() == 1) => {
            vec![many.iter().map(|places| places[0]).collect()]
        }
        many => {
            let mut all: Vec<Place> = vec![];
            for place in many.iter().flatten() {
                if !all.contains(place) {
                    all.push(*place);
                }
            }
            let mut ways: Vec<Vec<Place>> = of_different_costs(all.clone())
                .into_iter()
                .map(|place| vec![place; many.len()])
                .collect();
            for &first in &all {
                for &second in all.iter().filter(|one| platform.borders(first.0, one.0)) {
                    ways.extend((1..many.len()).map(|before| {
                        let mut way = vec![first; before];
                        way.resize(many.len(), second);
                        way
                    }));
                }
            }
            ways
        }
    }
}

/// One instruction from each of the states; `refill` is where it leaves to.
fn step<M: CycleModel + Clone + PartialEq>(
    platform: &Platform,
    step: &Step,
    executed: bool,
    refill: Option<(Place, Width)>,
    before: &Costs<M>,
) -> Costs<M> {
    let (region, fetch) = platform.at(step.address);
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
            model.begin(class, region, &fetch, step.width);
            for (access, (place, cost)) in accesses.iter().zip(choice) {
                model.data(*place, cost, access.width, access.direction);
            }
            if let (true, Some((operand, signed))) = (executed, step.multiplier) {
                model.multiplier(operand, signed);
            }
            if let Some(((place, cost), width)) = &refill {
                model.refill(*place, cost, *width);
            }
            let mut spent = model.end();
            if refill.is_some() && step.enters {
                model.begin(CycleClass::Exception, region, &fetch, step.width);
                spent += model.end();
            }
            keep(&mut after, model, cycles + spent);
        }
    }
    after
}

/// All states at an exit of a block that is entered in one.
fn leave<M: CycleModel + Clone + PartialEq>(
    platform: &Platform,
    block: &Block,
    exit: &Exit,
    model: &M,
) -> Costs<M> {
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

/// Prices an analysis by a timing model. The entry is reached by a jump.
pub fn price<M: CycleModel + Clone + PartialEq>(
    analysis: &Analysis,
    platform: &Platform,
    model: &M,
) -> Priced {
    let mut priced = Priced::default();
    let Some(entry) = analysis.blocks.get(&0) else {
        return priced;
    };
    let mut model = model.clone();
    let (region, fetch) = platform.at(entry.key.address);
    let width = entry.steps.first().map_or(Width::Word, |step| step.width);
    model.begin(CycleClass::Branch, region, &fetch, width);
    model.refill(region, &fetch, width);
    model.end();
    let mut numbers: BTreeMap<u32, Vec<(M, u32)>> = BTreeMap::from([(0, vec![(model.clone(), 0)])]);
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
