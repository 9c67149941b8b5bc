/* The PowerPC: asks for squares, and says what comes back. */
#include "mailbox.h"

#define UART ((volatile unsigned char *)0xf0000000)

static void put(char letter) {
    while (!(UART[5] & 0x20)) { } /* LSR.THRE */
    UART[0] = letter;
}

static void number(unsigned value) {
    if (value >= 10) {
        number(value / 10);
    }
    put('0' + value % 10);
}

void main(void) {
    UART[3] = 0x83; /* LCR: 8 bits, the divisor's registers */
    UART[0] = 108;  /* 200 MHz / 16 / 108, about 115200 */
    UART[1] = 0;
    UART[3] = 0x03;
    for (unsigned value = 7; value < 10; value++) {
        MAILBOX->answer = 0;
        MAILBOX->question = value;
        while (MAILBOX->answer == 0) { }
        number(value);
        put('^');
        put('2');
        put('=');
        number(MAILBOX->answer);
        put('\n');
    }
    while (!(UART[5] & 0x40)) { } /* LSR.TEMT: all is on the line */
    for (;;) { }
}

__asm__(".globl start\nstart: lis 1, 0x2\n b main");
