/*
 * Tests the translation of configuration files: what each key becomes, and where and why a file is
 * refused.
 */
#include "configuration/configuration.h"
#include "unit.h"

/* "NAME=VALUE" of all settings, and the rules, each in a line. */
static void describe(const struct dft_configuration *configuration, char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < configuration->count; i++)
        used += (size_t)snprintf(text + used, size - used, "%s=%s\n",
                                 configuration->settings[i].name, configuration->settings[i].value);
    if (configuration->rules)
        snprintf(text + used, size - used, "%.*s", (int)configuration->rules_length,
                 configuration->rules);
}

static bool parse(const char *text, struct dft_configuration *configuration,
                  struct dft_allowlist_error *error)
{
    return dft_configuration_parse(text, strlen(text), configuration, error);
}

static void check_becomes(const char *text, const char *expected)
{
    struct dft_configuration configuration;
    struct dft_allowlist_error error;
    char found[4096];

    unit_row = text;
    if (!CHECK(parse(text, &configuration, &error))) {
        printf("    %u:%u: %s\n", error.line, error.column, error.message);
        return;
    }
    describe(&configuration, found, sizeof found);
    CHECK_TEXT(found, expected);
    dft_configuration_free(&configuration);
}

static void check_refused(const char *text, unsigned line, unsigned column, const char *message)
{
    struct dft_configuration configuration;
    struct dft_allowlist_error error = {0};

    unit_row = text;
    if (!CHECK(!parse(text, &configuration, &error))) {
        dft_configuration_free(&configuration);
        return;
    }
    CHECK_INT(error.line, line);
    CHECK_INT(error.column, column);
    CHECK_CONTAINS(error.message, message);
}

/* --- keys --- */

/* Every key of DFTracer, its value, and the option that it becomes. */
static void test_keys_of_dftracer(void)
{
    static const char *const rows[][2] = {
        {"enable: true", "ENABLE=true\n"},
        {"tracer: {init: FUNCTION}", "INIT=FUNCTION\n"},
        {"tracer: {log_file: a/b}", "LOG_FILE=a/b\n"},
        {"tracer: {data_dirs: '/a:/b'}", "DATA_DIR=/a:/b\n"},
        {"tracer: {data_dirs: [/a, /b]}", "DATA_DIR=/a:/b\n"},
        {"tracer: {log_level: DEBUG}", "LOG_LEVEL=DEBUG\n"},
        {"tracer: {compression: no}", "TRACE_COMPRESSION=no\n"},
        {"tracer: {time_metric: US}", "TIME_METRIC=US\n"},
        {"tracer: {libuv_threads: 2}", "LIBUV_THREADS=2\n"},
        {"gotcha: {priority: 1}", "GOTCHA_PRIORITY=1\n"},
        {"features: {enable: true}", ""},
        {"features: {metadata: false}", "INC_METADATA=false\n"},
        {"features: {core_affinity: true}", "SET_CORE_AFFINITY=true\n"},
        {"features: {tid: true}", "DISABLE_TIDS=0\n"},
        {"features: {tid: off}", "DISABLE_TIDS=1\n"},
        {"features: {interval: 20}", "TRACE_INTERVAL_MS=20\n"},
        {"features: {io: {enable: false}}", "DISABLE_IO=1\n"},
        {"features: {io: {posix: false}}", "DISABLE_POSIX=1\n"},
        {"features: {io: {stdio: true}}", "DISABLE_STDIO=0\n"},
        {"features: {aggregation: {enable: true}}", "ENABLE_AGGREGATION=true\n"},
        {"features: {aggregation: {type: FULL}}", "AGGREGATION_TYPE=FULL\n"},
        {"features: {aggregation: {file: a}}", "AGGREGATION_FILE=a\n"},
        {"features: {papi: {enable: false}}", "ENABLE_PAPI_TRACING=false\n"},
        {"features: {papi: {events: [A, B]}}", "PAPI_EVENTS=A,B\n"},
        {"features: {papi: {interval: 5}}", "PAPI_SAMPLE_INTERVAL_MS=5\n"},
        {"features: {papi: {multiplex: true}}", "PAPI_MULTIPLEX=true\n"},
        {"features: {variorum: {enable: false}}", "DISABLE_VARIORUM_POWER=1\n"},
        {"internal: {bind_signals: true}", "BIND_SIGNALS=true\n"},
        {"internal: {throw_error: false}", "ERROR=false\n"},
        {"internal: {write_buffer_size: 65536}", "WRITE_BUFFER_SIZE=65536\n"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_becomes(rows[i][0], rows[i][1]);
    /* The first version's name of `tracer`, and both. */
    check_becomes("profiler: {log_file: a, compression: 1}", "LOG_FILE=a\nTRACE_COMPRESSION=1\n");
    check_becomes("profiler: {log_file: a}\ntracer: {log_file: a}", "LOG_FILE=a\n");
    check_refused("profiler: {log_file: a}\ntracer: {log_file: b}", 2, 20,
                  "tracer.log_file contradicts profiler.log_file in line 1, column 22");
    /* Without a value it is as if the key were not there. */
    check_becomes("enable:\nfeatures: ~\ntracer: {log_file: null, init: ~}", "");
}

static void test_every_option_has_its_name(void)
{
#define DFTRACE_OPTION(field, variable, type, default, effect, help) {#variable, default},
    static const char *const options[][2] = {
#include "dftrace/options.def"
    };
#undef DFTRACE_OPTION
    unsigned refused = 0;

    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        char text[256], lower[64], expected[256];
        struct dft_configuration configuration;
        struct dft_allowlist_error error;

        snprintf(lower, sizeof lower, "%s", options[i][0]);
        for (char *at = lower; *at; at++)
            *at = *at >= 'A' && *at <= 'Z' ? (char)(*at + 'a' - 'A') : *at;
        snprintf(text, sizeof text, "%s: '%s'", lower, options[i][1]);
        if (!parse(text, &configuration, &error)) {
            refused++;
            CHECK_CONTAINS(error.message, "cannot be set in a file");
            continue;
        }
        dft_configuration_free(&configuration);
        snprintf(expected, sizeof expected, "%s=%s\n", options[i][0], options[i][1]);
        check_becomes(text, expected);
        snprintf(text, sizeof text, "options: {%s: '%s'}", lower, options[i][1]);
        check_becomes(text, expected);
        snprintf(text, sizeof text, "options: {DFTRACER_%s: '%s'}", options[i][0], options[i][1]);
        check_becomes(text, expected);
    }
    unit_row = NULL;
    CHECK_INT(refused, 3); /* HOSTED, PRELOAD and CONFIGURATION */
}

/* --- rules --- */

static void test_rules(void)
{
    check_becomes("functions: [main, 'fun:a::*=IO']", "[trace]\nmain\nfun:a::*=IO\n");
    check_becomes("functions:\n  - fun: a::*\n  - src: b/\n", "[trace]\nfun:a::*\nsrc:b/\n");
    check_becomes("functions:\n  trace: [a]\n  never: ['*b']\n  args: [c !d]\n",
                  "[trace]\na\n[never]\n*b\n[args]\nc !d\n");
    /* Without `functions`, the sections select none. */
    check_becomes("never: [a]", "[never]\na\n[trace]\n*\n");
    check_becomes("sample: [a]\nargs: [b]\naggregate: [c]",
                  "[sample]\na\n[args]\nb\n[aggregate]\nc\n[trace]\n*\n");
    check_becomes("functions: [a]\nnever: [b]", "[trace]\na\n[never]\nb\n");
    /* Two of these names are options as well. */
    check_becomes("sample: alloc\naggregate: all", "SAMPLE=alloc\nAGGREGATE=all\n");
    check_becomes("options: {aggregate: [a, 'f(int, char)']}", "AGGREGATE=a,f(int, char)\n");
    check_becomes("functions: &a [f]\nargs: *a", "[trace]\nf\n[args]\nf\n");
}

static void test_rules_have_the_lines_of_the_file(void)
{
    static const char text[] = "enable: 1\nfunctions:\n  - a\n\n  - b\nnever:\n  - c\n";
    static const unsigned lines[] = {3, 5, 7};
    struct dft_configuration configuration;
    struct dft_allowlist_error error;

    unit_row = NULL;
    if (!CHECK(parse(text, &configuration, &error)))
        return;
    struct dft_allowlist *list = dft_configuration_allowlist(&configuration);
    if (CHECK(list) && CHECK_INT(dft_allowlist_count(list), 3))
        for (size_t i = 0; i < 3; i++)
            CHECK_INT(dft_allowlist_rule(list, i)->line, lines[i]);
    dft_allowlist_free(list);
    dft_configuration_free(&configuration);
}

static void test_rules_that_are_refused(void)
{
    check_refused("functions: allow.txt", 1, 12, "a list of rules, or a map of sections");
    check_refused("functions: []", 1, 12, "at least one rule");
    check_refused("functions: {}", 1, 12, "at least one");
    check_refused("functions: {nevr: [a]}", 1, 13, "did you mean never?");
    check_refused("functions: {never: [a]}", 1, 20, "[never] rules only");
    check_refused("functions:\n  - func:a\n", 2, 5, "did you mean fun:?");
    check_refused("functions:\n  - 'a['\n", 2, 7, "class that is not closed");
    check_refused("functions:\n  - \"gr\xc3\xb6[\"\n", 2, 10, "class that is not closed");
    check_refused("functions:\n  - '[never]'\n", 2, 5, "sections are keys");
    check_refused("functions:\n  - [a-z]*\n", 2, 11, "");
    check_refused("functions:\n  - [a]\n", 2, 5, "quote a rule that begins with [");
    check_refused("functions:\n  - a: b\n", 2, 5, "quote a rule that contains ': '");
    check_refused("functions:\n  - '# a'\n", 2, 5, "expected a rule");
    check_refused("functions: [\"a\\nb\"]", 1, 13, "a rule in one line");
    check_refused("functions: [*::a]", 1, 14, "quote a text that begins with *");
    check_refused("functions: [*a]", 1, 13, "quote a text that begins with *");
    check_refused("never: a", 1, 8, "expected a list of rules");
    check_refused("sample: {a: b}", 1, 9, "expected a value or a list of rules");
    check_refused("allowlist: a\nfunctions: [b]", 1, 12, "line 2 has rules as well");
}

/* --- errors --- */

static void test_keys_that_are_refused(void)
{
    check_refused("enable: 1\nmin_duraton: 10us", 2, 1, "did you mean 'min_duration'?");
    check_refused("trace_interval_m: 5", 1, 1, "did you mean 'trace_interval_ms'?");
    check_refused("tracer: {logfile: a}", 1, 10, "in tracer; did you mean 'log_file'?");
    check_refused("features:\n  io:\n    posx: 1", 3, 5, "in features.io; did you mean 'posix'?");
    check_refused("compression: 1", 1, 1, "did you mean 'tracer.compression'?");
    check_refused("papi: {enable: 1}", 1, 1, "did you mean 'features.papi'?");
    check_refused("tracer: {budget: 3}", 1, 10, "options are keys at the top");
    check_refused("options: {functions: [a]}", 1, 11, "unknown key 'functions' in options");
    check_refused("hosted: 1", 1, 1, "cannot be set in a file");
    check_refused("configuration: a", 1, 1, "cannot be set in a file");
    check_refused("nothing_like_it: 1", 1, 1, "`dftrace options` lists the options");
    check_refused("enable: 1\nbudget: 3\nenable: 1", 3, 1, "which line 1, column 1 has already");
    check_refused("tracer: {init: a, init: a}", 1, 19, "which line 1, column 10 has already");
    check_refused("? [a]\n: b", 1, 3, "found a list as a key");
    check_refused("? {a: b}\n: b", 1, 3, "found a map as a key");
}

static void test_values_that_are_refused(void)
{
    check_refused("min_duration: 10", 1, 15, "'10': expected a time, as 500ns, 10us, 2.5ms or 1s");
    check_refused("gr\xc3\xb6: 1", 1, 1, "unknown key 'gr\xc3\xb6'");
    check_refused("{log_file: gr\xc3\xb6\xc3\x9f, budget: x}", 1, 28, "budget: 'x': expected 0");
    check_refused("features: {tid: maybe}", 1, 17, "expected true or false");
    check_refused("log_file: [a]", 1, 11, "found a list; expected a value");
    check_refused("log_file: {a: b}", 1, 11, "found a map; expected a value");
    check_refused("tracer: x", 1, 9, "tracer: found a value; expected a map of keys");
    check_refused("options: [a]", 1, 10, "found a list; expected a map of options");
    check_refused("tracer: {data_dirs: [[a]]}", 1, 22, "found a list; expected a value");
    check_refused("aggregate: al", 1, 12, "expected none, all, or patterns");
    check_refused("aggregate: a,b[", 1, 12, "in pattern 2");
    check_refused("log_file: \"a\\nb\"", 1, 11, "several lines");
    check_refused("log_file: \"a\\0b\"", 1, 11, "NUL");
    check_refused("enable: !yes 1", 1, 9, "found the tag '!yes'");
    check_becomes("enable: !!bool yes", "ENABLE=yes\n");
}

static void test_text_that_is_refused(void)
{
    check_refused("", 0, 0, "no keys");
    check_refused("# nothing\n", 0, 0, "no keys");
    check_refused("---\n", 2, 1, "expected a map of keys");
    check_refused("[]", 1, 1, "found a list; expected a map of keys");
    check_refused("enable", 1, 1, "found a value; expected a map of keys");
    check_refused("enable: 1\n---\nenable: 1\n", 2, 1, "a second document");
    check_refused("tracer:\n\tlog_file: a\n", 2, 1, "indent by spaces, not by tabs");
    check_refused("log_file: a: b\n", 1, 12, "quote a text that contains ': '");
    check_refused("enable: 1\nlog_file: gr\xff\n", 2, 13, "invalid leading UTF-8 octet");
    check_refused("enable: \x01", 1, 9, "control characters are not allowed");
    check_refused("enable: [", 2, 1, "malformed YAML");
    check_refused("enable: 1\ntracer: {init: FUNCTION\n", 3, 1, "malformed YAML");
    check_refused("\xff\xfe"
                  "a\0:\0",
                  1, 1, "invalid leading UTF-8 octet");
    check_becomes("\xef\xbb\xbf"
                  "enable: 1\r\nmax_depth: 3\r\n",
                  "ENABLE=1\nMAX_DEPTH=3\n");
    check_becomes("%YAML 1.1\n---\nenable: 1\n...\n", "ENABLE=1\n");
}

/* None of these may take more than a moment, or much memory. */
static void test_bombs(void)
{
    static const struct {
        const char *begin;
        const char *repeated;
        const char *message;
    } rows[] = {
        {"a: ", "[", "more than 16 levels"},        {"a: ", "{a: ", "more than 16 levels"},
        {"", "- ", "more than 16 levels"},          {"", "? ", "more than 16 levels"},
        {"a: [", "&b c, ", "more than 64 anchors"}, {"", "&a ", "malformed YAML"},
        {"enable: ", "!!str ", "malformed YAML"},   {"log_file: \"", "\\0", "malformed YAML"},
        {"functions: [", "a,", "malformed YAML"},   {"enable: 1\n", "\n# a", NULL},
    };
    const size_t size = (size_t)1 << 20;
    char *text = malloc(size + 16);

    for (size_t i = 0; i < sizeof rows / sizeof *rows && text; i++) {
        struct dft_configuration configuration;
        struct dft_allowlist_error error = {0};
        size_t length = (size_t)snprintf(text, size, "%s", rows[i].begin);

        unit_row = rows[i].repeated;
        for (size_t more = strlen(rows[i].repeated); length + more < size; length += more)
            memcpy(text + length, rows[i].repeated, more);
        bool done = dft_configuration_parse(text, length, &configuration, &error);
        CHECK(done == (rows[i].message == NULL));
        if (done)
            dft_configuration_free(&configuration);
        else if (rows[i].message)
            CHECK_CONTAINS(error.message, rows[i].message);
    }
    free(text);
}

static void test_keys_without_number(void)
{
    char text[16384];
    size_t length = 0;

    for (int i = 0; i < 300; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "key%d: ~\n", i);
    check_refused(text, 257, 1, "more than 256 keys");
}

/* An alias repeats rules, but not without a limit. */
static void test_aliases_repeat_rules(void)
{
    const size_t size = (size_t)1 << 20;
    char *text = malloc(size);
    size_t length = (size_t)snprintf(text, size, "functions: &a\n");
    struct dft_configuration configuration;
    struct dft_allowlist_error error = {0};

    unit_row = NULL;
    while (text && length < size - 2000)
        length += (size_t)snprintf(text + length, size - length, "- f%0*d\n", 1000, 0);
    length += (size_t)snprintf(text + length, size - length,
                               "never: *a\nargs: *a\nsample: *a\naggregate: *a\n");
    CHECK(!dft_configuration_parse(text, length, &configuration, &error));
    CHECK_CONTAINS(error.message, "more than 4 MiB of rules");
    free(text);
}

/* --- what is accepted without effect --- */

static void test_what_is_missing(void)
{
    static const struct {
        const char *text;
        const char *warning; /* NULL: none */
        const char *ignored; /* NULL: none */
    } rows[] = {
        {"tracer: {init: FUNCTION}", NULL, NULL},
        {"tracer: {init: PRELOAD, data_dirs: [/a]}\nfeatures: {io: {posix: 0}}", NULL, NULL},
        {"tracer: {time_metric: us}", NULL, "tracer.time_metric (line 1)"},
        {"tracer: {time_metric: NS}", "microseconds", NULL},
        {"features: {papi: {enable: true}}", "hardware counters", NULL},
        {"features: {papi: {enable: no}}", NULL, "features.papi.enable (line 1)"},
        {"features: {variorum: {enable: true}}", "power", NULL},
        {"features: {variorum: {enable: 0}}", NULL, "features.variorum.enable (line 1)"},
        {"features: {aggregation: {type: SELECTIVE}}", "all functions are aggregated", NULL},
        {"features: {aggregation: {file: a}}", "not read", NULL},
        {"internal: {throw_error: true}", "does not end the program", NULL},
        {"gotcha: {priority: 3}\n\ntracer: {libuv_threads: 2}", NULL,
         "gotcha.priority (line 1), tracer.libuv_threads (line 3)"},
        {"features: {tid: false, metadata: true}\nbudget: 3%", NULL, NULL},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dft_configuration configuration;
        struct dft_allowlist_error error;
        char ignored[256];

        unit_row = rows[i].text;
        if (!CHECK(parse(rows[i].text, &configuration, &error)))
            continue;
        CHECK(dft_configuration_list_ignored(&configuration, ignored, sizeof ignored) ==
              (rows[i].ignored != NULL));
        CHECK_TEXT(ignored, rows[i].ignored ? rows[i].ignored : "");
        const char *warning = configuration.settings[0].warning;
        CHECK((warning != NULL) == (rows[i].warning != NULL));
        if (rows[i].warning)
            CHECK_CONTAINS(warning, rows[i].warning);
        dft_configuration_free(&configuration);
    }
}

int main(void)
{
    test_keys_of_dftracer();
    test_every_option_has_its_name();
    test_rules();
    test_rules_have_the_lines_of_the_file();
    test_rules_that_are_refused();
    test_keys_that_are_refused();
    test_values_that_are_refused();
    test_text_that_is_refused();
    test_bombs();
    test_keys_without_number();
    test_aliases_repeat_rules();
    test_what_is_missing();
    return unit_result();
}
