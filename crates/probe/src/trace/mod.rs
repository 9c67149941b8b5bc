//! What a core did, instruction by instruction and bus cycle by bus cycle.
//!
//! It fires for every instruction, exception entry and bus cycle of a core whose bus cycles a timing model counts, pipeline refills included; the platform's timing model
//! gives the cycles. Of another core it has instructions and exception entries with their cycles ([`Trace::by_instruction`]). While it is on, all code is interpreted: it is meant for short stretches, and no bench measures it yet.

mod columns;
mod watched;

pub use columns::{Changes, Cycles, ENTRY, EXECUTED, INTERNAL, PASSED, Rows};
pub use watched::Watched;

use socscope_core::Core;
use socscope_core::{Observer, Transfer};
use socscope_engines::{BusCycles, BusState, Sequences};
use socscope_isa::CycleClass;
use socscope_machine::{Machine, MachineObserver, Stop, Until};
use socscope_memory::{Direction, RegionIndex, Sequence, Width};
use socscope_timing::Purpose;

/// A trace.
#[derive(Clone, Debug)]
pub struct Trace {
    /// Instructions and exception entries.
    pub rows: Rows,
    /// Their bus cycles.
    pub cycles: Cycles,
    /// What watched places held.
    pub changes: Changes,
    /// Cycles in which the core's clock was off.
    pub stopped_cycles: u64,
    /// Cycles in which DMA held the bus.
    pub bus_held_cycles: u64,
    watched: Vec<Watched>,
    values: Vec<u32>,
    touched: bool,
    bus: BusState,
    class: CycleClass,
    next_cycle: u64,
    rows_max: usize,
    by_instruction: bool,
}

/// Writes bus cycles down.
struct Recorder<'a> {
    cycles: &'a mut Cycles,
    row: u32,
}

impl Recorder<'_> {
    fn add(&mut self, purpose: u8, sequence: Sequence, size: u8, address: u32) {
        self.cycles.row.push(self.row);
        self.cycles.purpose.push(purpose);
        self.cycles.sequence.push(sequence as u8);
        self.cycles.size.push(size);
        self.cycles.address.push(address);
    }
}

impl BusCycles for Recorder<'_> {
    type Place = u32;

    fn access(&mut self, purpose: Purpose, sequence: Sequence, width: Width, address: u32) {
        self.add(purpose as u8, sequence, width.bytes() as u8, address);
    }

    fn internal(&mut self, cycles: u64) {
        self.add(INTERNAL, Sequence::Nonsequential, 0, cycles as u32);
    }
}

impl Trace {
    /// A trace that begins now. It ends the run when it has `rows_max` rows.
    pub fn new(machine: &mut Machine, watched: Vec<Watched>, rows_max: usize) -> Trace {
        let values: Vec<u32> = watched.iter().map(|one| one.value(machine)).collect();
        let mut changes = Changes::default();
        for (place, &value) in values.iter().enumerate() {
            changes.row.push(0);
            changes.place.push(place as u8);
            changes.value.push(value);
        }
        Trace {
            rows: Rows::default(),
            cycles: Cycles::default(),
            changes,
            stopped_cycles: 0,
            bus_held_cycles: 0,
            watched,
            values,
            touched: false,
            bus: machine.bus_cycles(),
            class: CycleClass::Data,
            next_cycle: machine.cycle(),
            rows_max,
            by_instruction: false,
        }
    }

    /// The same of a core whose timing model knows cycles of instructions, but none of the bus: they are written down as I cycles.
    pub fn by_instruction(mut self) -> Trace {
        self.by_instruction = true;
        self
    }

    /// Whether there is no room for further rows.
    pub fn is_full(&self) -> bool {
        self.rows.address.len() >= self.rows_max
    }

    /// Goes on with the machine that the trace was begun on.
    pub fn run(&mut self, machine: &mut Machine, until: &Until) -> Stop {
        loop {
            match machine.run(until, self) {
                Stop::Observer if self.touched => {
                    self.look(machine);
                    let pc = machine.pc();
                    // A run does not end where it begins, and this one began earlier.
                    if until.addresses.contains(&pc) {
                        return Stop::Address(pc);
                    }
                }
                stop => return stop,
            }
        }
    }

    fn look(&mut self, machine: &mut Machine) {
        self.touched = false;
        for place in 0..self.watched.len() {
            let value = self.watched[place].value(machine);
            if value != self.values[place] {
                self.values[place] = value;
                self.changes.row.push(self.rows.address.len() as u32);
                self.changes.place.push(place as u8);
                self.changes.value.push(value);
            }
        }
    }

    /// Prices the bus cycles with the costs of the machine's memories as they are mapped now. With a timing model that counts them, the
    /// costs of a row's bus cycles are the row's cycles.
    pub fn price(&mut self, machine: &Machine) {
        let (mut bursts, mut bus) = (self.bus.bursts, self.bus.external_bus);
        let mut row = 0;
        let count = self.cycles.row.len();
        self.cycles.cost = Vec::with_capacity(count);
        self.cycles.wait = Vec::with_capacity(count);
        for index in 0..count {
            let (purpose, address) = (self.cycles.purpose[index], self.cycles.address[index]);
            if std::mem::replace(&mut row, self.cycles.row[index]) != row {
                bursts.end_data();
            }
            let (wait, cycles) = if purpose == INTERNAL {
                bus.idle(u64::from(address));
                (0, u64::from(address))
            } else {
                let (region, cost) = machine.access_cost(address);
                let purpose = Purpose::ALL[purpose as usize];
                let direction = purpose.direction();
                let sequence = Sequence::ALL[self.cycles.sequence[index] as usize];
                let sequence = bursts.accessed(purpose, sequence, region);
                let width = Width::ALL[self.cycles.size[index].trailing_zeros() as usize];
                let cycles = u64::from(cost.cycles(sequence, direction, width));
                let wait = if cost.external == 0 {
                    bus.idle(cycles);
                    0
                } else {
                    let wait = bus.wait(cost, direction);
                    bus.accessed(cost, direction);
                    wait
                };
                (wait, wait + cycles)
            };
            self.cycles.wait.push(wait as u8);
            self.cycles.cost.push(cycles as u16);
        }
    }

    fn recorder(&mut self) -> (&mut Sequences, Recorder<'_>) {
        let recorder = Recorder {
            row: (self.rows.address.len() as u32).saturating_sub(1),
            cycles: &mut self.cycles,
        };
        (&mut self.bus.sequences, recorder)
    }

    fn data_access(&mut self, address: u32, width: Width, direction: Direction) {
        if self.by_instruction {
            return;
        }
        let class = self.class;
        let (sequences, mut recorder) = self.recorder();
        sequences.data(class, direction, width, address, &mut recorder);
    }
}

impl Observer for Trace {
    fn begins(&mut self, class: CycleClass, pc: u32, width: Width, core: &dyn Core) {
        self.class = class;
        // An instruction of this class announces itself, an interrupt's entry does not: its row is an instruction's only if `instruction`
        // came first.
        let rows = &mut self.rows;
        if rows.address.len() == rows.class.len() {
            rows.address.push(pc);
            rows.kind.push(ENTRY);
        } else if class == CycleClass::NotExecuted {
            *rows.kind.last_mut().expect("announced") = PASSED;
        }
        rows.class.push(class as u8);
        rows.size.push(width.bytes() as u8);
        rows.status.push(core.status_word());
        rows.stack_pointer.push(core.stack_pointer());
        rows.cycle.push(self.next_cycle);
        rows.cycles.push(0);
        rows.transfer.push(0);
        rows.target.push(0);
        if self.by_instruction {
            return;
        }
        let (sequences, mut recorder) = self.recorder();
        sequences.begin(class, pc, width, &mut recorder);
    }

    fn instruction(&mut self, pc: u32, _width: Width, _region: RegionIndex) {
        self.rows.address.push(pc);
        self.rows.kind.push(EXECUTED);
    }

    fn cycles(&mut self, cycles: u64) {
        let by_instruction = self.by_instruction;
        let (sequences, mut recorder) = self.recorder();
        if !by_instruction {
            sequences.end(&mut recorder);
        } else if cycles > 0 {
            recorder.internal(cycles);
        }
        self.next_cycle += cycles;
        // An instruction that raises an exception tells its own cycles, then those of the entry.
        if let Some(last) = self.rows.cycles.last_mut() {
            *last += cycles as u32;
        }
    }

    fn data(
        &mut self,
        _pc: u32,
        address: u32,
        width: Width,
        direction: Direction,
        _region: RegionIndex,
    ) {
        self.data_access(address, width, direction);
        self.touched |= direction == Direction::Write
            && self
                .watched
                .iter()
                .any(|one| one.is_touched(address, width));
    }

    fn refused(&mut self, address: u32, width: Width, direction: Direction) {
        self.data_access(address, width, direction);
    }

    fn multiplier(&mut self, operand: u32, signed: bool) {
        let class = self.class;
        let (sequences, mut recorder) = self.recorder();
        sequences.multiplier(class, operand, signed, &mut recorder);
    }

    fn refills(&mut self, address: u32, width: Width) {
        let (sequences, mut recorder) = self.recorder();
        sequences.refill(address, width, &mut recorder);
    }

    fn transfer(&mut self, _from: u32, to: u32, kind: Transfer, _stack_pointer: u32) {
        let number = match kind {
            Transfer::Jump => 1,
            Transfer::Call => 2,
            Transfer::ExceptionEntry(_) => 3,
            Transfer::ExceptionReturn => 4,
        };
        if let (Some(transfer), Some(target)) =
            (self.rows.transfer.last_mut(), self.rows.target.last_mut())
        {
            (*transfer, *target) = (number, to);
        }
    }

    fn stop(&self) -> bool {
        self.touched || self.is_full()
    }
}

impl MachineObserver for Trace {
    socscope_machine::executes_here!();

    fn stopped(&mut self, cycles: u64) {
        self.stopped_cycles += cycles;
        self.next_cycle += cycles;
    }

    fn bus_held(&mut self, _core: u16, cycles: u64) {
        self.bus_held_cycles += cycles;
        self.next_cycle += cycles;
    }
}
