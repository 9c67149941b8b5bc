//! A group of four timers. A running timer costs an event each time that it reaches zero.

use super::registers::{TCR, TFRR, TIMERS};
use crate::clock;
use serde::{Deserialize, Serialize};
use socscope_device::Context;
use socscope_time::{Clock, EventId};

/// Timers in a group.
pub(super) const TIMERS_OF_GROUP: usize = 4;
const INHIBIT: u32 = 1 << 31;
const TOGGLE: u32 = 1 << 31;
const COUNT: u32 = !INHIBIT;
/// TCR: which timers roll over to all ones instead of their base count when they are cascaded.
const ROLL_OVER_SHIFT: u32 = 24;
const REAL_TIME: u32 = 1 << 16;
const RATIO_SHIFT: u32 = 8;
const CASCADE: u32 = 7;
const CONTROL: u32 = (7 << ROLL_OVER_SHIFT) | REAL_TIME | (3 << RATIO_SHIFT) | CASCADE;
/// For each value of TCR[CASC]: the timers that count the zeros of the one before them, one bit each.
const CASCADES: [u8; 8] = [
    0b0000, 0b0010, 0b0100, 0b0110, 0b1000, 0b1010, 0b1100, 0b1110,
];

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Timer {
    base: u32,
    toggle: bool,
    /// The count at `since`, or now when the timer does not count cycles.
    count: u32,
    /// The cycle at which it had this count, and the event of its zero.
    running: Option<(u64, EventId)>,
}

/// Four timers and what they share.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Group {
    /// The clock that the device tree gives.
    own_clock: Option<Clock>,
    /// Payload of the first timer's event.
    first_event: u64,
    control: u32,
    frequency: u32,
    timers: [Timer; TIMERS_OF_GROUP],
}

impl Group {
    pub fn new(own_clock: Option<Clock>, first_event: u64) -> Group {
        let timer = Timer {
            base: INHIBIT,
            toggle: false,
            count: 0,
            running: None,
        };
        Group {
            own_clock,
            first_event,
            control: 0,
            frequency: 0,
            timers: [timer.clone(), timer.clone(), timer.clone(), timer],
        }
    }

    pub fn reset(&mut self, context: &mut Context) {
        for timer in &self.timers {
            if let Some((_, event)) = timer.running {
                context.cancel(event);
            }
        }
        *self = Group::new(self.own_clock, self.first_event);
    }

    fn cycle(&self, context: &Context) -> u64 {
        clock::or_of_device(self.own_clock, context).cycles_at(context.now)
    }

    /// Cycles of a count.
    fn divisor(&self) -> u64 {
        8 << ((self.control >> RATIO_SHIFT) & 3)
    }

    fn is_cascaded(&self, index: usize) -> bool {
        CASCADES[(self.control & CASCADE) as usize] >> index & 1 != 0
    }

    fn counts_cycles(&self, index: usize) -> bool {
        let timer = &self.timers[index];
        let counts = timer.base & INHIBIT == 0 && timer.count != 0;
        counts && !self.is_cascaded(index) && self.control & REAL_TIME == 0
    }

    fn count(&self, index: usize, context: &Context) -> u32 {
        let timer = &self.timers[index];
        let counted = timer.running.map_or(0, |(since, _)| {
            self.cycle(context).saturating_sub(since) / self.divisor()
        });
        timer
            .count
            .saturating_sub(counted.min(u64::from(COUNT)) as u32)
    }

    /// Stops what counts, at its present count.
    fn hold(&mut self, index: usize, context: &mut Context) {
        self.timers[index].count = self.count(index, context);
        if let Some((_, event)) = self.timers[index].running.take() {
            context.cancel(event);
        }
    }

    fn go(&mut self, index: usize, context: &mut Context) {
        if self.timers[index].running.is_some() || !self.counts_cycles(index) {
            return;
        }
        let since = self.cycle(context);
        let zero = since + u64::from(self.timers[index].count) * self.divisor();
        let time = clock::or_of_device(self.own_clock, context).instant_of(zero);
        let event = context.schedule(time, self.first_event + index as u64);
        self.timers[index].running = Some((since, event));
    }

    /// The value of a register at `offset` from the group's beginning; vector and destination are a source's.
    pub fn value(&self, offset: u32, context: &Context) -> Option<u32> {
        let index = (offset.wrapping_sub(TIMERS) / 0x40) as usize;
        Some(match offset {
            TFRR => self.frequency,
            TCR => self.control,
            TIMERS.. if index < TIMERS_OF_GROUP => match (offset - TIMERS) % 0x40 {
                0 => {
                    let toggle = if self.timers[index].toggle { TOGGLE } else { 0 };
                    toggle | self.count(index, context)
                }
                0x10 => self.timers[index].base,
                _ => return None,
            },
            _ => return None,
        })
    }

    /// Writes a register that [`Group::value`] knows.
    pub fn write(&mut self, offset: u32, value: u32, context: &mut Context) {
        match offset {
            TFRR => self.frequency = value,
            TCR => {
                for index in 0..TIMERS_OF_GROUP {
                    self.hold(index, context);
                }
                self.control = value & CONTROL;
                for index in 0..TIMERS_OF_GROUP {
                    self.go(index, context);
                }
            }
            _ => self.set_base(
                (offset.wrapping_sub(TIMERS) / 0x40) as usize,
                value,
                context,
            ),
        }
    }

    /// Counting begins with the new base count; otherwise it is taken at the next zero.
    fn set_base(&mut self, index: usize, value: u32, context: &mut Context) {
        let Some(timer) = self.timers.get_mut(index) else {
            return;
        };
        let before = std::mem::replace(&mut timer.base, value);
        if value & INHIBIT != 0 {
            self.hold(index, context);
        } else if before & INHIBIT != 0 {
            timer.count = value & COUNT;
            timer.toggle = false;
            self.go(index, context);
        }
    }

    /// A timer that counts cycles reached zero. Gives the timers that did, one bit each: it and those cascaded behind it.
    pub fn reached_zero(&mut self, index: usize, context: &mut Context) -> u8 {
        let mut zeros = 0;
        let mut index = index;
        while let Some(timer) = self.timers.get_mut(index) {
            timer.running = None;
            timer.toggle = !timer.toggle;
            zeros |= 1 << index;
            let feeds_next = index + 1 < TIMERS_OF_GROUP && self.is_cascaded(index + 1);
            let rolls_over = self.control >> (ROLL_OVER_SHIFT + index as u32) & 1 != 0;
            let timer = &mut self.timers[index];
            timer.count = if feeds_next && rolls_over {
                COUNT
            } else {
                timer.base & COUNT
            };
            self.go(index, context);
            index += 1;
            if !feeds_next || !self.counts_one(index) {
                break;
            }
        }
        zeros
    }

    /// A cascaded timer counts one down. Whether it reached zero.
    fn counts_one(&mut self, index: usize) -> bool {
        let timer = &mut self.timers[index];
        if timer.base & INHIBIT != 0 || timer.count == 0 {
            return false;
        }
        timer.count -= 1;
        timer.count == 0
    }
}
