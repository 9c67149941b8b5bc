//! The receiver against the obvious one: a state machine that looks at the line sixteen times a bit.

use super::*;

/// Ticks of the sampling clock, which is MCK at divisor 1.
const TICKS: usize = 3000;
const TICK_PS: u64 = BIT_PS / 16;

/// A generator of test data (xorshift).
struct Random(u32);

impl Random {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0 % limit
    }
}

/// Noise, characters at various speeds and breaks, their edges on sampling ticks.
fn random_line(random: &mut Random) -> Vec<(usize, Waveform)> {
    let mut tick = 5;
    let mut line = vec![];
    while tick < TICKS {
        let speed = [1, 4, 13, 16, 16, 16, 17, 40][random.below(8) as usize];
        let bits = 1 + random.below(32);
        let noise = random.below(u32::MAX) & random.below(u32::MAX);
        let levels = match random.below(3) {
            0 => noise,
            1 => 0b11_0000_0000 << random.below(3) | random.below(256) << 1,
            _ => 0,
        };
        let waveform = Waveform {
            start: Instant(tick as u64 * TICK_PS),
            bit_time_ps: speed * TICK_PS,
            levels,
            bits: bits as u8,
        };
        line.push((tick, waveform));
        let pause = random.below(2) * random.below(200);
        tick += (speed as u32 * random.below(bits + 1) + pause).max(1) as usize;
    }
    line
}

/// The level at each tick.
fn paint(line: &[(usize, Waveform)]) -> Vec<bool> {
    let mut levels = vec![true; TICKS];
    for (start, waveform) in line {
        for (tick, level) in levels.iter_mut().enumerate().skip(*start) {
            let bit = (tick - start) as u64 * TICK_PS / waveform.bit_time_ps;
            *level = bit >= u64::from(waveform.bits) || waveform.levels >> bit & 1 == 1;
        }
    }
    levels
}

/// What happened at a tick: the character if there was one, and RXBRK, FRAME and PARE.
type Event = (usize, Option<u16>, u32);

/// Data bits and, with even parity, one bit more.
fn obvious_receiver(levels: &[bool], data_bits: usize, has_parity: bool) -> Vec<Event> {
    let mut events = vec![];
    let last = 1 + data_bits + usize::from(has_parity);
    let mut tick = 0;
    let mut in_break = false;
    let mut run = 0;
    while tick < levels.len() {
        run = if levels[tick] == in_break { run + 1 } else { 0 };
        if in_break && run == 2 {
            // The second high tick is over when the next one begins.
            events.push((tick + 1, None, status::RXBRK));
            in_break = false;
            run = 0;
        } else if !in_break && run == 8 {
            let start = tick - 7;
            let sample = |bit: usize| levels.get(start + 16 * bit + 8).copied().unwrap_or(true);
            let data = (0..data_bits).fold(0, |data, bit| data | u16::from(sample(1 + bit)) << bit);
            let parity = has_parity && sample(last - 1);
            let mut flags = 0;
            if !sample(last) {
                in_break = data == 0 && !parity;
                flags |= if in_break {
                    status::RXBRK
                } else {
                    status::FRAME
                };
            }
            if has_parity && (data.count_ones() + u32::from(parity)) % 2 == 1 {
                flags |= status::PARE;
            }
            tick = start + 16 * last + 8;
            events.push((tick, Some(data), flags));
            run = 0;
            // The tick of the stop bit is the first of the search.
            continue;
        }
        tick += 1;
    }
    events
}

fn modelled_receiver(line: &[(usize, Waveform)], mode: u32) -> Vec<Event> {
    let mut bench = port(mode);
    let mut events = vec![];
    for tick in 0..TICKS {
        // What begins at a tick is there when the tick's sample is taken.
        bench.run_until(Instant((tick as u64 * TICK_PS).saturating_sub(1)));
        for (_, waveform) in line.iter().filter(|(start, _)| *start == tick) {
            bench.receive(0, *waveform);
        }
        bench.run_until(Instant(tick as u64 * TICK_PS));
        let flags = csr(&mut bench);
        let data = (flags & status::RXRDY != 0).then(|| bench.read(RHR) as u16);
        let errors = flags & (status::RXBRK | status::FRAME | status::PARE);
        assert_eq!(flags & status::OVRE, 0);
        if data.is_some() || errors != 0 {
            events.push((tick, data, errors));
            bench.write(CR, RSTSTA);
        }
    }
    events
}

#[test]
fn the_receiver_hears_what_a_tick_by_tick_receiver_hears() {
    let mut random = Random(0x2545_f491);
    let mut seen = [0; 4];
    for round in 0..400 {
        let chrl = random.below(4);
        let has_parity = random.below(2) == 1;
        let parity = if has_parity { 0 } else { 4 };
        let line = random_line(&mut random);
        let expected = obvious_receiver(&paint(&line), 5 + chrl as usize, has_parity);
        let within = expected.iter().filter(|(tick, _, _)| *tick < TICKS);
        let expected: Vec<Event> = within.copied().collect();
        let mode = chrl << mode::CHRL_SHIFT | parity << mode::PAR_SHIFT;
        assert_eq!(modelled_receiver(&line, mode), expected, "round {round}");
        for (_, data, flags) in expected {
            seen[0] += usize::from(data.is_some() && flags == 0);
            seen[1] += usize::from(flags & status::FRAME != 0);
            seen[2] += usize::from(flags & status::PARE != 0);
            seen[3] += usize::from(flags & status::RXBRK != 0);
        }
    }
    assert!(
        seen.iter().all(|count| *count > 300),
        "all kinds occurred: {seen:?}"
    );
}
