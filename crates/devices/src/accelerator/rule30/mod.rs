//! A cellular automaton engine: the accelerator of the study of a driver under a full operating system.

mod line;
mod registers;
#[cfg(test)]
mod tests;

use crate::declared::{Value, Variable};
use crate::{lane, state};
use line::Line;
pub use registers::DESCRIPTION;
use registers::*;
use serde::{Deserialize, Serialize};
use socscope_device::{Context, Description, Device, Model, Properties, RestoreError, TraceEvent};
use socscope_memory::{Direction, Fault, Width};
use socscope_time::{EventId, Instant};

/// The entry for the table of models.
pub const MODEL: Model = Model {
    description: &DESCRIPTION,
    build: |properties| Ok(Box::new(Rule30::new(properties)?)),
};

const LATENCY_NS: i64 = 100;
/// The longest time for a line: a thousand seconds.
const LATENCY_NS_MAX: i64 = 1_000_000_000_000;
const PS_PER_NS: u64 = 1000;
/// The longest line.
const CELLS_MAX: u32 = 32 * WORDS as u32;

/// Lines that are computed now, as START found them.
#[derive(Clone, Serialize, Deserialize)]
struct Work {
    end: EventId,
    input: Line,
    rule: u32,
    length: u32,
    lines: u32,
    destination: Option<u32>,
    failed: bool,
}

#[derive(Clone, Serialize, Deserialize)]
struct State {
    latency_ns: i64,
    control: u32,
    done: bool,
    error: bool,
    rule: u32,
    length: u32,
    lines: u32,
    source: u32,
    destination: u32,
    input: Line,
    output: Line,
    work: Option<Work>,
}

impl State {
    fn new(latency_ns: i64) -> State {
        State {
            latency_ns,
            control: 0,
            done: false,
            error: false,
            rule: RULE_30,
            length: 0,
            lines: 0,
            source: 0,
            destination: 0,
            input: [0; WORDS],
            output: [0; WORDS],
            work: None,
        }
    }

    /// Whether a state from a file is one that a guest can bring about.
    fn is_possible(&self) -> bool {
        let fits = |(register, value): (u32, u32)| value & !kept(register) == 0;
        let works = |work: &Work| {
            let destination = work.destination.unwrap_or(0);
            (1..=CELLS_MAX).contains(&work.length)
                && work.lines > 0
                && [
                    (RULE, work.rule),
                    (LINES, work.lines),
                    (DESTINATION, destination),
                ]
                .into_iter()
                .all(fits)
        };
        let registers = [
            (CONTROL, self.control),
            (RULE, self.rule),
            (LINES, self.lines),
            (SOURCE, self.source),
            (DESTINATION, self.destination),
        ];
        (0..=LATENCY_NS_MAX).contains(&self.latency_ns)
            && registers.into_iter().all(fits)
            && self.work.as_ref().is_none_or(works)
    }

    /// Where a register keeps what is written to it.
    fn stored(&mut self, offset: u32) -> Option<&mut u32> {
        Some(match offset {
            CONTROL => &mut self.control,
            RULE => &mut self.rule,
            LENGTH => &mut self.length,
            LINES => &mut self.lines,
            SOURCE => &mut self.source,
            DESTINATION => &mut self.destination,
            INPUT..OUTPUT => self.input.get_mut((offset - INPUT) as usize / 4)?,
            _ => return None,
        })
    }
}

struct Rule30 {
    version: u32,
    irq: u32,
    state: State,
}

fn latency_variable() -> Variable {
    Variable {
        name: "latency_ns".into(),
        initial: Value::Integer(LATENCY_NS),
        attribute: true,
        minimum: Some(Value::Integer(0)),
        maximum: Some(Value::Integer(LATENCY_NS_MAX)),
    }
}

/// The address of a word and of all behind it.
fn addresses(first: u32) -> impl Iterator<Item = u32> {
    std::iter::successors(Some(first), |address| Some(address.wrapping_add(4)))
}

/// Moves words until one faults, and tells probes.
fn transferred<T>(
    direction: Direction,
    words: usize,
    transfer: impl Iterator<Item = (u32, T)>,
    context: &mut Context,
    access: impl Fn(&mut Context, u32, T) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let length = words as u32;
    context.trace(TraceEvent::DmaStarted { direction, length });
    let (mut outcome, mut length) = (Ok(()), 0);
    for (address, word) in transfer {
        outcome = access(context, address, word);
        if outcome.is_err() {
            break;
        }
        length += 1;
    }
    context.trace(TraceEvent::DmaEnded { direction, length });
    outcome
}

impl Rule30 {
    fn new(properties: &dyn Properties) -> Result<Rule30, socscope_device::BuildError> {
        let mut version = VERSION_PLAIN;
        for (property, extension) in [
            ("socscope,batch", VERSION_BATCH),
            ("socscope,dma", VERSION_DMA),
        ] {
            if properties.has(property) {
                version |= extension;
            }
        }
        let latency = properties.cell("socscope,latency-ns")?;
        Ok(Rule30 {
            version,
            irq: properties.first_interrupt()?.unwrap_or(0),
            state: State::new(latency.map_or(LATENCY_NS, i64::from)),
        })
    }

    fn has(&self, extension: u32) -> bool {
        self.version & extension != 0
    }

    /// Whether the register is one of an extension that this engine does not have.
    fn missing(&self, offset: u32) -> bool {
        match offset {
            LINES => !self.has(VERSION_BATCH),
            SOURCE | DESTINATION => !self.has(VERSION_DMA),
            _ => false,
        }
    }

    fn word(&self, offset: u32) -> u32 {
        let state = &self.state;
        match offset {
            VERSION => self.version,
            CONTROL => state.control,
            STATUS => {
                let bits = [
                    (state.work.is_some(), BUSY),
                    (state.done, DONE),
                    (state.error, ERROR),
                ];
                bits.iter().filter(|(on, _)| *on).map(|(_, bit)| bit).sum()
            }
            IRQ => self.irq,
            RULE => state.rule,
            LENGTH => state.length,
            LINES => state.lines,
            SOURCE => state.source,
            DESTINATION => state.destination,
            OUTPUT.. => state
                .output
                .get((offset - OUTPUT) as usize / 4)
                .copied()
                .unwrap_or(0),
            _ => 0,
        }
    }

    fn drive_interrupt(&self, context: &mut Context) {
        context.set_line(0, self.state.done && self.state.control & IRQ_ENABLE != 0);
    }

    fn start(&mut self, context: &mut Context) {
        let state = &mut self.state;
        if state.work.is_some() {
            state.error = true;
            return context.warn("started while it works: ignored");
        }
        (state.done, state.error) = (false, false);
        if state.length == 0 || state.length > CELLS_MAX {
            state.error = true;
            context.warn(format!(
                "started with LENGTH {}: ignored; it is 1 to 1024",
                state.length
            ));
        } else {
            let mut failed = false;
            if state.control & DMA_READ != 0 {
                failed = self.fetch(context).is_err();
            }
            let state = &mut self.state;
            let lines = state.lines.max(1);
            let time_ps = state.latency_ns as u64 * PS_PER_NS * u64::from(lines);
            state.work = Some(Work {
                end: context.schedule(Instant(context.now.0.saturating_add(time_ps)), 0),
                input: line::cut(&state.input, state.length),
                rule: state.rule,
                length: state.length,
                lines,
                destination: (state.control & DMA_WRITE != 0).then_some(state.destination),
                failed,
            });
        }
        self.drive_interrupt(context);
    }

    /// Reads the input from memory.
    fn fetch(&mut self, context: &mut Context) -> Result<(), Fault> {
        let words = self.state.length.div_ceil(32) as usize;
        let addresses = addresses(self.state.source);
        let transfer = addresses.zip(&mut self.state.input[..words]);
        transferred(
            Direction::Read,
            words,
            transfer,
            context,
            |context, address, word| {
                *word = context.dma_read(address, Width::Word)?;
                Ok(())
            },
        )
    }

    /// Computes the lines and gives the last one.
    fn compute(work: &mut Work, context: &mut Context) -> Line {
        let words = work.length.div_ceil(32) as usize;
        let mut all = Vec::new();
        let mut line = work.input;
        for _ in 0..work.lines {
            line = line::next(&line, work.rule, work.length);
            if work.destination.is_some() {
                all.extend_from_slice(&line[..words]);
            }
        }
        if let Some(destination) = work.destination {
            let transfer = addresses(destination).zip(&all);
            let written = transferred(
                Direction::Write,
                all.len(),
                transfer,
                context,
                |context, address, word| context.dma_write(address, Width::Word, *word),
            );
            work.failed |= written.is_err();
        }
        line
    }

    /// All but the latency, which is no register, as after power-on.
    fn reset_registers(&mut self, context: &mut Context) {
        if let Some(work) = &self.state.work {
            context.cancel(work.end);
        }
        self.state = State::new(self.state.latency_ns);
        self.drive_interrupt(context);
    }
}

impl Device for Rule30 {
    fn description(&self) -> &'static Description {
        &DESCRIPTION
    }

    fn reset(&mut self, context: &mut Context) {
        self.reset_registers(context);
    }

    fn read(&mut self, offset: u32, width: Width, context: &mut Context) -> u32 {
        let word = self.word(Width::Word.align(offset));
        lane::read(word, offset, width, context.order)
    }

    fn write(&mut self, offset: u32, width: Width, value: u32, context: &mut Context) {
        let (lanes, written) = lane::written(value, offset, width, context.order);
        let offset = Width::Word.align(offset);
        if self.missing(offset) {
            return context.warn(format!(
                "write of {value:#x} to {offset:#x} ignored: VERSION does not say that this extension is there"
            ));
        }
        match offset {
            STATUS => {
                self.state.done &= written & DONE == 0;
                self.state.error &= written & ERROR == 0;
                self.drive_interrupt(context);
            }
            RESET if written & 1 != 0 => self.reset_registers(context),
            START if written & 1 != 0 => self.start(context),
            RESET | START => {}
            _ => {
                let mut kept = kept(offset) & lanes;
                if offset == CONTROL && !self.has(VERSION_DMA) {
                    kept &= !(DMA_READ | DMA_WRITE);
                }
                match self.state.stored(offset) {
                    Some(stored) => *stored = *stored & !kept | written & kept,
                    None => context.warn(format!(
                        "write of {value:#x} to offset {offset:#x} ignored: there is no writable register"
                    )),
                }
                if offset == CONTROL {
                    self.drive_interrupt(context);
                }
            }
        }
    }

    fn peek(&self, offset: u32, _context: &Context) -> Option<u32> {
        Some(self.word(Width::Word.align(offset)))
    }

    fn event(&mut self, _payload: u64, context: &mut Context) {
        let Some(mut work) = self.state.work.take() else {
            return;
        };
        let line = Rule30::compute(&mut work, context);
        self.state.output = line;
        if self.state.control & LATCH != 0 {
            self.state.input = line;
        }
        self.state.done = true;
        self.state.error |= work.failed;
        self.drive_interrupt(context);
    }

    fn set_attribute(
        &mut self,
        name: &str,
        value: &[u8],
        _context: &mut Context,
    ) -> Result<(), String> {
        let latency = latency_variable();
        if name != latency.name {
            return Err(format!(
                "no attribute is called {name}; there are: {}",
                latency.name
            ));
        }
        let value = Value::from_bytes(value)?;
        latency.check(&value)?;
        if let Value::Integer(latency_ns) = value {
            self.state.latency_ns = latency_ns;
        }
        Ok(())
    }

    fn attribute(&self, name: &str) -> Option<Vec<u8>> {
        let value = if name == latency_variable().name {
            self.state.latency_ns
        } else {
            let (register, index) = DESCRIPTION.register_named(name)?;
            let register = &DESCRIPTION.registers[register];
            self.word(register.offset + index * register.stride).into()
        };
        Some(Value::Integer(value).to_bytes())
    }

    fn save(&self) -> Vec<u8> {
        state::save(&self.state)
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), RestoreError> {
        let state: State = state::restore(DESCRIPTION.title, bytes)?;
        if !state.is_possible() {
            return Err(RestoreError {
                device: DESCRIPTION.title.into(),
                reason: "it holds what no guest can have written".into(),
            });
        }
        self.state = state;
        Ok(())
    }
}
