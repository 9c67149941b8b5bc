/* Formatted text on the console hook, for faults and tests. */
#include <rtos/board.h>
#include <rtos/kernel.h>

#include <stdarg.h>

#define DIGITS_MAX 20

struct format {
    uint32_t width;
    char fill;
    int is_64_bit;
};

static void write_padded(const char *text, uint32_t size, const struct format *format)
{
    for (uint32_t column = size; column < format->width; ++column)
        rtos_board_console_write(&format->fill, 1);
    rtos_board_console_write(text, size);
}

static void write_number(uint64_t number, uint32_t base, int negative, const struct format *format)
{
    char digits[DIGITS_MAX + 1];
    uint32_t first = sizeof digits;
    do {
        digits[--first] = "0123456789abcdef"[number % base];
        number /= base;
    } while (number != 0);
    if (negative)
        digits[--first] = '-';
    write_padded(&digits[first], sizeof digits - first, format);
}

static void write_string(const char *text, const struct format *format)
{
    uint32_t size = 0;
    while (text[size] != '\0')
        ++size;
    write_padded(text, size, format);
}

static const char *parse(const char *text, struct format *format)
{
    *format = (struct format){0, ' ', 0};
    if (*text == '0')
        format->fill = *text++;
    while (*text >= '0' && *text <= '9')
        format->width = format->width * 10 + (uint32_t)(*text++ - '0');
    for (uint32_t longs = 0; *text == 'l'; ++text)
        format->is_64_bit = ++longs == 2;
    return text;
}

static void write_argument(char conversion, const struct format *format, va_list *arguments)
{
    if (conversion == 's') {
        write_string(va_arg(*arguments, const char *), format);
    } else if (conversion == 'c') {
        char character = (char)va_arg(*arguments, int);
        write_padded(&character, 1, format);
    } else if (conversion == 'd') {
        int64_t number = format->is_64_bit ? va_arg(*arguments, int64_t) : va_arg(*arguments, int);
        write_number(number < 0 ? 0 - (uint64_t)number : (uint64_t)number, 10, number < 0, format);
    } else if (conversion == 'u' || conversion == 'x' || conversion == 'p') {
        uint64_t number = format->is_64_bit ? va_arg(*arguments, uint64_t) : va_arg(*arguments, uint32_t);
        write_number(number, conversion == 'u' ? 10 : 16, 0, format);
    } else {
        rtos_board_console_write(&conversion, 1);
    }
}

void rtos_k_printf(const char *text, ...)
{
    va_list arguments;
    va_start(arguments, text);
    while (*text != '\0') {
        const char *end = text;
        while (*end != '\0' && *end != '%')
            ++end;
        rtos_board_console_write(text, (uint32_t)(end - text));
        text = end;
        if (*text != '%')
            continue;
        struct format format;
        text = parse(text + 1, &format);
        if (*text != '\0')
            write_argument(*text++, &format, &arguments);
    }
    va_end(arguments);
}
