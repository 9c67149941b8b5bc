/* A ring buffer that an interrupt handler could share, a checksum, and a search: what small programs are made of. */
#define CAPACITY 256

struct ring {
    unsigned begin, count;
    unsigned char bytes[CAPACITY];
};

unsigned interrupts_off(void);
void interrupts_restore(unsigned status);

struct ring ring;
unsigned char samples[256];

/* How many bytes went in: all of them, or none. Interrupts are masked while they are copied. */
int ring_put(struct ring *to, const unsigned char *bytes, unsigned count)
{
    int put = 0;
    unsigned status = interrupts_off();
    if (to->count + count <= CAPACITY) {
        unsigned end = to->begin + to->count;
        for (unsigned index = 0; index < count; ++index)
            to->bytes[(end + index) % CAPACITY] = bytes[index];
        to->count += count;
        put = (int)count;
    }
    interrupts_restore(status);
    return put;
}

/* CRC-16 of CCITT, bit by bit. */
unsigned checksum(const unsigned char *bytes, unsigned count)
{
    unsigned crc = 0xffff;
    while (count--) {
        crc ^= (unsigned)*bytes++ << 8;
        for (int bit = 0; bit < 8; ++bit)
            crc = crc & 0x8000 ? crc << 1 ^ 0x1021 : crc << 1;
    }
    return crc & 0xffff;
}

/* The place of a value among sorted ones, or -1; it halves the rest until nothing is left. */
int find(const unsigned *sorted, unsigned count, unsigned value)
{
    unsigned low = 0;
    while (low < count) {
        unsigned middle = (low + count) / 2;
        if (sorted[middle] == value)
            return (int)middle;
        if (sorted[middle] < value)
            low = middle + 1;
        else
            count = middle;
    }
    return -1;
}

int main(void)
{
    for (;;)
        ring_put(&ring, samples, checksum(samples, sizeof samples) & 1);
}
