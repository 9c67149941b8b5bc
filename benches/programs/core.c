/* What embedded cores are rated by: a linked list that is searched and sorted, products of small matrices, a machine of
   states over text, and a cyclic redundancy check over the results of all. */
#include <stdint.h>

#define ITEMS 64
#define SIZE 12

struct item {
    struct item *next;
    int16_t key;
    int16_t value;
};

static struct item items[ITEMS];
static int16_t left[SIZE][SIZE], right[SIZE][SIZE];
static int32_t product[SIZE][SIZE];
static const char text[] = "12,-7,+3.25,0x1f,99e4,abc,-0.5e-3,1..2,,+,777,3.1415,42e,0,0x,-1e+9,";

enum state { START, SIGN, INTEGER, FRACTION, EXPONENT, EXPONENT_SIGN, POWER, WRONG, STATES };

static uint16_t check_byte(uint16_t check, uint8_t byte)
{
    check ^= byte;
    for (int bit = 0; bit < 8; bit++)
        check = check & 1 ? (check >> 1) ^ 0xa001 : check >> 1;
    return check;
}

__attribute__((noinline)) static uint16_t check_word(uint16_t check, uint32_t word)
{
    check = check_byte(check, word & 0xff);
    return check_byte(check, word >> 8 & 0xff);
}

__attribute__((noinline)) static struct item *find(struct item *list, int16_t key)
{
    while (list != 0 && list->key != key)
        list = list->next;
    return list;
}

__attribute__((noinline)) static struct item *reverse(struct item *list)
{
    struct item *done = 0;
    while (list != 0) {
        struct item *next = list->next;
        list->next = done;
        done = list;
        list = next;
    }
    return done;
}

static int by_key(const struct item *one, const struct item *other)
{
    return one->key - other->key;
}

static int by_value(const struct item *one, const struct item *other)
{
    return one->value - other->value;
}

/* Merge sort in place, runs of doubling length. */
__attribute__((noinline)) static struct item *sort(struct item *list, int (*compare)(const struct item *, const struct item *))
{
    for (int length = 1;; length *= 2) {
        struct item *from = list, *last = 0;
        int merges = 0;
        list = 0;
        while (from != 0) {
            struct item *other = from;
            int here = 0, there = length;
            merges++;
            for (; here < length && other != 0; here++)
                other = other->next;
            while (here > 0 || (there > 0 && other != 0)) {
                struct item *taken;
                if (here > 0 && (there == 0 || other == 0 || compare(from, other) <= 0)) {
                    taken = from;
                    from = from->next;
                    here--;
                } else {
                    taken = other;
                    other = other->next;
                    there--;
                }
                if (last == 0)
                    list = taken;
                else
                    last->next = taken;
                last = taken;
            }
            from = other;
        }
        last->next = 0;
        if (merges <= 1)
            return list;
    }
}

__attribute__((noinline)) static uint32_t multiply(int16_t by)
{
    uint32_t sum = 0;
    for (int row = 0; row < SIZE; row++)
        for (int column = 0; column < SIZE; column++) {
            int32_t total = 0;
            for (int index = 0; index < SIZE; index++)
                total += left[row][index] * right[index][column];
            product[row][column] = total;
            sum += (uint32_t)(total >> 3 & 0xff);
        }
    for (int row = 0; row < SIZE; row++)
        for (int column = 0; column < SIZE; column++)
            left[row][column] = (int16_t)(left[row][column] + by);
    return sum;
}

static enum state after(enum state state, char letter)
{
    int digit = letter >= '0' && letter <= '9', sign = letter == '+' || letter == '-';
    switch (state) {
    case START:
        return digit ? INTEGER : sign ? SIGN : letter == '.' ? FRACTION : WRONG;
    case SIGN:
        return digit ? INTEGER : letter == '.' ? FRACTION : WRONG;
    case INTEGER:
        return digit ? INTEGER : letter == '.' ? FRACTION : letter == 'e' ? EXPONENT : WRONG;
    case FRACTION:
        return digit ? FRACTION : letter == 'e' ? EXPONENT : WRONG;
    case EXPONENT:
        return digit ? POWER : sign ? EXPONENT_SIGN : WRONG;
    case EXPONENT_SIGN:
    case POWER:
        return digit ? POWER : WRONG;
    default:
        return WRONG;
    }
}

__attribute__((noinline)) static uint32_t scan(const char *at, uint32_t counts[STATES])
{
    uint32_t numbers = 0;
    enum state state = START;
    for (; *at != 0; at++) {
        if (*at == ',') {
            numbers += state == INTEGER || state == FRACTION || state == POWER;
            counts[state]++;
            state = START;
        } else {
            state = after(state, *at);
        }
    }
    return numbers;
}

int main(void)
{
    uint32_t seed = 1, counts[STATES] = {0};
    uint16_t check = 0;
    struct item *list = 0;
    for (int index = 0; index < ITEMS; index++) {
        seed = seed * 1664525u + 1013904223u;
        items[index] = (struct item){list, (int16_t)(seed >> 17), (int16_t)(seed >> 5 & 0x7fff)};
        list = &items[index];
    }
    for (int row = 0; row < SIZE; row++)
        for (int column = 0; column < SIZE; column++) {
            seed = seed * 1664525u + 1013904223u;
            left[row][column] = (int16_t)(seed >> 20);
            right[row][column] = (int16_t)(seed >> 24);
        }
    for (int round = 0; round < ROUNDS; round++) {
        struct item *found = find(list, items[round % ITEMS].key);
        check = check_word(check, (uint16_t)found->value);
        list = reverse(list);
        list = sort(list, round & 1 ? by_key : by_value);
        check = check_word(check, (uint16_t)list->key);
        check = check_word(check, multiply((int16_t)(round & 7)));
        check = check_word(check, scan(text, counts));
        list->value ^= (int16_t)(check & 0x7fff);
    }
    for (int state = 0; state < STATES; state++)
        check = check_word(check, counts[state]);
    return check;
}
