use super::*;

const SIZE: u32 = 3 * 4096 + 6;

#[test]
fn byte_order_and_mirroring() {
    let mut memory = Memory::new("ram", 8);
    memory.write(0, Width::Word, 0x1122_3344, Endianness::Little);
    assert_eq!(memory.read(0, Width::Word, Endianness::Big), 0x4433_2211);
    assert_eq!(memory.read(2, Width::Half, Endianness::Little), 0x1122);
    memory.write(12, Width::Byte, 0xab, Endianness::Big);
    assert_eq!(memory.read(4, Width::Byte, Endianness::Little), 0xab);
}

#[test]
fn an_access_over_the_end_is_cut_as_a_whole() {
    let mut memory = Memory::new("ram", SIZE);
    memory.write(SIZE - 2, Width::Word, 0xffff_ffff, Endianness::Little);
    assert_eq!(memory.read(SIZE - 2, Width::Word, Endianness::Little), 0);
    assert_eq!(memory.read(SIZE - 2, Width::Half, Endianness::Little), 0);
    let mut none = Memory::new("none", 0);
    none.write(0, Width::Byte, 1, Endianness::Little);
    assert_eq!(none.read(0, Width::Byte, Endianness::Little), 0);
}

#[test]
fn an_access_across_pages_is_one_access() {
    let mut memory = Memory::new("ram", SIZE);
    for order in [Endianness::Little, Endianness::Big] {
        memory.write(4094, Width::Word, 0x1122_3344, order);
        assert_eq!(memory.read(4094, Width::Word, order), 0x1122_3344);
        memory.write(8191, Width::Half, 0x5566, order);
        assert_eq!(memory.read(8191, Width::Half, order), 0x5566);
    }
    assert_eq!(memory.to_vec()[4094..4098], [0x11, 0x22, 0x33, 0x44]);
}

/// The same accesses to plain bytes.
struct Plain(Vec<u8>);

impl Plain {
    fn write(&mut self, offset: u32, width: Width, value: u32) {
        let start = offset as usize % self.0.len();
        let count = width.bytes() as usize;
        if let Some(bytes) = self.0.get_mut(start..start + count) {
            bytes.copy_from_slice(&value.to_le_bytes()[..count]);
        }
    }

    fn read(&self, offset: u32, width: Width) -> u32 {
        let start = offset as usize % self.0.len();
        let mut bytes = [0; 4];
        let count = width.bytes() as usize;
        if let Some(found) = self.0.get(start..start + count) {
            bytes[..count].copy_from_slice(found);
        }
        u32::from_le_bytes(bytes)
    }
}

#[test]
fn pages_behave_as_plain_bytes_over_images_of_every_age() {
    let mut state = 1u64;
    let mut random = move || {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        (state >> 33) as u32
    };
    let mut memory = Memory::new("ram", SIZE);
    let mut plain = Plain(vec![0; SIZE as usize]);
    let mut images = vec![];
    for _ in 0..200_000 {
        let offset = random() % (2 * SIZE);
        let width = Width::ALL[random() as usize % 3];
        match random() % 1000 {
            0..600 => {
                let value = random();
                memory.write(offset, width, value, Endianness::Little);
                plain.write(offset, width, value);
            }
            600..997 => {
                let found = memory.read(offset, width, Endianness::Little);
                assert_eq!(found, plain.read(offset, width));
            }
            997 => images.push((memory.share(), plain.0.clone())),
            998 => {
                let bytes: Vec<u8> = (0..random() % 5000).map(|_| random() as u8).collect();
                memory.load(offset, &bytes);
                for (target, byte) in plain.0.iter_mut().skip(offset as usize).zip(bytes) {
                    *target = byte;
                }
            }
            _ => {
                if images.is_empty() {
                    continue;
                }
                let (image, bytes) = &images[random() as usize % images.len()];
                memory.restore(image, &mut Watch::default());
                plain.0.clone_from(bytes);
            }
        }
    }
    assert!(images.len() > 20);
    assert!(memory.to_vec() == plain.0, "the end is the same");
}

#[test]
fn an_image_of_a_large_memory_copies_no_page() {
    let mut memory = Memory::new("ram", 64 << 20);
    let bytes = vec![0x5a; 64 << 20];
    memory.load(0, &bytes);
    let before = memory.hosts.clone();
    let image = memory.share();
    assert_eq!(memory.hosts, before);
    memory.write(0x12_3456, Width::Byte, 1, Endianness::Little);
    let copied = memory
        .hosts
        .iter()
        .zip(&before)
        .filter(|(now, then)| now != then);
    assert_eq!(copied.count(), 1);
    assert_eq!(image.pages.bytes(0x123)[0x456], 0x5a);
}

#[test]
fn what_is_written_down_does_not_depend_on_sharing() {
    let mut memory = Memory::new("ram", SIZE);
    let empty = memory.share();
    memory.write(SIZE - 1, Width::Byte, 7, Endianness::Little);
    let image = memory.share();
    memory.write(5000, Width::Byte, 1, Endianness::Little);
    memory.write(5000, Width::Byte, 0, Endianness::Little);
    assert!(memory.share() == image, "a page of zeros is no page");
    assert!(empty != image);
    let mut other = Memory::new("ram", SIZE);
    other.load(SIZE - 1, &[7]);
    assert!(other.share() == image);
}
