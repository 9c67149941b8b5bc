//! The toy once more, as naive as can be: an oracle that shares no code with the rows. Memory begins at address 0; all else is refused.

pub struct Naive {
    /// r0 to r15, status, back, before, scratch.
    pub words: [u32; 20],
    pub pc: u32,
    pub memory: Vec<u8>,
    pub big: bool,
    pub waits: bool,
    pub marks: Vec<(u32, u32)>,
}

impl Naive {
    fn read(&self, address: u32, bytes: u32) -> Option<u32> {
        let start = (address / bytes * bytes) as usize;
        let found = self.memory.get(start..start + bytes as usize)?;
        let fold = |value: u32, byte: &u8| (value << 8) + u32::from(*byte);
        Some(match self.big {
            true => found.iter().fold(0, fold),
            false => found.iter().rev().fold(0, fold),
        })
    }

    fn write(&mut self, address: u32, bytes: u32, value: u32) -> Option<()> {
        let start = (address / bytes * bytes) as usize;
        let target = self.memory.get_mut(start..start + bytes as usize)?;
        for (place, byte) in target.iter_mut().enumerate() {
            let place = place as u32;
            let from_low = if self.big { bytes - 1 - place } else { place };
            *byte = (value >> (8 * from_low)) as u8;
        }
        Some(())
    }

    fn except(&mut self, number: u32, back: u32) {
        self.words[17] = back;
        self.words[18] = self.words[16];
        self.words[16] = (number + 1) << 8;
        self.pc = 0x20;
    }

    /// One instruction, or one exception instead of it or behind it.
    pub fn step(&mut self, interrupt: bool) {
        self.waits = false;
        let pc = self.pc;
        if interrupt && self.words[16] % 2 == 1 {
            return self.except(1, pc);
        }
        let Some(first) = self.read(pc, 2) else {
            return self.except(3, pc);
        };
        let mut low = 0;
        if first >= 0xc000 && self.is_long(first) {
            match self.read(pc.wrapping_add(2), 2) {
                Some(second) => low = second,
                None => return self.except(3, pc),
            }
            self.pc = pc.wrapping_add(4);
        } else {
            self.pc = pc.wrapping_add(2);
        }
        self.execute(pc, first, low);
    }

    fn is_long(&self, first: u32) -> bool {
        !matches!(first >> 8, 0xc7 | 0xcd..=0xcf | 0xd4..=0xdf)
    }

    fn execute(&mut self, pc: u32, first: u32, low: u32) {
        let [n3, n2, n1, n0] = [12, 8, 4, 0].map(|shift| (first >> shift & 15) as usize);
        let sign = |value: u32, bits: u32| {
            let half = 1_i64 << (bits - 1);
            let value = i64::from(value);
            (if value >= half {
                value - 2 * half
            } else {
                value
            }) as u32
        };
        let near = pc.wrapping_add(sign(low, 16).wrapping_mul(2));
        let far = pc.wrapping_add(sign((first & 0xfff) << 16 | low, 28).wrapping_mul(2));
        let (a, b) = (self.words[n1], self.words[n0]);
        match n3 {
            0..=6 => self.words[n2] = compute(n3, a, b),
            8 => self.words[n2] = sign(first & 0xff, 8),
            9 => self.words[n2] = self.words[n2].wrapping_add(sign(first & 0xff, 8)),
            11 => self.pc = pc.wrapping_add(sign(first & 0xfff, 12).wrapping_mul(2)),
            14 => {
                self.words[14] = pc.wrapping_add(4);
                self.pc = far & !1;
            }
            15 => self.pc = far & !1,
            10 => match n2 {
                0 => self.words[n1] = self.words[16 + n0 % 4],
                1 => self.words[16 + n0 % 4] = a,
                2 => self.pc = a & !1,
                3 => {
                    self.pc = a & !1;
                    self.words[14] = pc.wrapping_add(2);
                }
                4 => self.except(0, pc.wrapping_add(2)),
                5 => {
                    self.words[16] = self.words[18];
                    self.pc = self.words[17] & !1;
                }
                6 => self.waits = true,
                7 => self.marks.push((first & 0xff, self.words[0])),
                _ => self.except(2, pc),
            },
            12 => {
                let address = b.wrapping_add(sign(low, 16));
                let done = match n2 {
                    0..=2 => {
                        let value = self.read(address, [4, 2, 1][n2]);
                        if let Some(value) = value {
                            self.words[n1] = value;
                        }
                        value.map(drop)
                    }
                    3..=5 => self.write(address, [4, 2, 1][n2 - 3], a),
                    6 | 8..=12 => {
                        self.words[n1] = match n2 {
                            6 => b.wrapping_add(sign(low, 16)),
                            _ => compute(n2 - 6, b, low),
                        };
                        Some(())
                    }
                    _ => return self.except(2, pc),
                };
                if done.is_none() {
                    self.except(3, pc);
                }
            }
            13 if n2 < 4 => {
                if [a == b, a != b, a < b, a >= b][n2] {
                    self.pc = near;
                }
            }
            _ => self.except(2, pc),
        }
    }
}

/// Add, subtract, and, or, exclusive or, left, right.
fn compute(operation: usize, a: u32, b: u32) -> u32 {
    let shifted = |by: i64| match by.abs() {
        32.. => 0,
        _ if by > 0 => (u64::from(a) << by) as u32,
        _ => (u64::from(a) >> -by) as u32,
    };
    match operation {
        0 => (u64::from(a) + u64::from(b)) as u32,
        1 => (i64::from(a) - i64::from(b)) as u32,
        2 => a & b,
        3 => a | b,
        4 => a ^ b,
        5 => shifted(i64::from(b)),
        _ => shifted(-i64::from(b)),
    }
}
