/* Functions whose paths depend on their arguments. */
#include <stdint.h>
#include <stddef.h>

static int one(int x) { return x + 1; }
static int two(int x) { return x * 3 + 2; }
static int three(int x) { int sum = 0; for (int i = 0; i < 9; i++) sum += x ^ i; return sum; }
__attribute__((noinline)) static int square(int x) { return x * x; }

static int (*const functions[])(int) = {one, two, three};

int dispatch(unsigned which, int x) { return which < 3 ? functions[which](x) : -1; }

int choose(unsigned which, int x)
{
    switch (which) {
    case 0: return x + 1;
    case 1: return x * 7;
    case 2: return square(x) + 4;
    case 3: x ^= 0x55; break;
    case 4: x -= 9; break;
    case 5: return square(x) * square(x + 1);
    case 6: x = -x; break;
    case 7: x <<= 3; break;
    default: return 0;
    }
    return x * 2;
}

int triangle(int n)
{
    int sum = 0;
    if (n < 0 || n > 12)
        return 0;
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++)
            sum += i ^ j;
    return sum;
}

int bits(uint32_t x)
{
    int count = 0;
    while (x != 0) {
        count += x & 1;
        x >>= 1;
    }
    return count;
}

uint32_t divide(uint32_t a, uint32_t b) { return b == 0 ? 0 : a / b; }

void copy(char *to, const char *from, size_t size)
{
    while (size-- > 0)
        *to++ = *from++;
}

int search(uint32_t wanted)
{
    static const uint16_t sorted[32] = {1, 3, 5, 8, 13, 21, 34, 55, 89, 144, 145, 146, 147, 148, 149, 150,
                                        160, 170, 180, 190, 200, 210, 220, 230, 240, 250, 260, 270, 280, 290, 300, 310};
    int low = 0, high = 31;
    while (low <= high) {
        int middle = (low + high) / 2;
        if (sorted[middle] == wanted)
            return middle;
        if (sorted[middle] < wanted)
            low = middle + 1;
        else
            high = middle - 1;
    }
    return -1;
}

int tail(int x) { return x > 0 ? square(x) : one(x); }

int local_array(unsigned n)
{
    int values[8];
    int sum = 0;
    for (unsigned i = 0; i < 8; i++)
        values[i] = (int)(i * n);
    for (int *p = values; p < values + 8; p++)
        sum += *p;
    return sum;
}

int length(const char *text)
{
    int count = 0;
    while (*text++)
        count++;
    return count;
}

int factorial(int n) { return n <= 1 ? 1 : n * factorial(n - 1) + square(n); }

typedef int (*handler)(int);
volatile handler pointer;
int through(int x) { return pointer(x) + 1; }
