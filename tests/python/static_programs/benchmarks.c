/* Small programs of the kinds that timing benchmarks are made of: arrays on the stack, handed on by pointer, and loops whose
   ends lie in memory that anything may change. */
#include <stdint.h>
#include <stddef.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))

volatile uint32_t seed = 1;
volatile int count = 8;
volatile uint32_t result;

static uint32_t next(void)
{
    seed = seed * 1664525u + 1013904223u;
    return seed >> 8;
}

/* Fill: as many elements as a variable says. */
NOINLINE static void fill_words(uint32_t *to, int n)
{
    for (int i = 0; i < n; i++)
        to[i] = next();
}

void array_fill(void)
{
    uint32_t words[16];
    fill_words(words, count);
    result = words[3];
}

/* A matrix of variable order. */
NOINLINE static void matrix_init(int *m, int order)
{
    for (int row = 0; row < order; row++)
        for (int column = 0; column < order; column++)
            m[row * 8 + column] = (int)next() & 0xff;
}

NOINLINE static void matrix_multiply(const int *a, const int *b, int *c, int order)
{
    for (int row = 0; row < order; row++)
        for (int column = 0; column < order; column++) {
            int sum = 0;
            for (int k = 0; k < order; k++)
                sum += a[row * 8 + k] * b[k * 8 + column];
            c[row * 8 + column] = sum;
        }
}

void matrix(void)
{
    int a[64], b[64], c[64];
    int order = count;
    matrix_init(a, order);
    matrix_init(b, order);
    matrix_multiply(a, b, c, order);
    result = (uint32_t)c[9];
}

/* Sorts by exchange, until nothing is exchanged. */
NOINLINE static void bubble(int *values, int n)
{
    int exchanged = 1;
    while (exchanged) {
        exchanged = 0;
        for (int i = 0; i + 1 < n; i++)
            if (values[i] > values[i + 1]) {
                int other = values[i];
                values[i] = values[i + 1];
                values[i + 1] = other;
                exchanged = 1;
            }
    }
}

void bubble_sort(void)
{
    int values[8];
    fill_words((uint32_t *)values, 8);
    bubble(values, 8);
    result = (uint32_t)values[0];
}

/* Sorts by insertion, down to where an element belongs. */
NOINLINE static void insertion(int *values, int n)
{
    for (int i = 1; i < n; i++) {
        int value = values[i], at = i;
        while (at > 0 && values[at - 1] > value) {
            values[at] = values[at - 1];
            at--;
        }
        values[at] = value;
    }
}

void insertion_sort(void)
{
    int values[10];
    fill_words((uint32_t *)values, count);
    insertion(values, count);
    result = (uint32_t)values[1];
}

/* Sorts parts, each by calling itself. */
NOINLINE static void quick(int *values, int low, int high)
{
    if (low >= high)
        return;
    int pivot = values[(low + high) / 2], i = low, j = high;
    while (i <= j) {
        while (values[i] < pivot)
            i++;
        while (values[j] > pivot)
            j--;
        if (i <= j) {
            int other = values[i];
            values[i++] = values[j];
            values[j--] = other;
        }
    }
    quick(values, low, j);
    quick(values, i, high);
}

void quick_sort(void)
{
    int values[8];
    fill_words((uint32_t *)values, 8);
    quick(values, 0, 7);
    result = (uint32_t)values[2];
}

/* A checksum with a table that is made first. */
NOINLINE static void crc_table(uint16_t *table, int n)
{
    for (int i = 0; i < n; i++) {
        uint16_t crc = (uint16_t)(i << 8);
        for (int bit = 0; bit < 8; bit++)
            crc = (uint16_t)((crc & 0x8000) != 0 ? (crc << 1) ^ 0x1021 : crc << 1);
        table[i] = crc;
    }
}

NOINLINE static uint16_t crc_of(const uint8_t *bytes, int n, const uint16_t *table)
{
    uint16_t crc = 0xffff;
    while (n-- > 0)
        crc = (uint16_t)((crc << 8) ^ table[(crc >> 8 ^ *bytes++) & 15]);
    return crc;
}

void crc(void)
{
    uint16_t table[16];
    uint8_t bytes[32];
    crc_table(table, 16);
    for (int i = 0; i < count; i++)
        bytes[i] = (uint8_t)next();
    result = crc_of(bytes, count, table);
}

/* A filter over samples. */
NOINLINE static void filter(const int16_t *in, int16_t *out, const int16_t *taps, int n, int order)
{
    for (int i = 0; i < n; i++) {
        int32_t sum = 0;
        for (int k = 0; k < order && k <= i; k++)
            sum += in[i - k] * taps[k];
        out[i] = (int16_t)(sum >> 15);
    }
}

void fir(void)
{
    int16_t in[24], out[24], taps[4] = {100, 200, 300, 400};
    for (int i = 0; i < 24; i++)
        in[i] = (int16_t)next();
    filter(in, out, taps, count * 2, 4);
    result = (uint32_t)out[7];
}

/* Strings: copied, joined and compared byte by byte. */
NOINLINE static char *join(char *to, const char *from)
{
    char *at = to;
    while (*at)
        at++;
    while ((*at++ = *from++) != 0)
        ;
    return to;
}

NOINLINE static int compare(const char *a, const char *b)
{
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return *a - *b;
}

void strings(void)
{
    char text[32];
    text[0] = (char)(count & 1 ? 'x' : 0);
    text[1] = 0;
    join(text, "first ");
    join(text, "second");
    result = (uint32_t)compare(text, "first second");
}

/* A number as text, with a division for each digit. */
NOINLINE static int decimal(uint32_t value, char *to)
{
    char digits[10];
    int n = 0;
    do {
        digits[n++] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    for (int i = 0; i < n; i++)
        to[i] = digits[n - 1 - i];
    return n;
}

void print_number(void)
{
    char text[12];
    int n = decimal(next(), text);
    result = (uint32_t)(n + text[0]);
}

/* A ring of bytes on the stack; its state lies beside it. */
struct ring {
    uint8_t bytes[16];
    unsigned head, tail;
};

NOINLINE static int ring_add(struct ring *ring, uint8_t byte)
{
    if (ring->head - ring->tail == sizeof ring->bytes)
        return 0;
    ring->bytes[ring->head++ % sizeof ring->bytes] = byte;
    return 1;
}

NOINLINE static int ring_take(struct ring *ring)
{
    return ring->head == ring->tail ? -1 : ring->bytes[ring->tail++ % sizeof ring->bytes];
}

void ring(void)
{
    struct ring ring = {.head = 0, .tail = 0};
    int sum = 0;
    for (int i = 0; i < count; i++) {
        ring_add(&ring, (uint8_t)next());
        ring_add(&ring, (uint8_t)i);
        sum += ring_take(&ring);
    }
    result = (uint32_t)sum;
}

/* Shortest ways in a small graph. */
NOINLINE static void relax(const uint8_t *lengths, uint16_t *best, uint8_t *done, int nodes)
{
    for (int round = 0; round < nodes; round++) {
        int nearest = -1;
        for (int node = 0; node < nodes; node++)
            if (!done[node] && (nearest < 0 || best[node] < best[nearest]))
                nearest = node;
        done[nearest] = 1;
        for (int node = 0; node < nodes; node++) {
            int length = lengths[nearest * 6 + node];
            if (length && best[nearest] + length < best[node])
                best[node] = (uint16_t)(best[nearest] + length);
        }
    }
}

void shortest(void)
{
    uint8_t lengths[36], done[6] = {0};
    uint16_t best[6];
    for (int i = 0; i < 36; i++)
        lengths[i] = (uint8_t)next();
    for (int i = 0; i < 6; i++)
        best[i] = 1000;
    best[0] = 0;
    relax(lengths, best, done, count > 6 ? 6 : count);
    result = best[5];
}

/* Copies and clears with the library. */
void blocks(void)
{
    uint32_t from[16], to[20];
    size_t bytes = (size_t)count * 4;
    memset(to, 0, sizeof to);
    memset(from, 0x5a, bytes);
    memcpy(to, from, bytes);
    result = to[2];
}
