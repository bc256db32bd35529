/*
 * Parses the values of options. Any thread; reads only its arguments, prints nothing and allocates
 * nothing. Compiled into the runtime and into the tool.
 */
#include "runtime/base/option_values.h"

#include "text/edit_distance.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Each parser returns NULL, or a text that says what it expected instead. */
const char *dft_option_parse_BOOL(const char *value, bool *result)
{
    static const char *const words[2][5] = {{"0", "false", "no", "off", ""},
                                            {"1", "true", "yes", "on", "1"}};

    for (int truth = 0; truth < 2; truth++)
        for (int i = 0; i < 5; i++)
            if (strcasecmp(value, words[truth][i]) == 0) {
                *result = truth;
                return NULL;
            }
    return "0 or 1";
}

const char *dft_option_parse_INT(const char *value, int64_t *result)
{
    char *end;

    errno = 0;
    int64_t number = strtoll(value, &end, 10);
    if (end == value || *end || errno || number < 0)
        return "a whole number";
    *result = number;
    return NULL;
}

const char *dft_option_parse_SIZE(const char *value, uint64_t *result)
{
    static const char expected[] = "a number of bytes, or one with k, M or G behind it";
    char *end;
    unsigned shift = 0;

    errno = 0;
    uint64_t number = strtoull(value, &end, 10);
    if (end == value || errno || !isdigit((unsigned char)*value))
        return expected;
    switch (tolower((unsigned char)*end)) {
    case 'k':
        shift = 10;
        break;
    case 'm':
        shift = 20;
        break;
    case 'g':
        shift = 30;
        break;
    default:
        break;
    }
    if (shift)
        end++;
    if (strcasecmp(end, "iB") == 0 || strcasecmp(end, "B") == 0)
        end += strlen(end);
    if (*end || number == 0 || number > UINT64_MAX >> shift >> 1)
        return expected;
    *result = number << shift;
    return NULL;
}

static const char *parse_TEXT(const char *value, const char **result)
{
    if (!*value)
        return "a text that is not empty";
    *result = value;
    return NULL;
}

static const char *parse_PATH(const char *value, const char **result)
{
    *result = NULL;
    return *value ? parse_TEXT(value, result) : NULL;
}

static const char *parse_ENABLE(const char *value, enum dft_enable *result)
{
    bool truth;

    if (strcasecmp(value, "attach") == 0)
        *result = DFT_ENABLE_ATTACH;
    else if (!dft_option_parse_BOOL(value, &truth))
        *result = truth ? DFT_ENABLE_NOW : DFT_ENABLE_NOT;
    else
        return "0, 1 or attach";
    return NULL;
}

static const char *parse_START(const char *value, enum dft_start *result)
{
    if (strcasecmp(value, "running") == 0)
        *result = DFT_START_RUNNING;
    else if (strcasecmp(value, "paused") == 0)
        *result = DFT_START_PAUSED;
    else
        return "running or paused";
    return NULL;
}

static const char *parse_LEVEL(const char *value, enum dft_level *result)
{
    static const char *const names[] = {"TRACE", "DEBUG", "INFO", "WARN", "ERROR", "CRITICAL"};

    for (int i = 0; i <= DFT_LEVEL_CRITICAL; i++)
        if (strcasecmp(value, names[i]) == 0) {
            *result = (enum dft_level)i;
            return NULL;
        }
    return "TRACE, DEBUG, INFO, WARN, ERROR or CRITICAL";
}

static const char *parse_FULL(const char *value, enum dft_when_full *result)
{
    if (strcasecmp(value, "block") == 0)
        *result = DFT_WHEN_FULL_BLOCK;
    else if (strcasecmp(value, "drop") == 0)
        *result = DFT_WHEN_FULL_DROP;
    else
        return "block or drop";
    return NULL;
}

static const char *parse_FORMAT(const char *value, enum dft_trace_format *result)
{
#define NAME(constant, name) #name,
    static const char *const names[] = {DFT_TRACE_FORMATS(NAME)};
#undef NAME

    for (unsigned i = 0; i < DFT_FORMATS; i++)
        if (strcasecmp(value, names[i]) == 0) {
            *result = (enum dft_trace_format)i;
            return NULL;
        }
#define NAME(constant, name) " " #name
    return "one of:" DFT_TRACE_FORMATS(NAME);
#undef NAME
}

static const char *parse_INIT(const char *value, enum dft_init *result)
{
    if (strcasecmp(value, "FUNCTION") == 0)
        *result = DFT_INIT_FUNCTION;
    else if (strcasecmp(value, "PRELOAD") == 0)
        *result = DFT_INIT_PRELOAD;
    else if (strcasecmp(value, "HYBRID") == 0)
        *result = DFT_INIT_HYBRID;
    else
        return "FUNCTION, PRELOAD or HYBRID";
    return NULL;
}

static const char *parse_PYTHON(const char *value, enum dft_python *result)
{
    static const char *const names[] = {[DFT_PYTHON_AUTO] = "auto",
                                        [DFT_PYTHON_REWRITE] = "rewrite",
                                        [DFT_PYTHON_MONITOR] = "monitor",
                                        [DFT_PYTHON_OFF] = "off"};

    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (strcasecmp(value, names[i]) == 0) {
            *result = (enum dft_python)i;
            return NULL;
        }
    return "auto, rewrite, monitor or off";
}

static const char *parse_SAMPLE(const char *value, enum dft_sampling *result)
{
    if (strcasecmp(value, "usage") == 0)
        *result = DFT_SAMPLING_USAGE;
    else if (strcasecmp(value, "alloc") == 0)
        *result = DFT_SAMPLING_ALLOC;
    else
        return "usage or alloc";
    return NULL;
}

/*
 * Parses a number into thousandths and drops further decimals. False if it is no number, too large,
 * or so small that it would become 0.
 */
static bool parse_thousandths(const char *value, char **end, uint64_t *result)
{
    uint64_t scale = 1000;
    bool cut = false;

    if (!isdigit((unsigned char)*value))
        return false;
    errno = 0;
    uint64_t number = strtoull(value, end, 10);
    if (errno || number > UINT64_MAX / 1000 / 1000000000u)
        return false;
    number *= 1000;
    if (**end == '.')
        while (isdigit((unsigned char)*++*end)) {
            scale /= 10;
            number += (uint64_t)(**end - '0') * scale;
            cut |= scale == 0 && **end != '0';
        }
    *result = number;
    return number || !cut;
}

static const char *parse_TIME(const char *value, uint64_t *result)
{
    static const char expected[] = "a time, as 500ns, 10us, 2.5ms or 1s";
    static const struct {
        const char *name;
        uint64_t ns;
    } units[] = {{"ns", 1}, {"us", 1000}, {"µs", 1000}, {"ms", 1000000}, {"s", 1000000000}};
    uint64_t thousandths;
    char *end;

    if (!parse_thousandths(value, &end, &thousandths))
        return expected;
    if (*end == '\0' && thousandths == 0) {
        *result = 0;
        return NULL;
    }
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcasecmp(end, units[i].name) == 0) {
            *result = thousandths * units[i].ns / 1000;
            return thousandths && *result == 0 ? expected : NULL;
        }
    return expected;
}

/* The result is in thousandths of a percent. */
static const char *parse_PERCENT(const char *value, uint32_t *result)
{
    uint64_t thousandths;
    char *end;

    if (!parse_thousandths(value, &end, &thousandths) || thousandths > 100 * 1000 ||
        strcmp(end + (*end == '%'), "") != 0)
        return "0, or a share of the processor time from 0.001% to 100%, as 3% or 0.5%";
    *result = (uint32_t)thousandths;
    return NULL;
}

/*
 * Whether the value is one edit away from the word and has the same first letter, as "al" for
 * "all".
 */
static bool is_nearly(const char *value, const char *word)
{
    return tolower((unsigned char)*value) == *word &&
           value[strspn(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")] == '\0' &&
           dft_edit_distance(value, strlen(value), word, strlen(word)) == 1;
}

static const char *parse_WHICH(const char *value, struct dft_which *result)
{
    struct dft_which which = {0};

    if (strcasecmp(value, "all") == 0)
        which.all = true;
    else if (strcasecmp(value, "none") == 0)
        which.all = false;
    else if (!dft_option_parse_BOOL(value, &which.all))
        which.patterns = NULL;
    else if (is_nearly(value, "all") || is_nearly(value, "none"))
        return "none, all, or patterns of functions joined by commas (fun:NAME for a function "
               "with such a name)";
    else
        which.patterns = value;
    *result = which;
    return NULL;
}

/* The table selects the parser of an option by the option's type. */
#define parse_BOOL dft_option_parse_BOOL
#define parse_INT dft_option_parse_INT
#define parse_SIZE dft_option_parse_SIZE

void dft_option_set_defaults(struct dft_options *options)
{
#define DFTRACE_OPTION(field, variable, type, default, effect, help)                               \
    parse_##type(default, &options->field);
#include "dftrace/options.def"
#undef DFTRACE_OPTION
}

/* One constant for each option of the table, named after its environment variable. */
enum option {
#define DFTRACE_OPTION(field, variable, type, default, effect, help) OPTION_##variable,
#include "dftrace/options.def"
#undef DFTRACE_OPTION
    OPTION_COUNT
};

static const struct {
    const char *name;
    const char *initial;
} table[OPTION_COUNT] = {
#define DFTRACE_OPTION(field, variable, type, default, effect, help) {#variable, default},
#include "dftrace/options.def"
#undef DFTRACE_OPTION
};

/* The values of options without effect are not checked. */
#define CHECK_USED(call) call
#define CHECK_IGNORED(call) NULL

static const char *parse_option(struct dft_options *options, size_t number, const char *value)
{
    switch ((enum option)number) {
#define DFTRACE_OPTION(field, variable, type, default, effect, help)                               \
    case OPTION_##variable:                                                                        \
        return CHECK_##effect(parse_##type(value, &options->field));
#include "dftrace/options.def"
#undef DFTRACE_OPTION
    case OPTION_COUNT:
        break;
    }
    return NULL;
}

static const char *find_nearest(const char *name, size_t length)
{
    const char *nearest = NULL;
    unsigned least = 4;

    for (size_t i = 0; i < OPTION_COUNT; i++) {
        unsigned edits = dft_edit_distance(name, length, table[i].name, strlen(table[i].name));
        if (edits < least) {
            least = edits;
            nearest = table[i].name;
        }
    }
    return nearest;
}

bool dft_option_is_known(const char *name, size_t name_length)
{
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (strlen(table[i].name) == name_length && memcmp(table[i].name, name, name_length) == 0)
            return true;
    return false;
}

bool dft_option_set(struct dft_options *options, const char *name, size_t name_length,
                    const char *value, struct dft_option_problem *problem)
{
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (strlen(table[i].name) == name_length && memcmp(table[i].name, name, name_length) == 0) {
            *problem = (struct dft_option_problem){
                .expected = parse_option(options, i, value),
                .initial = table[i].initial,
            };
            return !problem->expected;
        }
    *problem = (struct dft_option_problem){.nearest = find_nearest(name, name_length)};
    return false;
}
