//! Caches for translated code: what it finds in the tables is all that an access would have done.

use socscope_isa::{CycleClass, CycleModel, LineOperation, Lookup, Lookups, NO_LINE};
use socscope_memory::{AccessCost, Direction, RegionIndex, Width};
use socscope_timing::{CacheModel, Caches, FixedCpi, Geometry, Latencies, Replacement};

const RAM: RegionIndex = RegionIndex(0);
const DEVICE: RegionIndex = RegionIndex(1);
const OPERATIONS: [LineOperation; 5] = [
    LineOperation::Establish,
    LineOperation::Clean,
    LineOperation::Flush,
    LineOperation::Discard,
    LineOperation::DiscardInstructions,
];

fn model(ways: u32, replacement: Replacement) -> CacheModel {
    let of = |sets| Geometry::new(32 * sets * ways, 32, sets, replacement).expect("a geometry");
    let caches = Caches {
        instruction: of(4),
        data: of(8),
        second_level: Some(of(16)),
        latencies: Latencies {
            fetch_hit_cycles: 1,
            data_hit_cycles: 2,
            second_level_cycles: 10,
            memory_cycles: 100,
            write_back_cycles: 7,
        },
    };
    let base = FixedCpi::new(3, 2).expect("a ratio");
    CacheModel::new(base, &caches, vec![true, false])
}

fn random(state: &mut u32) -> u32 {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    *state
}

fn tell(model: &mut CacheModel, lookup: Lookup, address: u32) {
    let cost = &AccessCost::SINGLE_CYCLE;
    let direction = match lookup {
        Lookup::Fetch => return CycleModel::<CycleClass>::fetched(model, address, RAM),
        Lookup::Read => Direction::Read,
        Lookup::Write => Direction::Write,
    };
    CycleModel::<CycleClass>::data_at(model, address, RAM, cost, Width::Word, direction);
}

/// As translated code does it: the cycles, and whether the model was not asked.
fn look_up(model: &mut CacheModel, lookup: Lookup, address: u32) -> (u64, bool) {
    let table = model.tables()[lookup as usize];
    let line = address >> table.shift;
    if model.entries()[lookup as usize][(line & (table.entries - 1)) as usize] == line {
        let mut found = [0; 3];
        found[lookup as usize] = 1;
        let fetching = match lookup {
            Lookup::Fetch => line,
            _ => model.fetching(),
        };
        model.found(found, fetching);
        return (u64::from(table.cycles), true);
    }
    tell(model, lookup, address);
    (model.take_stall(), false)
}

fn all(mut check: impl FnMut(CacheModel)) {
    for ways in [1, 2, 4, 8] {
        check(model(ways, Replacement::Tree));
    }
    for ways in [1, 3, 16] {
        check(model(ways, Replacement::LeastRecentlyUsed));
    }
}

#[test]
fn what_is_in_the_tables_changes_nothing_but_a_count() {
    all(|told| {
        let (mut told, mut looked_up) = (told.clone(), told);
        let (mut state, mut found) = (1, 0);
        for number in 0..20_000 {
            let address = random(&mut state) % 0x1000;
            // Most accesses are near the last one.
            let address = if number % 3 == 0 {
                address
            } else {
                address & 0x5f
            };
            let operation = OPERATIONS[random(&mut state) as usize % 5];
            let lookup = match random(&mut state) % 13 {
                0 => {
                    for model in [&mut told, &mut looked_up] {
                        CycleModel::<CycleClass>::line_operation(model, operation, address, RAM);
                    }
                    assert_eq!(told.take_stall(), looked_up.take_stall());
                    continue;
                }
                1..5 => Lookup::Fetch,
                5..9 => Lookup::Read,
                _ => Lookup::Write,
            };
            tell(&mut told, lookup, address);
            let (cycles, was_found) = look_up(&mut looked_up, lookup, address);
            assert_eq!(told.take_stall(), cycles, "{lookup:?} {address:x}");
            assert!(told == looked_up, "{lookup:?} {address:x}");
            found += u32::from(was_found);
        }
        assert!(found > 2_000, "{found}");
    });
}

#[test]
fn cycles_of_a_fetch_are_foreseen() {
    all(|mut model| {
        let (mut state, mut waited) = (7, 0);
        for _ in 0..20_000 {
            let address = random(&mut state) % 0x4000;
            let lookup = match random(&mut state) % 3 {
                0 => Lookup::Write,
                1 => Lookup::Read,
                _ => Lookup::Fetch,
            };
            let before = model.clone();
            let foreseen = model.fetch_cycles(address, RAM);
            assert!(model == before, "it only looks");
            assert_eq!(model.fetch_cycles(address, DEVICE), 0);
            tell(&mut model, lookup, address);
            let cycles = model.take_stall();
            if lookup == Lookup::Fetch {
                assert_eq!(cycles, foreseen, "{address:x}");
                waited += u32::from(cycles > 100);
            }
        }
        assert!(waited > 50, "{waited}");
    });
}

#[test]
fn tables_of_a_saved_model_are_as_they_were() {
    all(|mut model| {
        let mut state = 3;
        for _ in 0..500 {
            tell(&mut model, Lookup::Write, random(&mut state) % 0x800);
            tell(&mut model, Lookup::Read, random(&mut state) % 0x800);
            tell(&mut model, Lookup::Fetch, random(&mut state) % 0x800);
        }
        let bytes = postcard::to_allocvec(&model).expect("it can be saved");
        let restored: CacheModel = postcard::from_bytes(&bytes).expect("it is whole");
        assert_eq!(restored.entries(), model.entries());
        assert_eq!(restored.fetching(), model.fetching());
        assert!(model.entries()[2].iter().any(|line| *line != NO_LINE));
    });
}

#[test]
fn a_saved_geometry_that_cannot_be_is_refused() {
    let model = model(2, Replacement::Tree);
    let bytes = postcard::to_allocvec(&model).expect("it can be saved");
    // The ratio and what is owed come first, then the shift of the first cache's lines.
    let place = 3;
    assert_eq!(bytes[place], 5);
    for shift in [0, 31, 32, 127] {
        let mut damaged = bytes.clone();
        damaged[place] = shift;
        let damaged: CacheModel = postcard::from_bytes(&damaged).expect("the same bytes");
        assert!(!model.takes(&damaged), "{shift}");
    }
}
