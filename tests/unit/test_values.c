/*
 * Arguments and results on their way from the spool into the trace: what each kind of value looks
 * like, and that values which do not fit their description do no harm. And numbers with a fraction.
 */
#include "dftrace/abi.h"
#include "made_spool.h"
#include "spool/values.h"
#include "unit.h"
#include "writer/encode/json_args.h"
#include "writer/encode/real.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <unistd.h>

static struct dft_spool spool;

/* A site whose values are described like this. */
static uint32_t make_described(const char *values)
{
    char text[512] = {0};
    size_t at = 0;

    for (int i = 0; i < DFTRACE_TEXT_VALUES; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "x") + 1;
    snprintf(text + at, sizeof text - at, "%s", values);
    return dft_spool_intern_site(&spool, text, 1, 0);
}

static bool read_site(const void *source, uint32_t id, struct dft_site_view *site)
{
    return dft_spool_site(source, id, site);
}

/* What becomes of a call with these attachments. */
static const char *show(const char *values, const void *arguments, size_t argument_size,
                        const void *result, size_t result_size)
{
    static char shown[8192];
    union {
        struct dft_attached attached;
        char room[2048];
    } made;
    struct dft_attachments all = {.used = 0};
    struct dft_trace_start start = {.sites = {read_site, &spool}};
    struct dft_call call = {.site = make_described(values) & 0x3fffffff};
    struct dft_buffer out = {0};

    if (arguments)
        dft_attachments_add(&all, DFT_ATTACHMENT_ARGUMENTS, arguments, argument_size);
    if (result)
        dft_attachments_add(&all, DFT_ATTACHMENT_RESULT, result, result_size);
    made.attached.length = all.used;
    memcpy(made.attached.bytes, all.bytes, all.used);
    CHECK(dft_json_append_values(&start, &call, &made.attached, &out));
    snprintf(shown, sizeof shown, "%.*s", (int)out.used, out.used ? out.data : "");
    dft_buffer_release(&out);
    return shown;
}

#define SHOW(values, bytes) show(values, bytes, sizeof(bytes) - 1, NULL, 0)

static void check_values(void)
{
    CHECK_TEXT(SHOW("a:i1;b:u1;c:b1;d:c1;", "\xff\xff\x01z"),
               ",\"values\":{\"a\":-1,\"b\":255,\"c\":true,\"d\":\"z\"}");
    CHECK_TEXT(SHOW("a:u8;", "\xff\xff\xff\xff\xff\xff\xff\xff"),
               ",\"values\":{\"a\":\"18446744073709551615\"}");
    CHECK_TEXT(SHOW("a:i16;b:u16;",
                    "\xfe\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"
                    "\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0"),
               ",\"values\":{\"a\":-2,\"b\":\"18446744073709551616\"}");
    CHECK_TEXT(SHOW("a:x8;b:x2;", "\0\0\x80\x3f\0\0\0\xc0\0\0"),
               ",\"values\":{\"a\":[1.0,-2.0],\"b\":[0.0,0.0]}");
    CHECK_TEXT(SHOW("a:p8;b:?struct s;", "\x34\x12\0\0\0\0\0\0"),
               ",\"values\":{\"a\":\"0x1234\",\"b\":\"struct s\"}");
    CHECK_TEXT(SHOW("a:t8;b:t8;c:t8;", "\x01\x02hi\x02\x02ho\x00\x10\0\0\0\0\0\0\0"),
               ",\"values\":{\"a\":\"hi\",\"b\":\"ho\xe2\x80\xa6\",\"c\":\"0x10\"}");
    CHECK_TEXT(SHOW("a:&i2;b:&i2;", "\x01\xfe\xff\x00\x10\0\0\0\0\0\0\0"),
               ",\"values\":{\"a\":-2,\"b\":\"0x10\"}");
    CHECK_TEXT(SHOW("a:s8;", "\x01\x03\x61\x00\x62"), ",\"values\":{\"a\":\"a\\u0000b\"}");
    /* A character that was cut in the middle. */
    CHECK_TEXT(SHOW("a:t8;", "\x02\x02x\xc3"), ",\"values\":{\"a\":\"x\xe2\x80\xa6\"}");
    CHECK_TEXT(SHOW("a:t8;", "\x02\x04x\xf0\x9f\x98"), ",\"values\":{\"a\":\"x\xe2\x80\xa6\"}");

    /* names */
    CHECK_TEXT(SHOW("a:i1;:i1;a:i1;return:i1;", "\1\2\3\4"),
               ",\"values\":{\"a\":1,\"#2\":2,\"a#3\":3,\"return#4\":4}");
    CHECK_TEXT(show("=:i1;a:i1;", "\1", 1, "\2", 1), ",\"values\":{\"a\":1,\"return\":2}");
    CHECK_TEXT(show("=:?s;", NULL, 0, "", 0), ",\"values\":{\"return\":\"s\"}");
    CHECK_TEXT(show("=:i1;a:i1;", "\1", 1, NULL, 0), ",\"values\":{\"a\":1}");
    CHECK_TEXT(show("=:i1;a:i1;", NULL, 0, NULL, 0), "");
}

static void check_damage(void)
{
    /* Values that end early, at each of their bytes. */
    static const char bytes[] = "\x01\x02\x02hi\x00\x10\0\0\0\0\0\0\0\x01\x05\x06\x07\x08";
    for (size_t length = 0; length < sizeof bytes; length++)
        CHECK_CONTAINS(show("a:i1;b:t8;c:&i4;d:i4;", bytes, length, NULL, 0), ",\"values\":{");
    CHECK_TEXT(SHOW("a:i1;b:t8;", "\x01\x01\x09xx"), ",\"values\":{\"a\":1}");
    CHECK_TEXT(SHOW("a:i1;b:t8;", "\x01\x07\x01x"), ",\"values\":{\"a\":1}");

    /* Descriptions that are none. */
    static const char *const wrong[] = {
        "",       "a",    "a:",     "a:;", "a:i", "a:i;", "a:i0;", "a:i17;", "a:i99999999999;",
        "a:i4x;", "a:&;", "a:&?s;", ";",   ":"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        unit_row = wrong[i];
        CHECK_TEXT(SHOW(wrong[i], "\1\2\3\4\5\6\7\10\1\2\3\4\5\6\7\10\1\2\3\4\5"),
                   ",\"values\":{}");
    }
    unit_row = NULL;

    /* The same attachment twice: no key stands twice. */
    union {
        struct dft_attached attached;
        char room[64];
    } twice;
    struct dft_attachments all = {.used = 0};
    struct dft_trace_start start = {.sites = {read_site, &spool}};
    struct dft_call call = {.site = make_described("a:i1;") & 0x3fffffff};
    struct dft_buffer out = {0};
    dft_attachments_add(&all, DFT_ATTACHMENT_ARGUMENTS, "\1", 1);
    dft_attachments_add(&all, DFT_ATTACHMENT_ARGUMENTS, "\2", 1);
    twice.attached.length = all.used;
    memcpy(twice.attached.bytes, all.bytes, all.used);
    CHECK(dft_json_append_values(&start, &call, &twice.attached, &out));
    CHECK(dft_append_text(&out, "\n"));
    CHECK(strncmp(out.data, ",\"values\":{\"a\":1}\n", out.used) == 0);
    dft_buffer_release(&out);
}

static const char *show_buffer(struct dft_buffer *out)
{
    static char shown[128];

    snprintf(shown, sizeof shown, "%.*s", (int)out->used, out->data);
    dft_buffer_release(out);
    return shown;
}

static const char *show_real(const void *value, unsigned size)
{
    struct dft_buffer out = {0};

    CHECK(dft_append_json_real(&out, value, size));
    return show_buffer(&out);
}

static void check_half(uint16_t bits, const char *wanted)
{
    CHECK_TEXT(show_real(&bits, sizeof bits), wanted);
}

/* The upper and the lower half of its bits. */
static void check_quad(uint64_t high, uint64_t low, const char *wanted)
{
    unsigned __int128 bits = (unsigned __int128)high << 64 | low;
    struct dft_buffer out = {0};

    CHECK(dft_append_json_quad(&out, (const unsigned char *)&bits));
    CHECK_TEXT(show_buffer(&out), wanted);
}

static void check_double(double value, const char *wanted)
{
    CHECK_TEXT(show_real(&value, sizeof value), wanted);
}

static void check_float(float value, const char *wanted)
{
    CHECK_TEXT(show_real(&value, sizeof value), wanted);
}

static void check_reals(void)
{
    check_double(0.0, "0.0");
    check_double(-0.0, "-0.0");
    check_double(1.0, "1.0");
    check_double(-2.5, "-2.5");
    check_double(0.1, "0.1");
    check_double(0.1 + 0.2, "0.30000000000000004");
    check_double(0.00001, "1e-05");
    check_double(0.000001, "1e-06");
    check_double(123456789.0, "123456789.0");
    check_double(1e20, "1e+20");
    check_double(1e22, "1e+22");
    check_double(DBL_MAX, "1.7976931348623157e+308");
    check_double(DBL_MIN, "2.2250738585072014e-308");
    check_double(4.9406564584124654e-324, "5e-324");
    check_double(NAN, "\"NaN\"");
    check_double(INFINITY, "\"Infinity\"");
    check_double(-INFINITY, "\"-Infinity\"");
    check_float(0.1f, "0.1");
    check_float(FLT_MAX, "3.4028235e+38");
    check_float(16777216.0f, "16777216.0");
#if LDBL_MANT_DIG == 64
    long double extended = 0.1L;
    CHECK_TEXT(show_real(&extended, sizeof extended), "0.1");
    extended = LDBL_MAX;
    CHECK_TEXT(show_real(&extended, sizeof extended), "\"Infinity\"");
    extended = -(long double)DBL_MAX;
    CHECK_TEXT(show_real(&extended, sizeof extended), "-1.7976931348623157e+308");
    unsigned char none[16] = {1, 0, 0, 0, 0, 0, 0, 0x10, 0x01, 0x40};
    CHECK_TEXT(show_real(none, sizeof none), "\"NaN\"");
#endif
}

static void check_other_sizes(void)
{
    check_half(0x0000, "0.0");
    check_half(0x8000, "-0.0");
    check_half(0x3c00, "1.0");
    check_half(0x3e00, "1.5");
    check_half(0x2e66, "0.099975586");
    check_half(0x2e67, "0.10003662");
    check_half(0x7bff, "65504.0");
    check_half(0x0001, "5.9604645e-08");
    check_half(0x0400, "6.1035156e-05");
    check_half(0x7c00, "\"Infinity\"");
    check_half(0xfc00, "\"-Infinity\"");
    check_half(0x7e00, "\"NaN\"");

    check_quad(0, 0, "0.0");
    check_quad(0x8000000000000000, 0, "-0.0");
    check_quad(0x3fff000000000000, 0, "1.0");
    check_quad(0xc000400000000000, 0, "-2.5");
    check_quad(0x7fff000000000000, 0, "\"Infinity\"");
    check_quad(0xffff000000000000, 0, "\"-Infinity\"");
    check_quad(0x7fff800000000000, 0, "\"NaN\"");
#if LDBL_MANT_DIG == 64
    check_quad(0x3ffb999999999999, 0x999999999999999a, "0.1");
    check_quad(0x3ffd555555555555, 0x5555555555555555, "0.3333333333333333");
    check_quad(0x7ffeffffffffffff, 0, "\"Infinity\"");
    check_quad(0, 1, "0.0"); /* smaller than any */
#endif
}

/* Each reads back as what it was, of numbers all over. */
static void check_round_trips(void)
{
    uint64_t bits = 88172645463325252u;

    for (int i = 0; i < 20000; i++) {
        double value;
        bits ^= bits << 13, bits ^= bits >> 7, bits ^= bits << 17;
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value))
            CHECK(strtod(show_real(&value, sizeof value), NULL) == value);
    }
}

int main(void)
{
    char directory[] = "/tmp/dftrace-unit-XXXXXX";

    if (!CHECK(mkdtemp(directory)) || !CHECK(make_spool(&spool, directory) == 0))
        return unit_result();
    check_values();
    check_damage();
    check_reals();
    check_other_sizes();
    check_round_trips();
    /* A comma where others have a point, where there is such a locale: nothing changes. */
    if (setlocale(LC_NUMERIC, "de_DE.UTF-8"))
        check_reals();
    dft_spool_unlink(&spool);
    dft_spool_unmap(&spool);
    rmdir(directory);
    return unit_result();
}
