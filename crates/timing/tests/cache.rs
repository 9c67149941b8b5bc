//! Caches: what they hold, what that costs, and how they are saved.

use socscope_isa::{CycleClass, CycleModel, LineOperation};
use socscope_memory::{AccessCost, Direction, RegionIndex, Width};
use socscope_timing::{
    CacheCounts, CacheModel, CacheName, Caches, FixedCpi, Geometry, GeometryError, Latencies,
    Replacement,
};

const RAM: RegionIndex = RegionIndex(0);
const DEVICE: RegionIndex = RegionIndex(1);
const MEMORY_CYCLES: u32 = 100;

fn geometry(size: u32, line: u32, ways: u32, replacement: Replacement) -> Geometry {
    Geometry::new(size, line, size / (line * ways), replacement).unwrap()
}

fn model(instruction: Geometry, data: Geometry, second_level: Option<Geometry>) -> CacheModel {
    let caches = Caches {
        instruction,
        data,
        second_level,
        latencies: Latencies {
            second_level_cycles: if second_level.is_some() { 10 } else { 0 },
            memory_cycles: MEMORY_CYCLES,
            write_back_cycles: 7,
            ..Latencies::default()
        },
    };
    CacheModel::new(FixedCpi::new(1, 1).unwrap(), &caches, vec![true, false])
}

/// The caches of study 4: 16 KiB each, 8 ways, lines of 32 bytes.
fn small() -> CacheModel {
    let cache = geometry(16 << 10, 32, 8, Replacement::Tree);
    model(cache, cache, None)
}

/// An instruction that is fetched from a line of its own and makes `accesses` to RAM.
fn cycles(model: &mut CacheModel, accesses: &[(u32, Direction)]) -> u64 {
    let cost = AccessCost::SINGLE_CYCLE;
    CycleModel::<CycleClass>::begin(model, CycleClass::Data, RegionIndex(1), &cost, Width::Word);
    for &(address, direction) in accesses {
        CycleModel::<CycleClass>::data_at(model, address, RAM, &cost, Width::Word, direction);
    }
    CycleModel::<CycleClass>::end(model)
}

fn read(model: &mut CacheModel, address: u32) -> u64 {
    cycles(model, &[(address, Direction::Read)])
}

fn write(model: &mut CacheModel, address: u32) -> u64 {
    cycles(model, &[(address, Direction::Write)])
}

fn fetch(model: &mut CacheModel, address: u32, region: RegionIndex) -> u64 {
    let cost = AccessCost::SINGLE_CYCLE;
    CycleModel::<CycleClass>::begin(model, CycleClass::Data, RegionIndex(1), &cost, Width::Word);
    CycleModel::<CycleClass>::fetched(model, address, region);
    CycleModel::<CycleClass>::end(model)
}

fn operate(model: &mut CacheModel, operation: LineOperation, address: u32) -> u64 {
    CycleModel::<CycleClass>::line_operation(model, operation, address, RAM);
    CycleModel::<CycleClass>::end(model) - 1
}

fn counts(model: &CacheModel, name: CacheName) -> CacheCounts {
    let mut found = model.counts().filter(|(cache, _)| *cache == name);
    found.next().expect("there is such a cache").1
}

#[test]
fn a_miss_costs_a_line_from_memory() {
    let mut model = small();
    assert_eq!(read(&mut model, 0x1000), 101);
    assert_eq!(read(&mut model, 0x101c), 1, "the same line");
    assert_eq!(read(&mut model, 0x1020), 101, "the next one");
    assert_eq!(
        fetch(&mut model, 0x1000, RAM),
        101,
        "instructions have a cache of their own"
    );
    assert_eq!(fetch(&mut model, 0x1004, RAM), 1);
    assert_eq!(fetch(&mut model, 0x2000, RAM), 101);
    assert_eq!(fetch(&mut model, 0x1000, RAM), 1);
    let expected = CacheCounts {
        read_hits: 2,
        read_misses: 2,
        ..CacheCounts::default()
    };
    assert_eq!(counts(&model, CacheName::Instruction), expected);
    let expected = CacheCounts {
        read_hits: 1,
        read_misses: 2,
        ..CacheCounts::default()
    };
    assert_eq!(counts(&model, CacheName::Data), expected);
}

#[test]
fn changed_lines_are_written_back_when_they_make_room() {
    let cache = geometry(64, 32, 1, Replacement::LeastRecentlyUsed);
    let mut model = model(cache, cache, None);
    assert_eq!(write(&mut model, 0x00), 101, "the line is read first");
    assert_eq!(write(&mut model, 0x04), 1);
    assert_eq!(
        read(&mut model, 0x40),
        101 + 7,
        "and written when it leaves"
    );
    assert_eq!(read(&mut model, 0x00), 101, "nothing was changed there");
    let counts = counts(&model, CacheName::Data);
    assert_eq!(
        (counts.write_backs, counts.write_misses, counts.write_hits),
        (1, 1, 1)
    );
}

#[test]
fn the_second_level_takes_what_leaves_the_first() {
    let first = geometry(64, 32, 1, Replacement::LeastRecentlyUsed);
    let second = geometry(1024, 32, 4, Replacement::LeastRecentlyUsed);
    let mut model = model(first, first, Some(second));
    assert_eq!(write(&mut model, 0x00), 111, "second level, then memory");
    assert_eq!(
        read(&mut model, 0x40),
        111,
        "the changed line goes to the second level"
    );
    assert_eq!(read(&mut model, 0x00), 11, "where it is found");
    assert_eq!(fetch(&mut model, 0x40, RAM), 11, "also by instructions");
    let second_level = counts(&model, CacheName::SecondLevel);
    let expected = CacheCounts {
        read_hits: 2,
        read_misses: 2,
        write_hits: 1,
        ..CacheCounts::default()
    };
    assert_eq!(second_level, expected);
}

#[test]
fn what_is_not_memory_passes_the_caches_by() {
    let mut model = small();
    let waits = AccessCost::with_wait_states(32, 20, 20);
    for _ in 0..2 {
        CycleModel::<CycleClass>::data_at(
            &mut model,
            0x1000,
            DEVICE,
            &waits,
            Width::Word,
            Direction::Read,
        );
        assert_eq!(CycleModel::<CycleClass>::end(&mut model), 21);
        assert_eq!(fetch(&mut model, 0x1000, RegionIndex(9)), 1);
    }
    assert!(
        model
            .counts()
            .all(|(_, counts)| counts == CacheCounts::default())
    );
}

#[test]
fn software_moves_lines() {
    let mut model = small();
    assert_eq!(
        operate(&mut model, LineOperation::Establish, 0x1000),
        0,
        "memory is not read"
    );
    assert_eq!(write(&mut model, 0x1010), 1);
    assert_eq!(operate(&mut model, LineOperation::Clean, 0x1000), 7);
    assert_eq!(
        operate(&mut model, LineOperation::Clean, 0x1000),
        0,
        "it is clean"
    );
    assert_eq!(read(&mut model, 0x1000), 1, "and still there");
    write(&mut model, 0x1000);
    assert_eq!(operate(&mut model, LineOperation::Flush, 0x1000), 7);
    assert_eq!(read(&mut model, 0x1000), 101);
    write(&mut model, 0x1000);
    assert_eq!(operate(&mut model, LineOperation::Discard, 0x1000), 0);
    assert_eq!(read(&mut model, 0x1000), 101);
    fetch(&mut model, 0x1000, RAM);
    operate(&mut model, LineOperation::DiscardInstructions, 0x1000);
    assert_eq!(fetch(&mut model, 0x1000, RAM), 101);
    assert_eq!(counts(&model, CacheName::Data).write_backs, 2);
}

/// A cache of lists, written independently: each set is a list of lines from the least recently used one on.
struct Lists {
    line: u32,
    ways: usize,
    sets: Vec<Vec<(u32, bool)>>,
    hits: u64,
    misses: u64,
    write_backs: u64,
}

impl Lists {
    fn access(&mut self, address: u32, write: bool) {
        let line = address / self.line;
        let count = self.sets.len() as u32;
        let set = &mut self.sets[(line % count) as usize];
        let known = set.iter().position(|(known, _)| *known == line);
        let changed = known.map(|place| set.remove(place).1);
        match changed {
            Some(_) => self.hits += 1,
            None => self.misses += 1,
        }
        if set.len() == self.ways {
            let (_, changed) = set.remove(0);
            self.write_backs += u64::from(changed);
        }
        set.push((line, write || changed == Some(true)));
    }
}

fn random(state: &mut u32) -> u32 {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    *state
}

#[test]
fn least_recently_used_agrees_with_lists() {
    for (size, line, ways) in [
        (16 << 10, 32, 8),
        (128 << 10, 32, 8),
        (1024, 16, 16),
        (96, 32, 3),
        (512, 64, 1),
    ] {
        let cache = geometry(size, line, ways, Replacement::LeastRecentlyUsed);
        let mut model = model(cache, cache, None);
        let sets = vec![vec![]; cache.sets() as usize];
        let mut lists = Lists {
            line,
            ways: ways as usize,
            sets,
            hits: 0,
            misses: 0,
            write_backs: 0,
        };
        let mut state = size ^ ways;
        for _ in 0..50_000 {
            let address = (random(&mut state) % (3 * size)) & !3;
            let is_write = random(&mut state).is_multiple_of(3);
            lists.access(address, is_write);
            cycles(
                &mut model,
                &[(
                    address,
                    if is_write {
                        Direction::Write
                    } else {
                        Direction::Read
                    },
                )],
            );
        }
        let counts = counts(&model, CacheName::Data);
        assert_eq!(
            counts.read_hits + counts.write_hits,
            lists.hits,
            "{size} {line} {ways}"
        );
        assert_eq!(counts.read_misses + counts.write_misses, lists.misses);
        assert_eq!(counts.write_backs, lists.write_backs);
    }
}

/// The tree's rule, said once more as intervals: of two halves the one that was not used last makes room.
struct Halves {
    last_used: std::collections::BTreeMap<(u32, u32, u32), bool>,
    ways: Vec<Vec<Option<u32>>>,
}

impl Halves {
    fn access(&mut self, line: u32) -> bool {
        let set = line % self.ways.len() as u32;
        let count = self.ways[0].len() as u32;
        let ways = &self.ways[set as usize];
        let hit = ways.iter().position(|held| *held == Some(line));
        let empty = ways.iter().position(Option::is_none);
        let (mut low, mut high) = (0, count);
        while high - low > 1 {
            let upper_was_used = *self.last_used.get(&(set, low, high)).unwrap_or(&true);
            let middle = (low + high) / 2;
            (low, high) = if upper_was_used {
                (low, middle)
            } else {
                (middle, high)
            };
        }
        let way = hit.or(empty).map_or(low, |way| way as u32);
        (low, high) = (0, count);
        while high - low > 1 {
            let middle = (low + high) / 2;
            self.last_used.insert((set, low, high), way >= middle);
            (low, high) = if way >= middle {
                (middle, high)
            } else {
                (low, middle)
            };
        }
        self.ways[set as usize][way as usize] = Some(line);
        hit.is_some()
    }
}

#[test]
fn the_tree_agrees_with_its_rule() {
    for (size, ways) in [(16 << 10, 8), (512, 2), (1024, 16), (256, 1)] {
        let cache = geometry(size, 32, ways, Replacement::Tree);
        let mut model = model(cache, cache, None);
        let ways = vec![vec![None; ways as usize]; cache.sets() as usize];
        let mut halves = Halves {
            last_used: Default::default(),
            ways,
        };
        let mut state = size;
        for _ in 0..50_000 {
            let address = random(&mut state) % (2 * size);
            let expected = if halves.access(address / 32) { 1 } else { 101 };
            assert_eq!(read(&mut model, address), expected);
        }
    }
}

#[test]
fn a_reset_empties_the_caches_and_keeps_the_counts() {
    let mut model = small();
    write(&mut model, 0x1000);
    model.reset();
    assert_eq!(write(&mut model, 0x1000), 101);
    assert_eq!(counts(&model, CacheName::Data).write_misses, 2);
}

#[test]
fn a_saved_model_goes_on_as_if_nothing_had_happened() {
    let mut model = small();
    let mut state = 1;
    for _ in 0..1000 {
        write(&mut model, random(&mut state) & 0xffff);
    }
    let bytes = postcard::to_allocvec(&model).unwrap();
    let mut restored: CacheModel = postcard::from_bytes(&bytes).unwrap();
    assert!(model.takes(&restored) && restored == model);
    for _ in 0..1000 {
        let address = random(&mut state) & 0xffff;
        assert_eq!(read(&mut restored, address), read(&mut model, address));
    }
    let cache = geometry(128 << 10, 32, 8, Replacement::Tree);
    assert!(
        !model.takes(&self::model(cache, cache, None)),
        "other caches"
    );
}

#[test]
fn a_saved_order_that_names_no_way_is_refused() {
    let cache = geometry(64, 32, 2, Replacement::LeastRecentlyUsed);
    let model = model(cache, cache, None);
    let bytes = postcard::to_allocvec(&model).unwrap();
    let order = postcard::to_allocvec(&0xfedc_ba98_7654_3210_u64).unwrap();
    let found = bytes.windows(order.len()).position(|part| part == order);
    let mut damaged = bytes.clone();
    damaged[found.expect("the order of a set")] |= 0x0f;
    let damaged: CacheModel = postcard::from_bytes(&damaged).unwrap();
    assert!(!model.takes(&damaged));
}

#[test]
fn sizes_that_make_no_cache_are_refused() {
    let tree = Replacement::Tree;
    let error = |size, line, sets| Geometry::new(size, line, sets, tree).unwrap_err();
    assert_eq!(error(1024, 24, 4), GeometryError::Line(24));
    assert_eq!(error(1024, 32, 3), GeometryError::Sets(3));
    assert_eq!(error(1024, 32, 0), GeometryError::Sets(0));
    let ways = GeometryError::Ways {
        size: 1000,
        sets: 4,
        line: 32,
    };
    assert_eq!(error(1000, 32, 4), ways);
    assert_eq!(
        ways.to_string(),
        "1000 bytes are not a multiple of 4 sets of 32 bytes, or more than 16 of them; give sets x line x ways"
    );
    assert!(
        matches!(error(1 << 20, 32, 64), GeometryError::Ways { .. }),
        "512 ways"
    );
    assert!(matches!(
        error(u32::MAX, 4096, 65536),
        GeometryError::Ways { .. }
    ));
    assert_eq!(error(96, 32, 1), GeometryError::Tree(3));
}

#[test]
fn the_label_says_what_was_assumed() {
    let label = small().accuracy();
    assert_eq!(
        label.model,
        "fixed CPI 1/1, then caches; instruction 16 KiB, 8 ways, 32-byte lines, tree replacement; \
         data 16 KiB, 8 ways, 32-byte lines, tree replacement; memory at 100 cycles a line"
    );
    assert!(label.leaves_out.starts_with("coherence"));
}
