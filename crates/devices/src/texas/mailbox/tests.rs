use crate::bench::Bench;

const SYSCONFIG: u32 = 0x10;
const MESSAGE: u32 = 0x40;
const FIFOSTATUS: u32 = 0x80;
const MSGSTATUS: u32 = 0xc0;
const RAW: u32 = 0x100;
const CLR: u32 = 0x104;
const ENABLE_SET: u32 = 0x108;
const ENABLE_CLR: u32 = 0x10c;
const USER: u32 = 0x10;

#[test]
fn messages_come_out_as_they_went_in_and_four_fit() {
    let mut bench = Bench::new("ti,omap4-mailbox");
    for word in 1..=5 {
        bench.write(MESSAGE + 4 * 7, word);
    }
    assert_eq!(bench.warnings.len(), 1, "the fifth one is dropped");
    let status = [MSGSTATUS, FIFOSTATUS].map(|register| bench.read(register + 4 * 7));
    assert_eq!(status, [4, 1]);
    assert_eq!(bench.peek(MESSAGE + 4 * 7), Some(1));
    let words = [(); 5].map(|()| bench.read(MESSAGE + 4 * 7));
    assert_eq!(words, [1, 2, 3, 4, 0]);
    assert_eq!(bench.warnings.len(), 2, "the fifth one was none");
    assert_eq!(bench.read(MSGSTATUS + 4 * 7), 0);
}

#[test]
fn a_message_interrupts_the_users_that_want_to_hear_of_it() {
    let mut bench = Bench::new("ti,omap4-mailbox");
    bench.write(ENABLE_SET + USER, 1 << 6);
    bench.write(MESSAGE + 4 * 3, 7);
    let lines = ["irq_user0", "irq_user1", "irq_user2"].map(|name| bench.line(name));
    assert_eq!(lines, [false, true, false]);
    let seen = [RAW, CLR, RAW + USER, CLR + USER].map(|register| bench.read(register));
    assert_eq!(seen, [0xaaea, 0, 0xaaea, 1 << 6]);
    bench.write(CLR + USER, 1 << 6);
    assert!(bench.line("irq_user1"), "the message waits still");
    bench.read(MESSAGE + 4 * 3);
    assert!(bench.line("irq_user1"), "until it is cleared");
    bench.write(CLR + USER, 1 << 6);
    assert!(!bench.line("irq_user1"));
    bench.write(RAW + USER, 1 << 6);
    assert!(bench.line("irq_user1"), "by software");
    bench.write(ENABLE_CLR + USER, 1 << 6);
    assert!(!bench.line("irq_user1"));
    assert_eq!(bench.read(ENABLE_SET + USER), 0);
}

#[test]
fn room_is_told_while_there_is_some_and_a_reset_empties_all() {
    let mut bench = Bench::new("ti,omap4-mailbox");
    bench.write(ENABLE_SET, 2);
    bench.write(MESSAGE, 0);
    assert!(bench.line("irq_user0"), "three words may follow");
    for word in 1..4 {
        bench.write(MESSAGE, word);
    }
    bench.write(CLR, 2);
    assert!(!bench.line("irq_user0"), "it is full");
    bench.read(MESSAGE);
    assert!(bench.line("irq_user0"));
    bench.write(CLR, 2);
    assert!(bench.line("irq_user0"), "there is still room");
    bench.write(SYSCONFIG, 1);
    assert_eq!(
        [MSGSTATUS, RAW, ENABLE_SET].map(|it| bench.read(it)),
        [0, 0xaaaa, 0]
    );
    assert_eq!(bench.read(SYSCONFIG), 8);
}
