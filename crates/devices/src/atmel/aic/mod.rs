//! The advanced interrupt controller.
//!
//! # Summary
//! 32 sources with eight priorities and a vector each; nIRQ nests by priority, nFIQ belongs to source 0 alone.
//!
//! # Behaviour
//! Reading AIC_IVR begins the service of the most urgent enabled source whose priority is above the one in service:
//! its number and priority go on a stack of eight, an edge-triggered source is cleared, and nIRQ is released until a
//! source of yet higher priority asks. AIC_EOICR takes the top off the stack.
//!
//! With nothing to give, AIC_IVR and AIC_FVR read as AIC_SPU; from then on both lines stay inactive, and AIC_ISR reads
//! 0, until AIC_EOICR acknowledges the spurious interrupt.
//!
//! Level-sensitive sources follow their line. Edge-triggered ones are latched even while disabled, and only they
//! obey AIC_ISCR and AIC_ICCR. Source 1 has no line: it is the software interrupt, to be used edge-triggered.
//!
//! In protect mode (bit AIC of SF_PMR, here the input `protect`) reading AIC_IVR changes nothing; writing it does the rest.
//!
//! # Limits
//! See the description.
//!
//! # Source
//! Atmel doc1354, AIC.

mod registers;
mod sources;
#[cfg(test)]
mod tests;

use crate::apb;
use crate::state;
use registers::*;
use serde::{Deserialize, Serialize};
use socscope_device::{
    BuildError, Context, Description, Device, Model, Properties, RestoreError, TraceEvent,
};
use socscope_memory::Width;
use sources::Sources;

/// The interrupt controller.
pub const MODEL: Model = Model {
    description: &DESCRIPTION,
    build,
};

/// What a vector register gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Answer {
    Source(u8),
    Spurious,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Aic {
    sources: Sources,
    vectors: [u32; 32],
    spurious_vector: u32,
    /// Sources in service with the priorities that they had, the current one last.
    stack: Vec<(u8, u8)>,
    /// A spurious interrupt waits for its acknowledge.
    spurious: bool,
    protect: bool,
    /// In protect mode: what the last read of AIC_IVR gave.
    memorised: Option<Answer>,
    nirq: bool,
    nfiq: bool,
    /// Requests when probes were last told.
    requests: u32,
    /// Requests that probes know of and that have not been vectored.
    announced: u32,
}

fn build(node: &dyn Properties) -> Result<Box<dyn Device>, BuildError> {
    const PROPERTY: &str = "atmel,external-irqs";
    let mut external = 1;
    let listed = if node.has(PROPERTY) {
        node.cells(PROPERTY)?
    } else {
        vec![16, 17, 18]
    };
    for source in listed {
        if !(2..32).contains(&source) {
            return Err(BuildError {
                path: node.path().into(),
                property: PROPERTY.into(),
                reason: format!("{source} is not the number of a source that can have a pin"),
                remedy: "list numbers from 2 to 31".into(),
            });
        }
        external |= 1 << source;
    }
    Ok(Box::new(Aic {
        sources: Sources::new(external),
        vectors: [0; 32],
        spurious_vector: 0,
        stack: vec![],
        spurious: false,
        protect: false,
        memorised: None,
        nirq: false,
        nfiq: false,
        requests: 0,
        announced: 0,
    }))
}

impl Aic {
    /// What AIC_IVR would give now.
    fn answer(&self) -> Answer {
        match self.sources.most_urgent() {
            Some(source) if !self.spurious && self.exceeds_current(source) => {
                Answer::Source(source)
            }
            _ => Answer::Spurious,
        }
    }

    fn exceeds_current(&self, source: u8) -> bool {
        let current = self.stack.last();
        current.is_none_or(|&(_, priority)| self.sources.priority(source) > priority)
    }

    /// What AIC_FVR would give now.
    fn fast_answer(&self) -> Answer {
        if !self.spurious && self.sources.requests() & 1 != 0 {
            Answer::Source(0)
        } else {
            Answer::Spurious
        }
    }

    fn vector(&self, answer: Answer) -> u32 {
        match answer {
            Answer::Source(source) => self.vectors[usize::from(source)],
            Answer::Spurious => self.spurious_vector,
        }
    }

    /// Begins the service of `answer`.
    fn begin(&mut self, answer: Answer, context: &mut Context) {
        context.trace(TraceEvent::InterruptVectored {
            source: match answer {
                Answer::Source(source) => u32::from(source),
                Answer::Spurious => 0,
            },
            vector: self.vector(answer),
            spurious: answer == Answer::Spurious,
        });
        match answer {
            Answer::Source(source) => {
                self.announced &= !(1 << source);
                if source != 0 {
                    self.stack.push((source, self.sources.priority(source)));
                }
                self.sources.clear(1 << source);
                // An edge-triggered request ends here, so that the next edge is a new one.
                self.requests &= self.sources.requests();
            }
            Answer::Spurious => self.spurious = true,
        }
        self.update(context);
    }

    fn end_of_interrupt(&mut self, context: &mut Context) {
        if self.spurious {
            self.spurious = false;
        } else if let Some((source, _)) = self.stack.pop() {
            // A line that is still active asks again from now on.
            self.requests &= !(1 << source) | self.announced;
        } else {
            return;
        }
        context.trace(TraceEvent::InterruptEnded);
        self.update(context);
    }

    /// Drives nIRQ and nFIQ, and tells probes of new requests.
    fn update(&mut self, context: &mut Context) {
        let requests = self.sources.requests();
        let mut new = requests & !self.requests;
        self.requests = requests;
        self.announced = (self.announced & requests) | new;
        while new != 0 {
            let source = new.trailing_zeros();
            new &= new - 1;
            context.trace(TraceEvent::InterruptRaised { source });
        }
        let nirq = self.answer() != Answer::Spurious;
        let nfiq = self.fast_answer() != Answer::Spurious;
        if nirq != self.nirq {
            context.set_line(0, nirq);
        }
        if nfiq != self.nfiq {
            context.set_line(1, nfiq);
        }
        (self.nirq, self.nfiq) = (nirq, nfiq);
    }

    fn value(&self, offset: u32) -> Option<u32> {
        let index = (offset / 4 % 32) as usize;
        Some(match offset {
            SMR..SVR => self.sources.mode(index),
            SVR..IVR => self.vectors[index],
            IVR => self.vector(self.answer()),
            FVR => self.vector(self.fast_answer()),
            ISR if self.spurious => 0,
            ISR => self
                .stack
                .last()
                .map_or(0, |&(source, _)| u32::from(source)),
            IPR => self.sources.pending(),
            IMR => self.sources.enabled,
            CISR => (u32::from(self.nfiq) * CISR_NFIQ) | (u32::from(self.nirq) * CISR_NIRQ),
            IECR | IDCR | ICCR | ISCR | EOICR => 0,
            SPU => self.spurious_vector,
            _ => return None,
        })
    }
}

impl Device for Aic {
    fn description(&self) -> &'static Description {
        &DESCRIPTION
    }

    fn reset(&mut self, context: &mut Context) {
        self.sources.reset();
        self.vectors = [0; 32];
        self.spurious_vector = 0;
        self.stack.clear();
        self.spurious = false;
        self.memorised = None;
        self.requests = 0;
        self.announced = 0;
        self.update(context);
    }

    fn read(&mut self, offset: u32, width: Width, context: &mut Context) -> u32 {
        let register = apb::register_offset(offset);
        let Some(value) = self.value(register) else {
            apb::warn_of_read(context, register);
            return 0;
        };
        match register {
            IVR if self.protect => self.memorised = Some(self.answer()),
            IVR => self.begin(self.answer(), context),
            FVR => self.begin(self.fast_answer(), context),
            _ => {}
        }
        apb::lane(value, offset, width)
    }

    fn write(&mut self, offset: u32, width: Width, value: u32, context: &mut Context) {
        let register = apb::register_offset(offset);
        let value = apb::repeated(value, width);
        let index = (register / 4 % 32) as usize;
        match register {
            SMR..SVR => self.sources.set_mode(index, value),
            SVR..IVR => self.vectors[index] = value,
            IVR if self.protect => {
                let answer = self.memorised.take().unwrap_or(self.answer());
                self.begin(answer, context);
            }
            // Handlers written for protect mode write it always (doc1354, "Protect Mode").
            IVR => {}
            IECR => self.sources.enabled |= value,
            IDCR => self.sources.enabled &= !value,
            ICCR => self.sources.clear(value),
            ISCR => self.sources.set(value),
            EOICR => self.end_of_interrupt(context),
            SPU => self.spurious_vector = value,
            _ => apb::warn_of_write(context, register, value),
        }
        self.update(context);
    }

    fn peek(&self, offset: u32, _context: &Context) -> Option<u32> {
        self.value(apb::register_offset(offset))
    }

    fn input(&mut self, line: u32, level: bool, context: &mut Context) {
        match line {
            PROTECT_INPUT => {
                self.protect = level;
                self.memorised = None;
            }
            0..32 => self.sources.set_line(line, level),
            _ => {}
        }
        self.update(context);
    }

    fn save(&self) -> Vec<u8> {
        state::save(self)
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), RestoreError> {
        let aic: Aic = state::restore(DESCRIPTION.title, bytes)?;
        let memorised = aic.memorised.iter().map(|answer| match answer {
            Answer::Source(source) => *source,
            Answer::Spurious => 0,
        });
        let in_service = aic.stack.iter().map(|&(source, _)| source);
        if in_service.chain(memorised).any(|source| source >= 32) {
            return Err(RestoreError {
                device: DESCRIPTION.title.into(),
                reason: "a source number is above 31".into(),
            });
        }
        *self = aic;
        Ok(())
    }
}
