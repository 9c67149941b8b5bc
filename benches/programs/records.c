/* What application code does most: records copied and filled through pointers, strings compared and copied, small
   functions called, branches on enumerations, a little division by shifts. */
#include <stdint.h>

enum kind { PLAIN, MARKED, SHARED, CLOSED };

struct record {
    struct record *next;
    enum kind kind;
    int32_t number;
    char name[32];
};

static struct record records[2];
static struct record *current = &records[0];
static int32_t table[16], grid[16][16];
static char letter = 'A';
static uint32_t hits;

__attribute__((noinline)) static void copy_text(char *to, const char *from)
{
    while ((*to++ = *from++) != 0)
        ;
}

__attribute__((noinline)) static int compare_text(const char *one, const char *other)
{
    for (; *one == *other; one++, other++)
        if (*one == 0)
            return 0;
    return *one < *other ? -1 : 1;
}

__attribute__((noinline)) static int same_letter(const char *text, char wanted)
{
    return text[2] == wanted;
}

__attribute__((noinline)) static enum kind next_kind(enum kind kind, int32_t number)
{
    switch (kind) {
    case PLAIN:
        return number > 100 ? MARKED : SHARED;
    case MARKED:
        return CLOSED;
    case SHARED:
        return number & 1 ? PLAIN : CLOSED;
    default:
        return PLAIN;
    }
}

__attribute__((noinline)) static void fill_next(struct record *record)
{
    struct record *next = record->next;
    struct record kept = *next;
    *next = *record;
    next->next = kept.next;
    next->number = record->number + 7;
    next->kind = next_kind(kept.kind, next->number);
    copy_text(next->name, kept.name);
    if (compare_text(record->name, next->name) > 0)
        hits++;
    record->next = next;
}

__attribute__((noinline)) static void fill_tables(int32_t row, int32_t value)
{
    int32_t at = row & 7;
    table[at] = value;
    table[at + 1] = table[at];
    table[at + 7] = at;
    for (int32_t column = at; column <= at + 1; column++)
        grid[at][column] = table[column];
    grid[at + 7][at]++;
    hits += (uint32_t)table[at + 1] >> 4;
}

__attribute__((noinline)) static int32_t scaled(int32_t value, int32_t by)
{
    int32_t result = 0;
    for (int32_t bit = 16; bit > 0; bit--) {
        result = result << 1;
        if (value >= by) {
            value -= by;
            result |= 1;
        }
        by = by > 1 ? by >> 1 : 1;
    }
    return result;
}

int main(void)
{
    uint32_t sum = 0;
    records[0] = (struct record){.next = &records[1], .kind = PLAIN, .number = 1};
    records[1] = (struct record){.next = &records[0], .kind = SHARED, .number = 2};
    copy_text(records[0].name, "a program of records, no. one");
    copy_text(records[1].name, "a program of records, no. two");
    for (int32_t round = 0; round < ROUNDS; round++) {
        char text[32];
        copy_text(text, current->name);
        text[27] = letter;
        if (compare_text(text, current->name) != 0)
            letter = letter == 'Z' ? 'A' : (char)(letter + 1);
        fill_next(current);
        current = current->next;
        fill_tables(round, current->number);
        sum += (uint32_t)scaled(current->number & 0xffff, 0x300 + (round & 255));
        if (same_letter(text, 'p'))
            sum ^= hits;
    }
    return (int)(sum + hits + (uint32_t)grid[3][3] + (uint32_t)letter);
}
