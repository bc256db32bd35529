/*
 * The allowlist language: what is accepted and how it is read, what is refused and with which
 * words, how several rules add up to one verdict, and how files are read.
 */
#include "allowlist/allowlist.h"
#include "allowlist/internal.h"
#include "dftrace/abi.h"
#include "unit.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SAMPLE DFTRACE_SITE_SAMPLE
#define ARGS DFTRACE_SITE_ARGS
#define AGGREGATE DFTRACE_SITE_AGGREGATE

/* --- what is refused ------------------------------------------------------------------------ */

struct refusal_row {
    const char *text;
    unsigned line;
    unsigned column;
    const char *message; /* a part of it */
};

static const struct refusal_row refusals[] = {
    /* no rule that could trace anything */
    {"", 0, 0, "holds no rule; expected at least one rule outside [never]"},
    {"# only a comment\n\n  \t\n", 0, 0, "holds no rule"},
    {"[sample]\n", 0, 0, "holds no rule"},
    {"\xef\xbb\xbf", 0, 0, "holds no rule"},
    {"[never]\nfun:f\n", 0, 0, "holds [never] rules only; expected at least one rule outside"},

    /* sections */
    {"main\n[tarce]\n", 2, 1,
     "unknown section '[tarce]'; expected [trace], [never], [sample], [args] or"},
    {"[tarce]", 1, 1, "did you mean [trace]?"},
    {"[Never]", 1, 1, "did you mean [never]?"},
    {"[samples]", 1, 1, "did you mean [sample]?"},
    {"  [arg]", 1, 3, "did you mean [args]?"},
    {"[ trace]", 1, 1, "did you mean [trace]?"},
    {"[]", 1, 1, "unknown section '[]'; expected [trace]"},
    {"[a-z]*", 1, 1, "a rule that begins with a glob class needs fun: in front"},
    {"[trace", 1, 7, "unterminated section '[trace'; expected ']'"},
    {"[trace # ]", 1, 7, "unterminated section '[trace'"},
    {"[never] foo", 1, 9, "found 'foo' after [never]; expected the end of the line"},
    {"[args]*", 1, 7, "found '*' after [args]"},

    /* prefixes */
    {"func:foo", 1, 1,
     "unknown prefix 'func:'; expected fun:, src:, region:, io:, file: or a function's name"},
    {"func:foo", 1, 1, "(did you mean fun:?)"},
    {"path:x.c", 1, 1, "unknown prefix 'path:'"},
    {"Src:x.c", 1, 1, "(did you mean src:?)"},
    {"fun :foo", 1, 1, "unknown prefix 'fun :'"},
    {"main\n  type : x", 2, 3, "unknown prefix 'type :'"},
    {"a:::b", 1, 1, "unknown prefix 'a:'"},
    {"fun:", 1, 5, "found nothing after 'fun:'; expected a function's name"},
    {"src:   # a comment", 1, 5, "found nothing after 'src:'; expected a path"},
    {"fun:::", 1, 5, "found '::', which names nothing; expected a name"},
    {"fun:[abi:cxx11]", 1, 5, "which names nothing"},

    /* categories */
    {"fun:foo=", 1, 9, "found no category after '=' of 'fun:foo='; expected a name such as IO"},
    {"fun:foo= # IO", 1, 9, "found no category"},
    {"foo=A=B", 1, 6, "found category 'A=B'; expected letters, digits, _ - . or : after '='"},
    {"foo=A B", 1, 6, "found category 'A B'"},
    {"src:a=b/c.c", 1, 8, "or \\= for an = of the pattern"},
    {"foo=\xc3\xa9", 1, 5, "found category '\xc3\xa9'"},
    {"=IO", 1, 1, "found '=' without a name before it"},
    {"fun:=IO", 1, 5, "found '=' without a name before it"},
    {"foo=1234567890123456789012345678901234567890123456789012345678901234x", 1, 5,
     "found a category of 65 bytes; expected 64 at most"},
    {"main\n[never]\nfun:foo=IO", 3, 9, "found category 'IO' in [never]; expected none"},
    {"main\n[never]\nfun:foo=", 3, 9, "in [never]"},
    {"A::operator=IO", 1, 13, "expected operator== and a category"},
    {"A::operator = IO", 1, 14, "expected operator== and a category"},
    {"A::operator===", 1, 15, "found no category"},

    /* globs */
    {"fun:[a-", 1, 5, "malformed glob '[a-': class that is not closed; expected ']'"},
    {"fun:ab[", 1, 7, "not closed"},
    {"fun:ab[c\\]", 1, 7, "not closed"},
    {"fun:a[]", 1, 6, "malformed glob 'a[]': empty class"},
    {"fun:a[]b]", 1, 6, "empty class"},
    {"fun:a[!]", 1, 6, "empty class"},
    {"fun:a[^]", 1, 6, "empty class"},
    {"fun:xoperator[]", 1, 14, "empty class"},
    {"src:operator[]", 1, 13, "empty class"},
    {"fun:a[z-a]", 1, 7, "range that runs backwards"},
    {"fun:a[bz-a]", 1, 8, "range that runs backwards"},
    {"fun:a[[:alpha:]]", 1, 7, "named classes are unknown"},
    {"fun:a\\", 1, 6, "backslash at the end; expected the character it escapes"},
    {"fun:a\\ # comment", 1, 6, "backslash at the end"},
    {"ok\nok\n  src:x/\xc3\xa9[z-a]", 3, 12, "range that runs backwards"},
    {"src:./", 1, 5, "found './', which names no file; expected a path"},
    {"src:..", 1, 5, "which names no file"},

    /* bytes */
    {"main\nfo\xff", 2, 3, "found byte 0xff; expected text in UTF-8"},
    {"\x80", 1, 1, "found byte 0x80"},
    {"# \xc3\n", 1, 3, "found byte 0xc3"},
    {"\xc0\xaf", 1, 1, "found byte 0xc0"},
    {"\xed\xa0\x80", 1, 1, "found byte 0xed"},
    {"\xf4\x90\x80\x80", 1, 1, "found byte 0xf4"},
    {"main\n\xef\xbb", 2, 1, "found byte 0xef"},
    {"fo\x01o", 1, 3, "found control character U+0001; expected text"},
    {"foo\x7f", 1, 4, "found control character U+007F"},
    {"foo\xc2\x85", 1, 4, "found control character U+0085"},
    {"# \x1b[31m", 1, 3, "found control character U+001B"},
    {"main\rfoo\n", 1, 5, "found control character U+000D"},

    /* what is shown is escaped and cut */
    {"[\xe2\x82\xac]", 1, 1, "'[\xe2\x82\xac]'"},
    {"[aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa]", 1,
     1, "aaaaaaaa...'; expected [trace]"},
};

static void check_refused(const char *text, size_t length, unsigned line, unsigned column,
                          const char *message)
{
    struct dft_allowlist_error error = {99, 99, "untouched"};
    struct dft_allowlist *list = dft_allowlist_parse(text, length, &error);
    CHECK(!list);
    CHECK_INT(error.line, line);
    CHECK_INT(error.column, column);
    CHECK_CONTAINS(error.message, message);
    CHECK(strlen(error.message) < sizeof error.message - 1);
    CHECK(!strchr(error.message, '\n'));
    dft_allowlist_free(list);
}

static void check_refusals(void)
{
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        const struct refusal_row *row = &refusals[i];
        unit_row = row->text;
        check_refused(row->text, strlen(row->text), row->line, row->column, row->message);
        CHECK(!dft_allowlist_parse(row->text, strlen(row->text), NULL));
    }
    unit_row = "NUL byte";
    check_refused("main\nfo\0o\n", 10, 2, 3, "found control character U+0000");
    unit_row = "no text";
    check_refused(NULL, 0, 0, 0, "holds no rule");
    unit_row = NULL;
}

/* --- what is accepted ----------------------------------------------------------------------- */

struct rule_row {
    const char *text;
    enum dft_section section;
    enum dft_subject subject;
    bool is_glob;
    const char *pattern;
    const char *category;
    const char *shown; /* NULL: the text itself */
};

#define TRACE DFT_SECTION_TRACE
#define FUNCTION DFT_SUBJECT_FUNCTION
#define SOURCE DFT_SUBJECT_SOURCE

static const struct rule_row accepted[] = {
    {"main", TRACE, FUNCTION, false, "main", NULL, NULL},
    {"  main\t # comment", TRACE, FUNCTION, false, "main", NULL, "main"},
    {"main\r\n", TRACE, FUNCTION, false, "main", NULL, "main"},
    {"\xef\xbb\xbfmain\n", TRACE, FUNCTION, false, "main", NULL, "main"},
    {"#first\nmain#x", TRACE, FUNCTION, false, "main#x", NULL, "main#x"},
    {"fun:main", TRACE, FUNCTION, false, "main", NULL, NULL},
    {"fun:  main", TRACE, FUNCTION, false, "main", NULL, NULL},
    {"fun:solver::*=COMPUTE", TRACE, FUNCTION, true, "solver::*", "COMPUTE", NULL},
    {"solver::* = COMPUTE  # why", TRACE, FUNCTION, true, "solver::*", "COMPUTE",
     "solver::* = COMPUTE"},
    {"src:src/io/*=IO", TRACE, SOURCE, true, "src/io/*", "IO", NULL},
    {"src:a.c", TRACE, SOURCE, false, "a.c", NULL, NULL},
    {"src:src/", TRACE, SOURCE, true, "src/", NULL, NULL},
    {"[sample]\nf", DFT_SECTION_SAMPLE, FUNCTION, false, "f", NULL, "f"},
    {"[args] # comment\nf", DFT_SECTION_ARGS, FUNCTION, false, "f", NULL, "f"},
    {"[aggregate]\nf", DFT_SECTION_AGGREGATE, FUNCTION, false, "f", NULL, "f"},
    {"[never]\n[trace]\nf", TRACE, FUNCTION, false, "f", NULL, "f"},
    {"f=io.posix:read-1_X", TRACE, FUNCTION, false, "f", "io.posix:read-1_X", NULL},
    {"f=1234567890123456789012345678901234567890123456789012345678901234", TRACE, FUNCTION, false,
     "f", "1234567890123456789012345678901234567890123456789012345678901234", NULL},
    {"fun::f", TRACE, FUNCTION, false, "fun::f", NULL, NULL},
    {"src::f", TRACE, FUNCTION, false, "src::f", NULL, NULL},
    {"fun:::f", TRACE, FUNCTION, false, "::f", NULL, NULL},
    {"::f", TRACE, FUNCTION, false, "::f", NULL, NULL},
    {"fun:[a-z]*", TRACE, FUNCTION, true, "[a-z]*", NULL, NULL},
    {"f[*]", TRACE, FUNCTION, false, "f[*]", NULL, NULL},
    {"f[ab]", TRACE, FUNCTION, true, "f[ab]", NULL, NULL},
    {"f?", TRACE, FUNCTION, true, "f?", NULL, NULL},
    {"f\\*", TRACE, FUNCTION, false, "f\\*", NULL, NULL},
    {"f\\=IO", TRACE, FUNCTION, false, "f\\=IO", NULL, NULL},
    {"f[=]=IO", TRACE, FUNCTION, false, "f[=]", "IO", NULL},
    {"src:a\\=b.c=IO", TRACE, SOURCE, false, "a\\=b.c", "IO", NULL},
    {"f[abi:cxx11]()", TRACE, FUNCTION, false, "f[abi:cxx11]()", NULL, NULL},
    {"main::{lambda(int)#1}::operator()", TRACE, FUNCTION, false,
     "main::{lambda(int)#1}::operator()", NULL, NULL},

    /* operators and categories */
    {"A::operator=", TRACE, FUNCTION, false, "A::operator=", NULL, NULL},
    {"A::operator==", TRACE, FUNCTION, false, "A::operator==", NULL, NULL},
    {"A::operator<=", TRACE, FUNCTION, false, "A::operator<=", NULL, NULL},
    {"A::operator!=", TRACE, FUNCTION, false, "A::operator!=", NULL, NULL},
    {"A::operator<=>", TRACE, FUNCTION, false, "A::operator<=>", NULL, NULL},
    {"A::operator>>=", TRACE, FUNCTION, false, "A::operator>>=", NULL, NULL},
    {"A::operator ==", TRACE, FUNCTION, false, "A::operator ==", NULL, NULL},
    {"A::operator=(A const&)", TRACE, FUNCTION, false, "A::operator=(A const&)", NULL, NULL},
    {"A::operator=(A const&)=IO", TRACE, FUNCTION, false, "A::operator=(A const&)", "IO", NULL},
    {"A::operator==IO", TRACE, FUNCTION, false, "A::operator=", "IO", NULL},
    {"A::operator== IO", TRACE, FUNCTION, false, "A::operator=", "IO", NULL},
    {"A::operator===IO", TRACE, FUNCTION, false, "A::operator==", "IO", NULL},
    {"A::operator<=IO", TRACE, FUNCTION, false, "A::operator<", "IO", NULL},
    {"A::operator<=>=IO", TRACE, FUNCTION, false, "A::operator<=>", "IO", NULL},
    {"A::operator->=IO", TRACE, FUNCTION, false, "A::operator->", "IO", NULL},
    {"A::operator()=IO", TRACE, FUNCTION, false, "A::operator()", "IO", NULL},
    {"A::operator[]=IO", TRACE, FUNCTION, false, "A::operator[]", "IO", NULL},
    {"operator new[]=IO", TRACE, FUNCTION, false, "operator new[]", "IO", NULL},
    {"operator delete[]", TRACE, FUNCTION, false, "operator delete[]", NULL, NULL},
    {"A::operator=*", TRACE, FUNCTION, true, "A::operator=*", NULL, NULL},
    {"*::operator*=IO", TRACE, FUNCTION, true, "*::operator*", "IO", NULL},
    {"*::operator\\*=IO", TRACE, FUNCTION, true, "*::operator\\*", "IO", NULL},
    {"operator\"\" _km=IO", TRACE, FUNCTION, false, "operator\"\" _km", "IO", NULL},
    {"my_operator=IO", TRACE, FUNCTION, false, "my_operator", "IO", NULL},
    {"operators=IO", TRACE, FUNCTION, false, "operators", "IO", NULL},
    {"src:operator=IO", TRACE, SOURCE, false, "operator", "IO", NULL},
};

static void check_accepted(void)
{
    for (size_t i = 0; i < sizeof accepted / sizeof accepted[0]; i++) {
        const struct rule_row *row = &accepted[i];
        struct dft_allowlist_error error;
        unit_row = row->text;
        struct dft_allowlist *list = dft_allowlist_parse(row->text, strlen(row->text), &error);
        CHECK_TEXT(error.message, "");
        if (!list || !CHECK_INT(dft_allowlist_count(list), 1)) {
            dft_allowlist_free(list);
            continue;
        }
        const struct dft_rule *rule = dft_allowlist_rule(list, 0);
        CHECK_TEXT(dft_section_name(rule->section), dft_section_name(row->section));
        CHECK_INT(rule->subject, row->subject);
        CHECK_INT(rule->is_glob, row->is_glob);
        CHECK_TEXT(rule->pattern, row->pattern);
        CHECK_TEXT(rule->category, row->category);
        CHECK_TEXT(rule->text, row->shown ? row->shown : row->text);
        CHECK(!dft_allowlist_rule(list, 1));
        dft_allowlist_free(list);
    }
    unit_row = NULL;
    CHECK_TEXT(dft_section_name(DFT_SECTION_TRACE), "trace");
    CHECK_TEXT(dft_section_name(DFT_SECTION_NEVER), "never");
    CHECK_TEXT(dft_section_name(DFT_SECTION_SAMPLE), "sample");
    CHECK_TEXT(dft_section_name(DFT_SECTION_ARGS), "args");
    CHECK_TEXT(dft_section_name(DFT_SECTION_AGGREGATE), "aggregate");
    dft_allowlist_free(NULL);
}

/* --- several rules -------------------------------------------------------------------------- */

struct verdict_row {
    const char *text;
    bool traced;
    unsigned flags;
    const char *category;
    unsigned line; /* of the rule that decided; 0: none */
};

/* All of them for f() of src/io/a.c. */
static const struct verdict_row verdicts[] = {
    {"g", false, 0, NULL, 0},
    {"f", true, 0, "FUNC", 1},
    {"f\nf", true, 0, "FUNC", 2},
    {"f=A", true, 0, "A", 1},
    {"f=A\n*=B", true, 0, "B", 2},
    {"*=B\nf=A", true, 0, "A", 2},
    {"f=A\nf=B\nf", true, 0, "B", 2},
    {"f=A\n*", true, 0, "A", 1},
    {"*\nf", true, 0, "FUNC", 2},
    {"f\n*\ng", true, 0, "FUNC", 2},
    {"src:io/*=IO\nf", true, 0, "IO", 1},
    {"f=A\nsrc:io/*=IO", true, 0, "IO", 2},
    {"src:src/io/a.c=IO\nsrc:a.c", true, 0, "IO", 1},
    {"src:src/io/*", true, 0, "FUNC", 1},
    {"[sample]\nf", true, SAMPLE, "FUNC", 2},
    {"[args]\nf", true, ARGS, "FUNC", 2},
    {"[aggregate]\nf=A", true, AGGREGATE, "A", 2},
    {"[aggregate]\nf\n[sample]\nf", true, AGGREGATE | SAMPLE, "FUNC", 4},
    {"f=A\n[sample]\n*\n[args]\nsrc:a.c", true, SAMPLE | ARGS, "A", 1},
    {"[sample]\nf\n[args]\nf\n[trace]\nf", true, SAMPLE | ARGS, "FUNC", 6},
    {"[sample]\nf\n[args]\ng", true, SAMPLE, "FUNC", 2},
    {"f\n[never]\nf", false, 0, NULL, 3},
    {"f=A\n[sample]\nf\n[never]\nf\n[trace]\nf", false, 0, NULL, 5},
    {"[never]\n*\nf\n[trace]\nf=A", false, 0, NULL, 3},
    {"[never]\nf\n*\n[trace]\nf=A", false, 0, NULL, 3},
    {"[never]\nsrc:io/*\n[trace]\nf=A", false, 0, NULL, 2},
    {"[never]\ng\n[trace]\nf=A", true, 0, "A", 4},
    {"f\n[never]\nf()", false, 0, NULL, 3},
    {"f\n[never]\n_Z1fv", false, 0, NULL, 3},
};

static void check_verdicts(void)
{
    struct dft_names names;
    if (!CHECK(dft_names_make("_Z1fv", DFT_LANGUAGE_C_FAMILY, &names)))
        return;
    for (size_t i = 0; i < sizeof verdicts / sizeof verdicts[0]; i++) {
        const struct verdict_row *row = &verdicts[i];
        struct dft_allowlist_error error;
        struct dft_verdict verdict;
        unit_row = row->text;
        struct dft_allowlist *list = dft_allowlist_parse(row->text, strlen(row->text), &error);
        if (!CHECK_TEXT(error.message, ""))
            continue;
        dft_allowlist_match(list, &names, "src/io/a.c", "/p", &verdict);
        CHECK_INT(verdict.traced, row->traced);
        CHECK_INT(verdict.flags, row->flags);
        CHECK_TEXT(verdict.category, row->category);
        CHECK_INT(verdict.rule ? verdict.rule->line : 0, row->line);
        dft_allowlist_free(list);
    }
    unit_row = NULL;
    dft_names_free(&names);
}

/* Also for names and sources of which little or nothing is known. */
static void check_unknown_names(void)
{
    static const char text[] = "f\nsrc:a.c=A";
    struct dft_names names = {.linkage = "f"};
    struct dft_verdict verdict;
    struct dft_allowlist *list = dft_allowlist_parse(text, strlen(text), NULL);
    if (!CHECK(list))
        return;
    dft_allowlist_match(list, &names, NULL, NULL, &verdict);
    CHECK(verdict.traced);
    dft_allowlist_match(list, &names, "", "/p", &verdict);
    CHECK_TEXT(verdict.category, "FUNC");
    dft_allowlist_match(list, NULL, "a.c", NULL, &verdict);
    CHECK_TEXT(verdict.category, "A");
    dft_allowlist_match(list, NULL, NULL, NULL, &verdict);
    CHECK(!verdict.traced && !verdict.rule && !verdict.category && !verdict.flags);
    dft_allowlist_free(list);
}

/* --- files and sizes ------------------------------------------------------------------------ */

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void check_load_refused(const char *path, unsigned line, const char *message)
{
    struct dft_allowlist_error error = {99, 99, "untouched"};
    unit_row = path;
    CHECK(!dft_allowlist_load(path, &error));
    CHECK_INT(error.line, line);
    CHECK_CONTAINS(error.message, message);
    CHECK(!dft_allowlist_load(path, NULL));
    unit_row = NULL;
}

static void write_file(const char *path, const char *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");
    if (CHECK(file)) {
        CHECK_INT(fwrite(bytes, 1, length, file), length);
        CHECK_INT(fclose(file), 0);
    }
}

static void check_loaded(const char *path, size_t count)
{
    struct dft_allowlist_error error;
    double start = seconds();
    struct dft_allowlist *list = dft_allowlist_load(path, &error);
    unit_row = path;
    CHECK_TEXT(error.message, "");
    if (list)
        CHECK_INT(dft_allowlist_count(list), count);
    unit_row = NULL;
    if (count > 1000)
        printf("loading %zu rules: %.0f ms\n", count, 1e3 * (seconds() - start));
    dft_allowlist_free(list);
}

/*
 * The time to read a line grows with its length. A hundred of these lines took more than a minute
 * while every bracket had the rest of its line searched.
 */
static void check_unclosed_brackets(const char *prefix, char tail)
{
    struct dft_allowlist_error error;
    char line[60000];
    clock_t start = clock(); /* processor time: the machine may be busy */

    memset(line, '[', sizeof line);
    memcpy(line, prefix, strlen(prefix));
    line[sizeof line - 2] = '\\';
    line[sizeof line - 1] = tail;
    for (int i = 0; i < 100; i++)
        CHECK(!dft_allowlist_parse(line, sizeof line, &error));
    CHECK_CONTAINS(error.message, "class that is not closed");
    CHECK((clock() - start) / CLOCKS_PER_SEC < 20);
}

/* A file of 10 MB in which `format` stands on every line, with a number in it. */
static void check_large_file(const char *path, const char *format)
{
    FILE *file = fopen(path, "wb");
    size_t count = 0, size = 0;
    if (!CHECK(file))
        return;
    for (; size < 10 * 1000 * 1000; count++) {
        char line[128];
        snprintf(line, sizeof line, format, (unsigned)count);
        size += (size_t)fprintf(file, "%s\n", line);
    }
    CHECK_INT(fclose(file), 0);
    check_loaded(path, count);
}

static void check_random_file(const char *path)
{
    const size_t size = 10 * 1000 * 1000;
    unsigned char *bytes = malloc(size);
    uint32_t state = 12345;
    if (!CHECK(bytes))
        return;
    for (size_t i = 0; i < size; i++) {
        state = state * 1664525 + 1013904223;
        bytes[i] = (unsigned char)(state >> 24);
    }
    write_file(path, (char *)bytes, size);
    check_load_refused(path, 1, "expected text");
    free(bytes);
}

/* One line of `length` bytes. */
static void check_long_line(const char *path, size_t length, bool is_accepted)
{
    char *line = malloc(length);
    if (!CHECK(line))
        return;
    memset(line, 'a', length);
    write_file(path, line, length);
    if (is_accepted)
        check_loaded(path, 1);
    else
        check_load_refused(path, 1, "found a line of 65537 bytes; expected 65536 at most");
    free(line);
}

/* A file of `size` zero bytes that takes no room on the disk. */
static void check_sparse_file(const char *path, off_t size, const char *message)
{
    int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (!CHECK(descriptor >= 0))
        return;
    CHECK_INT(ftruncate(descriptor, size), 0);
    CHECK_INT(close(descriptor), 0);
    check_load_refused(path, size > DFT_FILE_MAX ? 0 : 1, message);
}

static void check_pipe(void)
{
    int ends[2];
    char path[64];
    if (!CHECK_INT(pipe(ends), 0))
        return;
    CHECK_INT(write(ends[1], "main\nf", 6), 6);
    close(ends[1]);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    check_loaded(path, 2);
    close(ends[0]);
}

/* Traced programs load lists in this way: nobody writes to the pipe, and nobody waits for it. */
static void check_regular(const char *path, const char *directory)
{
    struct dft_allowlist_error error;
    char fifo[64];
    snprintf(fifo, sizeof fifo, "%s/fifo", directory);
    CHECK_INT(mkfifo(fifo, 0600), 0);
    CHECK(!dft_allowlist_load_regular(fifo, &error));
    CHECK_TEXT(error.message, "the allowlist is a pipe; expected a regular text file");
    CHECK(!dft_allowlist_load_regular("/dev/null", &error));
    CHECK_CONTAINS(error.message, "the allowlist is a character device");
    CHECK(!dft_allowlist_load_regular(directory, &error));
    CHECK_CONTAINS(error.message, "the allowlist is a directory");
    struct dft_allowlist *list = dft_allowlist_load_regular(path, &error);
    if (CHECK(list))
        CHECK_INT(dft_allowlist_count(list), 2);
    dft_allowlist_free(list);
    unlink(fifo);
}

/* Of the bytes of a list, valid or not; the numbers are in the notes of programs. */
static void check_hashes(const char *path, const char *directory)
{
    struct dft_allowlist_error error;
    struct dft_allowlist_hash hash = {"unchanged"};

    write_file(path, "main\n", 5);
    struct dft_allowlist *list = dft_allowlist_load(path, &error);
    if (CHECK(list))
        CHECK_TEXT(dft_allowlist_hash(list).text, "dce65ca50c4e62a6");
    dft_allowlist_free(list);
    CHECK(!dft_allowlist_hash_file(directory, &hash));
    CHECK(!dft_allowlist_hash_file("/dev/null", &hash));
    CHECK_TEXT(hash.text, "unchanged");
    CHECK(dft_allowlist_hash_file(path, &hash));
    CHECK_TEXT(hash.text, "dce65ca50c4e62a6");
    write_file(path, "", 0);
    CHECK(dft_allowlist_hash_file(path, &hash));
    CHECK_TEXT(hash.text, "cbf29ce484222325");
}

static void check_files(void)
{
    char directory[] = "/tmp/test-allowlist-XXXXXX";
    char path[64], missing[64], below[96];
    if (!CHECK(mkdtemp(directory)))
        return;
    snprintf(path, sizeof path, "%s/allow.txt", directory);
    snprintf(missing, sizeof missing, "%s/missing.txt", directory);
    snprintf(below, sizeof below, "%s/below", path);

    check_load_refused(missing, 0, "cannot open the allowlist: No such file or directory");
    check_load_refused("", 0, "No such file or directory");
    check_load_refused(directory, 0, "the allowlist is a directory; expected a readable text file");
    check_load_refused("/dev/null", 0, "holds no rule");
    write_file(path, "main\n[oops]\n", 12);
    check_load_refused(below, 0, "Not a directory");
    check_load_refused(path, 2, "unknown section '[oops]'");
    if (geteuid() != 0) {
        CHECK_INT(chmod(path, 0), 0);
        check_load_refused(path, 0, "Permission denied");
        CHECK_INT(chmod(path, 0600), 0);
    }
    write_file(path, "main\nf", 6);
    check_loaded(path, 2);
    check_regular(path, directory);
    check_pipe();
    check_hashes(path, directory);
    check_long_line(path, DFT_LINE_MAX, true);
    check_long_line(path, DFT_LINE_MAX + 1, false);
    check_random_file(path);
    check_large_file(path, "fun:namespace_%u::function=CAT");
    check_large_file(path, "fun:*::f%u*");
    check_large_file(path, "same");
    check_large_file(path, "src:dir%u/[a-z]?*[!x].c");
    check_sparse_file(path, 1, "found control character U+0000");
    check_sparse_file(path, (off_t)DFT_FILE_MAX + 1, "larger than 64 MiB");
    unlink(path);
    rmdir(directory);
}

int main(void)
{
    check_refusals();
    check_accepted();
    check_verdicts();
    check_unknown_names();
    check_files();
    check_unclosed_brackets("fun:", '[');
    check_unclosed_brackets("fun:", ']');
    check_unclosed_brackets("src:", '[');
    return unit_result();
}
