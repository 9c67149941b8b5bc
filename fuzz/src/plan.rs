//! How a program is run: timing, cuts, and what the world outside does, all from the seed.

use crate::board::Cycles;
use crate::caches;
use crate::image::Image;
use crate::random::Random;

/// The world outside acts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Touch {
    /// Bytes arrive at the second serial port.
    Serial(Vec<u8>),
    /// An input of the interrupt controller changes.
    Line(&'static str, bool),
}

/// A piece of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The cycle at which it ends.
    pub end_cycle: u64,
    /// An address that ends it earlier.
    pub stop_at: Option<u32>,
    /// What the world does at its end.
    pub touch: Option<Touch>,
}

/// How a program is run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The core's cycles.
    pub cycles: Cycles,
    /// The pieces.
    pub pieces: Vec<Piece>,
    /// Executions before code is translated; the translator's own number when absent.
    pub threshold: Option<u32>,
    /// The piece at whose beginning the machine goes ahead, back over a snapshot, and on as a copy.
    pub fork_at: Option<usize>,
    /// The address at which the program ends; without it, it ends with its last piece.
    pub end: Option<u32>,
}

/// Cycles that a program which ends takes at most.
const CYCLES_MAX: u64 = 40_000_000;

impl Plan {
    /// The plan of a seed for about so many cycles.
    pub fn new(seed: u64, image: &Image, length_cycles: u64) -> Plan {
        let mut random = Random(seed ^ 0x5eed_0f91_a4c0_ffee);
        let cycles = match random.below(5) {
            0 => Cycles::Fixed(1, 1),
            1 => Cycles::Fixed(19, 10),
            2 => Cycles::Cached(seed, caches::SLOW_CYCLES),
            _ => Cycles::Arm7Tdmi,
        };
        let mut pieces = vec![];
        let mut end_cycle = 0;
        while end_cycle < length_cycles {
            end_cycle += match random.below(8) {
                0 => 1 + u64::from(random.below(60)),
                1 | 2 => 1 + u64::from(random.below(2_000)),
                _ => 1 + u64::from(random.below(60_000)),
            };
            let functions = &image.functions;
            let stop_at = random
                .once_in(4)
                .then(|| functions[random.below(functions.len() as u32) as usize].1);
            // A piece that an address may end has no touch: cut elsewhere, it would come at another moment.
            let touch = match random.below(4) {
                _ if stop_at.is_some() => None,
                0 => {
                    let size = 1 + random.below(20);
                    let bytes = (0..size).map(|_| random.word() as u8).collect();
                    Some(Touch::Serial(bytes))
                }
                1 => {
                    let line = ["fiq", "irq0"][random.below(2) as usize];
                    Some(Touch::Line(line, random.once_in(2)))
                }
                _ => None,
            };
            pieces.push(Piece {
                end_cycle,
                stop_at,
                touch,
            });
        }
        // All runs end at the same moment.
        if let Some(last) = pieces.last_mut() {
            last.stop_at = None;
        }
        let fork_at = random
            .once_in(2)
            .then(|| random.below(pieces.len() as u32) as usize);
        Plan {
            cycles,
            pieces,
            threshold: random.once_in(2).then_some(1),
            fork_at,
            end: None,
        }
    }

    /// The plan of a seed for a program that ends and needs no world outside.
    pub fn to_the_end(seed: u64, image: &Image) -> Plan {
        let mut random = Random(seed ^ 0x5eed_ca11_a4c0_ffee);
        let mut pieces = vec![];
        let mut end_cycle = 0;
        for _ in 0..random.below(12) {
            end_cycle += match random.below(3) {
                0 => 1 + u64::from(random.below(60)),
                1 => 1 + u64::from(random.below(2_000)),
                _ => 1 + u64::from(random.below(30_000)),
            };
            pieces.push(end_cycle);
        }
        pieces.push(CYCLES_MAX);
        let piece = |end_cycle| Piece {
            end_cycle,
            stop_at: Some(image.end),
            touch: None,
        };
        Plan {
            cycles: match random.below(4) {
                0 => Cycles::Fixed(1, 1),
                // Interrupts come every few hundred cycles, and their handlers have to end before the next one.
                1 => Cycles::Cached(seed, 4),
                _ => Cycles::Arm7Tdmi,
            },
            fork_at: random
                .once_in(2)
                .then(|| random.below(pieces.len() as u32) as usize),
            pieces: pieces.into_iter().map(piece).collect(),
            threshold: Some([1, 1, 2, 8][random.below(4) as usize]),
            end: Some(image.end),
        }
    }

    /// The same in as few pieces as the world allows.
    pub fn uncut(&self) -> Plan {
        let last = self.pieces.len() - 1;
        let pieces = self
            .pieces
            .iter()
            .enumerate()
            .filter(|(index, piece)| *index == last || piece.touch.is_some())
            .map(|(_, piece)| Piece {
                stop_at: self.end,
                ..piece.clone()
            })
            .collect();
        Plan {
            pieces,
            fork_at: None,
            ..self.clone()
        }
    }
}
