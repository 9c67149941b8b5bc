/* Formatted output without the C library's state: %s %d %u %x %c with width, '-' and '0'. */
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "shell.h"

int shell_output = 1;

static char buffer[128];
static uint32_t used;

void print_flush(void)
{
    for (uint32_t done = 0; done < used;) {
        int count = sys_write(shell_output, buffer + done, used - done);
        if (count <= 0 && count != -EINTR)
            break;
        done += count > 0 ? (uint32_t)count : 0;
    }
    used = 0;
}

static void put(char character)
{
    buffer[used++] = character;
    if (used == sizeof buffer)
        print_flush();
}

void print_bytes(const void *bytes, uint32_t size)
{
    const char *next = bytes;
    while (size-- > 0)
        put(*next++);
}

struct layout {
    uint32_t width;
    int left;
    char fill;
};

static void put_padded(const char *text, const struct layout *layout)
{
    uint32_t length = strlen(text);
    uint32_t padding = layout->width > length ? layout->width - length : 0;

    for (uint32_t i = 0; !layout->left && i < padding; i++)
        put(layout->fill);
    print_bytes(text, length);
    for (uint32_t i = 0; layout->left && i < padding; i++)
        put(' ');
}

static void put_number(uint32_t value, uint32_t base, int negative, const struct layout *layout)
{
    char digits[12];
    char *next = digits + sizeof digits - 1;

    *next = '\0';
    do {
        *--next = "0123456789abcdef"[value % base];
        value /= base;
    } while (value != 0);
    if (negative)
        *--next = '-';
    put_padded(next, layout);
}

static const char *read_layout(const char *format, struct layout *layout)
{
    *layout = (struct layout){.fill = ' '};
    for (; *format == '-' || *format == '0'; format++) {
        if (*format == '-')
            layout->left = 1;
        else
            layout->fill = '0';
    }
    for (; *format >= '0' && *format <= '9'; format++)
        layout->width = 10 * layout->width + (uint32_t)(*format - '0');
    return format;
}

void print(const char *format, ...)
{
    va_list list;
    struct layout layout;

    va_start(list, format);
    for (; *format != '\0'; format++) {
        if (*format != '%') {
            put(*format);
            continue;
        }
        format = read_layout(format + 1, &layout);
        switch (*format) {
        case 's':
            put_padded(va_arg(list, const char *), &layout);
            break;
        case 'c':
            put((char)va_arg(list, int));
            break;
        case 'd': {
            int value = va_arg(list, int);
            put_number(value < 0 ? 0u - (uint32_t)value : (uint32_t)value, 10, value < 0, &layout);
            break;
        }
        case 'u':
            put_number(va_arg(list, unsigned), 10, 0, &layout);
            break;
        case 'x':
            put_number(va_arg(list, unsigned), 16, 0, &layout);
            break;
        default:
            put(*format);
            break;
        }
    }
    va_end(list);
}

const char *shell_error_text(int error)
{
    switch (-error) {
    case EAGAIN:
        return "Resource temporarily unavailable";
    case EBADF:
        return "Bad file number";
    case EBUSY:
        return "Another program is running";
    case ECHILD:
        return "No such process";
    case EEXIST:
        return "File exists";
    case EFBIG:
        return "File too large";
    case EINTR:
        return "Interrupted";
    case EINVAL:
        return "Invalid argument";
    case EIO:
        return "I/O error";
    case EISDIR:
        return "Is a directory";
    case EMFILE:
    case ENFILE:
        return "Too many open files";
    case ENAMETOOLONG:
        return "File name too long";
    case ENOENT:
        return "No such file or directory";
    case ENOMEM:
        return "Not enough space";
    case ENOSPC:
        return "No space left on device";
    case ENOTDIR:
        return "Not a directory";
    case ENOTEMPTY:
        return "Directory not empty";
    case ENOTTY:
        return "Not a terminal";
    case EPERM:
        return "Operation not permitted";
    case ESRCH:
        return "No such process";
    case E2BIG:
        return "Argument list too long";
    default:
        return "Error";
    }
}

int shell_failed(const char *name, const char *object, int error)
{
    print_flush();
    int former = shell_output;
    shell_output = 2;
    print("%s: %s%s%s\n", name, object, object[0] != '\0' ? ": " : "", shell_error_text(error));
    print_flush();
    shell_output = former;
    return 1;
}
