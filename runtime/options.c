/*
 * Options from the environment. Runs once, in the constructor of the library; the only place in the
 * runtime that looks at the environment.
 */
#include "runtime/options.h"
#include "runtime/log.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/auxv.h>

#define PREFIX "DFTRACER_"

struct dft_options dft_options;
struct dft_rank dft_rank = {.rank = -1};

extern char **environ;

/* Each parser returns what it expected where the value is not that, or NULL. */
static const char *parse_BOOL(const char *value, bool *result)
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

static const char *parse_INT(const char *value, int64_t *result)
{
    char *end;

    errno = 0;
    int64_t number = strtoll(value, &end, 10);
    if (end == value || *end || errno || number < 0)
        return "a whole number";
    *result = number;
    return NULL;
}

static const char *parse_SIZE(const char *value, uint64_t *result)
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

/* A copy: programs overwrite their environment, and forked children read the options later. */
static const char *parse_TEXT(const char *value, const char **result)
{
    static char copies[4 * PATH_MAX];
    static size_t used;
    size_t size = strlen(value) + 1;

    if (size == 1)
        return "a text that is not empty";
    *result = value;
    if (size <= sizeof copies - used) {
        *result = memcpy(copies + used, value, size);
        used += size;
    }
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
    else if (!parse_BOOL(value, &truth))
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
 * A number in thousandths, further decimals cut off; false where it is none, or too large, or so
 * small that nothing would be left of it.
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

/* In thousandths of a percent. */
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

static const char *parse_WHICH(const char *value, struct dft_which *result)
{
    bool truth;

    *result = (struct dft_which){0};
    if (strcasecmp(value, "all") == 0)
        result->all = true;
    else if (strcasecmp(value, "none") == 0)
        return NULL;
    else if (!parse_BOOL(value, &truth))
        result->all = truth;
    else
        return parse_TEXT(value, &result->patterns);
    return NULL;
}

static void set_defaults(void)
{
#define DFTRACE_OPTION(field, variable, type, default, effect, help)                               \
    parse_##type(default, &dft_options.field);
#include "dftrace/options.def"
#undef DFTRACE_OPTION
}

static void read_values(void)
{
    const char *value, *expected;

    /* The level first: it decides which of the messages below are seen. */
    if ((value = getenv(PREFIX "LOG_LEVEL")))
        parse_LEVEL(value, &dft_options.log_level);
#define DFTRACE_OPTION(field, variable, type, default, effect, help)                               \
    if ((value = getenv(PREFIX #variable)) &&                                                      \
        (expected = parse_##type(value, &dft_options.field)))                                      \
        dft_log(DFT_LEVEL_ERROR, PREFIX #variable "='%s': expected %s; using '%s'", value,         \
                expected, default);
#include "dftrace/options.def"
#undef DFTRACE_OPTION
}

static const char *const known[] = {
#define DFTRACE_OPTION(field, variable, type, default, effect, help) #variable,
#include "dftrace/options.def"
#undef DFTRACE_OPTION
};

/* Edits from one name to the other; long names count as far apart. */
static unsigned distance(const char *a, size_t a_length, const char *b)
{
    enum { MOST = 40 };
    unsigned row[MOST + 1];
    size_t b_length = strlen(b);

    if (a_length > MOST || b_length > MOST)
        return MOST;
    for (unsigned j = 0; j <= b_length; j++)
        row[j] = j;
    for (unsigned i = 1; i <= a_length; i++) {
        unsigned diagonal = row[0];
        row[0] = i;
        for (unsigned j = 1; j <= b_length; j++) {
            unsigned change = diagonal + (a[i - 1] != b[j - 1]);
            unsigned shift = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            diagonal = row[j];
            row[j] = change < shift ? change : shift;
        }
    }
    return row[b_length];
}

static void warn_of_unknown(const char *name, size_t length)
{
    const char *nearest = NULL;
    unsigned least = 4;

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strlen(known[i]) == length && memcmp(known[i], name, length) == 0)
            return;
        unsigned d = distance(name, length, known[i]);
        if (d < least) {
            least = d;
            nearest = known[i];
        }
    }
    if (nearest)
        dft_log(DFT_LEVEL_WARN, "unknown option " PREFIX "%.*s; did you mean " PREFIX "%s?",
                (int)length, name, nearest);
    else
        dft_log(DFT_LEVEL_WARN, "unknown option " PREFIX "%.*s; `dftrace options` lists all",
                (int)length, name);
}

/* What is set by the library that runs comes before what is set by the batch system. */
static void read_rank(void)
{
    static const char *const names[][2] = {
        {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
        {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},
        {"PMI_RANK", "PMI_SIZE"},
        {"PALS_RANKID", "PALS_SIZE"},
        {"FLUX_TASK_RANK", "FLUX_JOB_SIZE"},
        {"PMIX_RANK", "SLURM_NTASKS"},
        {"SLURM_PROCID", "SLURM_NTASKS"},
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *rank = getenv(names[i][0]), *size = getenv(names[i][1]);
        if (!rank || parse_INT(rank, &dft_rank.rank))
            continue;
        if (size)
            parse_INT(size, &dft_rank.size);
        return;
    }
}

/*
 * Letter by letter, as part of the code: a program that is not traced should not have to load the
 * pages in which the texts are.
 */
static inline bool begins_with_prefix(const char *entry)
{
    return entry[0] == 'D' && entry[1] == 'F' && entry[2] == 'T' && entry[3] == 'R' &&
           entry[4] == 'A' && entry[5] == 'C' && entry[6] == 'E' && entry[7] == 'R' &&
           entry[8] == '_';
}

static inline bool is_disabled(const char *value)
{
    return value[0] == 'E' && value[1] == 'N' && value[2] == 'A' && value[3] == 'B' &&
           value[4] == 'L' && value[5] == 'E' && value[6] == '=' && value[7] == '0' &&
           value[8] == '\0';
}

bool dft_options_are_set(void)
{
    if (getauxval(AT_SECURE))
        return false;
    for (char **entry = environ; entry && *entry; entry++)
        if (begins_with_prefix(*entry) && !is_disabled(*entry + sizeof PREFIX - 1))
            return true;
    return false;
}

void dft_options_read(void)
{
    set_defaults();
    read_values();
    if (dft_options.enable_aggregation && !dft_options.aggregate.patterns)
        dft_options.aggregate.all = true;
    read_rank();
    for (char **entry = environ; entry && *entry; entry++) {
        const char *equals = strchr(*entry, '=');
        if (equals && begins_with_prefix(*entry))
            warn_of_unknown(*entry + sizeof PREFIX - 1,
                            (size_t)(equals - *entry) - (sizeof PREFIX - 1));
    }
}
