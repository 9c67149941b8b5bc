//! The slots by which translations are chained.

const NUMBERS_TOGETHER: usize = 1024;

/// Numbers that translated code reads, at addresses that never change.
#[derive(Default)]
pub(crate) struct Slots {
    chunks: Vec<Box<[u64; NUMBERS_TOGETHER]>>,
    used: usize,
}

impl Slots {
    /// One more, 0; its index and address.
    pub fn add(&mut self) -> (usize, u64) {
        let index = self.used;
        self.used += 1;
        if index / NUMBERS_TOGETHER >= self.chunks.len() {
            self.chunks.push(Box::new([0; NUMBERS_TOGETHER]));
        }
        let number = &mut self.chunks[index / NUMBERS_TOGETHER][index % NUMBERS_TOGETHER];
        *number = 0;
        (index, std::ptr::from_ref(number) as u64)
    }

    /// Changes one.
    pub fn set(&mut self, index: usize, value: u64) {
        self.chunks[index / NUMBERS_TOGETHER][index % NUMBERS_TOGETHER] = value;
    }

    /// Forgets all; the code that used them must be gone.
    pub fn clear(&mut self) {
        self.used = 0;
    }
}
