/* Byte buffers and the number and string forms of the trace formats. Runs in the writer only. */
#include "writer/buffer.h"

#include <sys/mman.h>

bool dft_buffer_grow(struct dft_buffer *buffer, size_t more)
{
    size_t size = buffer->size ? buffer->size : 64u << 10;

    while (size - buffer->used < more) {
        if (size > SIZE_MAX / 2)
            return false;
        size *= 2;
    }
    void *data = buffer->data
                     ? mremap(buffer->data, buffer->size, size, MREMAP_MAYMOVE)
                     : mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED)
        return false;
    buffer->data = data;
    buffer->size = size;
    return true;
}

void dft_buffer_release(struct dft_buffer *buffer)
{
    if (buffer->data)
        munmap(buffer->data, buffer->size);
    *buffer = (struct dft_buffer){0};
}

static const char digit_pairs[] = "00010203040506070809101112131415161718192021222324"
                                  "25262728293031323334353637383940414243444546474849"
                                  "50515253545556575859606162636465666768697071727374"
                                  "75767778798081828384858687888990919293949596979899";

void dft_put_unsigned(struct dft_buffer *buffer, uint64_t value)
{
    char digits[20];
    char *at = digits + sizeof digits;

    while (value >= 100) {
        at -= 2;
        memcpy(at, digit_pairs + value % 100 * 2, 2);
        value /= 100;
    }
    if (value >= 10) {
        at -= 2;
        memcpy(at, digit_pairs + value * 2, 2);
    } else {
        *--at = (char)('0' + value);
    }
    dft_put_bytes(buffer, at, (size_t)(digits + sizeof digits - at));
}

void dft_put_microseconds(struct dft_buffer *buffer, uint64_t ns)
{
    unsigned rest = (unsigned)(ns % 1000);

    dft_put_unsigned(buffer, ns / 1000);
    char decimals[4] = {'.', (char)('0' + rest / 100), digit_pairs[rest % 100 * 2],
                        digit_pairs[rest % 100 * 2 + 1]};
    dft_put_bytes(buffer, decimals, sizeof decimals);
}

/* Length of the UTF-8 sequence that begins here, 0 where there is no valid one. */
static size_t utf8_length(const unsigned char *text)
{
    unsigned char lead = text[0];
    size_t length = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;

    if (lead > 0xf4)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    if ((lead == 0xe0 && text[1] < 0xa0) || (lead == 0xed && text[1] > 0x9f) ||
        (lead == 0xf0 && text[1] < 0x90) || (lead == 0xf4 && text[1] > 0x8f))
        return 0;
    return length;
}

static void put_escape(struct dft_buffer *buffer, unsigned char c)
{
    static const char hex[] = "0123456789abcdef";

    if (c == '"' || c == '\\') {
        dft_put_bytes(buffer, (char[]){'\\', (char)c}, 2);
    } else {
        DFT_PUT_LITERAL(buffer, "\\u00");
        dft_put_bytes(buffer, (char[]){hex[c >> 4], hex[c & 15]}, 2);
    }
}

bool dft_append_json_string(struct dft_buffer *buffer, const char *text)
{
    const unsigned char *at = (const unsigned char *)text;

    /* Six bytes is the longest form of one input byte. */
    if (!dft_buffer_reserve(buffer, strlen(text) * 6 + 2))
        return false;
    DFT_PUT_LITERAL(buffer, "\"");
    while (*at) {
        size_t length = utf8_length(at);
        if (length == 0) {
            DFT_PUT_LITERAL(buffer, "\xef\xbf\xbd"); /* U+FFFD stands for what is not UTF-8 */
            at++;
        } else if (length == 1 && (*at < 0x20 || *at == 0x7f || *at == '"' || *at == '\\')) {
            put_escape(buffer, *at++);
        } else {
            dft_put_bytes(buffer, (const char *)at, length);
            at += length;
        }
    }
    DFT_PUT_LITERAL(buffer, "\"");
    return true;
}

bool dft_append_text(struct dft_buffer *buffer, const char *text)
{
    size_t length = strlen(text);

    if (!dft_buffer_reserve(buffer, length))
        return false;
    dft_put_bytes(buffer, text, length);
    return true;
}
