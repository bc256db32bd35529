/* Numbers and strings as the trace formats write them. */
#include "unit.h"
#include "writer/encode/json_text.h"

static struct dft_buffer buffer;

static const char *text(void)
{
    dft_buffer_reserve(&buffer, 1);
    buffer.data[buffer.used] = '\0';
    buffer.used = 0;
    return buffer.data;
}

static const char *number(uint64_t value)
{
    dft_buffer_reserve(&buffer, 64);
    dft_put_unsigned(&buffer, value);
    return text();
}

static const char *microseconds(uint64_t ns)
{
    dft_buffer_reserve(&buffer, 64);
    dft_put_microseconds(&buffer, ns);
    return text();
}

static const char *quoted(const char *string)
{
    CHECK(dft_json_append_string(&buffer, string));
    return text();
}

int main(void)
{
    CHECK_TEXT(number(0), "0");
    CHECK_TEXT(number(9), "9");
    CHECK_TEXT(number(10), "10");
    CHECK_TEXT(number(100), "100");
    CHECK_TEXT(number(1234567), "1234567");
    CHECK_TEXT(number(UINT64_MAX), "18446744073709551615");

    CHECK_TEXT(microseconds(0), "0.000");
    CHECK_TEXT(microseconds(7), "0.007");
    CHECK_TEXT(microseconds(1000), "1.000");
    CHECK_TEXT(microseconds(123456789), "123456.789");
    CHECK_TEXT(microseconds(1999), "1.999");

    CHECK_TEXT(quoted(""), "\"\"");
    CHECK_TEXT(quoted("plain"), "\"plain\"");
    CHECK_TEXT(quoted("a\"b\\c"), "\"a\\\"b\\\\c\"");
    CHECK_TEXT(quoted("\n\t\x01\x7f"), "\"\\u000a\\u0009\\u0001\\u007f\"");
    CHECK_TEXT(quoted("gr\xc3\xbc\xc3\x9f"), "\"gr\xc3\xbc\xc3\x9f\"");
    CHECK_TEXT(quoted("\xf0\x9f\x98\x80"), "\"\xf0\x9f\x98\x80\"");
    CHECK_TEXT(quoted("\xff"), "\"\xef\xbf\xbd\"");
    CHECK_TEXT(quoted("\xc3"), "\"\xef\xbf\xbd\"");                 /* cut short */
    CHECK_TEXT(quoted("\xc0\x80"), "\"\xef\xbf\xbd\xef\xbf\xbd\""); /* overlong */
    CHECK_TEXT(quoted("\xed\xa0\x80x"),
               "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdx\""); /* surrogate */
    dft_buffer_release(&buffer);

    /* Grows as it must and keeps what it has. */
    for (unsigned i = 0; i < 1000000; i++)
        if (!dft_append_text(&buffer, "abc"))
            break;
    CHECK_INT(buffer.used, 3000000);
    CHECK(memcmp(buffer.data + 2999997, "abc", 3) == 0 && memcmp(buffer.data, "abc", 3) == 0);
    dft_buffer_release(&buffer);
    return unit_result();
}
