/*
 * Reads the options from the environment. Runs once, in a constructor. This is the only place in
 * the runtime that reads the environment.
 */
#include "runtime/base/options.h"
#include "runtime/base/config_file.h"
#include "runtime/base/log.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#define PREFIX "DFTRACER_"
#define MISSPELLED "DFTRACE_"

struct dft_options dft_options;
struct dft_rank dft_rank = {.rank = -1};

extern char **environ;

/* A copy; NULL if there is no room for it. */
static const char *keep_text(const char *text, size_t length)
{
    static char copies[4 * PATH_MAX];
    static size_t used;
    char *copy = copies + used;

    if (length >= sizeof copies - used)
        return NULL;
    memcpy(copy, text, length);
    copy[length] = '\0';
    used += length + 1;
    return copy;
}

/* Copies a value: programs overwrite their environment, and forked children read options later. */
static const char *keep(const char *value)
{
    const char *copy = keep_text(value, strlen(value));

    return copy ? copy : value;
}

static bool is_log_file_given;

static void set_option(const char *name, size_t name_length, const char *value)
{
    static const char log_file[] = "LOG_FILE";
    struct dft_option_problem problem;

    if (name_length == sizeof log_file - 1 && memcmp(name, log_file, name_length) == 0)
        is_log_file_given = true;
    if (dft_option_set(&dft_options, name, name_length, value, &problem))
        return;
    if (problem.expected)
        dft_log(DFT_LEVEL_ERROR, PREFIX "%.*s='%s': expected %s; using '%s'", (int)name_length,
                name, value, problem.expected, problem.initial);
    else if (problem.nearest)
        dft_log(DFT_LEVEL_ERROR, "unknown option " PREFIX "%.*s; did you mean " PREFIX "%s?",
                (int)name_length, name, problem.nearest);
    else
        dft_log(DFT_LEVEL_ERROR, "unknown option " PREFIX "%.*s; `dftrace options` lists all",
                (int)name_length, name);
}

/*
 * Compares letter by letter, in code: an untraced program should not load the page that contains
 * the string constants.
 */
static inline bool begins_as_prefix(const char *entry)
{
    return entry[0] == 'D' && entry[1] == 'F' && entry[2] == 'T' && entry[3] == 'R' &&
           entry[4] == 'A' && entry[5] == 'C' && entry[6] == 'E';
}

static inline bool begins_with_prefix(const char *entry)
{
    return begins_as_prefix(entry) && entry[7] == 'R' && entry[8] == '_';
}

/* Sets an option from the configuration file, over which the environment takes precedence. */
static bool set_from_file(const char *name, size_t name_length, const char *value)
{
    for (char **entry = environ; entry && *entry; entry++)
        if (begins_with_prefix(*entry) &&
            strncmp(*entry + sizeof PREFIX - 1, name, name_length) == 0 &&
            (*entry)[sizeof PREFIX - 1 + name_length] == '=')
            return false;
    set_option(name, name_length, value);
    return true;
}

/* Returns false if there is a configuration file and it is refused. */
static bool read_configuration(void)
{
    const char *path = getenv(PREFIX "CONFIGURATION"), *enable = getenv(PREFIX "ENABLE");
    bool truth;

    if (!path || !*path || (enable && !dft_option_parse_BOOL(enable, &truth) && !truth))
        return true;
    bool done = dft_config_file_read(keep(path), set_from_file);
    if (getenv(PREFIX "ALLOWLIST"))
        dft_config_rules.text = NULL;
    return done;
}

/* The launcher's and the MPI library's variables take precedence over those of the batch system. */
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
        if (!rank || dft_option_parse_INT(rank, &dft_rank.rank))
            continue;
        if (size)
            dft_option_parse_INT(size, &dft_rank.size);
        return;
    }
}

/* Whether a variable that begins with DFTRACE_ would be an option with an R, as DFTRACE_ENABLE. */
static bool is_misspelled(const char *entry)
{
    const char *name = entry + sizeof MISSPELLED - 1;

    return dft_option_is_known(name, strcspn(name, "="));
}

static void report_misspelled(const char *entry)
{
    const char *name = entry + sizeof MISSPELLED - 1;
    int length = (int)strcspn(name, "=");

    dft_log(DFT_LEVEL_ERROR, "unknown option " MISSPELLED "%.*s; did you mean " PREFIX "%.*s?",
            length, name, length, name);
}

static inline bool begins_misspelled(const char *entry)
{
    return begins_as_prefix(entry) && entry[7] == '_';
}

static inline bool is_enable(const char *assignment)
{
    return assignment[0] == 'E' && assignment[1] == 'N' && assignment[2] == 'A' &&
           assignment[3] == 'B' && assignment[4] == 'L' && assignment[5] == 'E' &&
           assignment[6] == '=';
}

static inline bool is_disabled(const char *assignment)
{
    return is_enable(assignment) && assignment[7] == '0' && assignment[8] == '\0';
}

/*
 * Whether there is a reason to read the options. Of misspelled ones, only ENABLE is a reason: other
 * variables may begin with DFTRACE_, and to compare them with all options would take memory.
 */
bool dft_options_are_set(void)
{
    if (getauxval(AT_SECURE))
        return false;
    for (char **entry = environ; entry && *entry; entry++)
        if ((begins_misspelled(*entry) && is_enable(*entry + sizeof MISSPELLED - 1)) ||
            (begins_with_prefix(*entry) && !is_disabled(*entry + sizeof PREFIX - 1)))
            return true;
    return false;
}

void dft_options_read(void)
{
    static const char level[] = "LOG_LEVEL";
    const char *value = getenv(PREFIX "LOG_LEVEL");
    struct dft_option_problem problem;
    size_t count = 0;

    dft_option_set_defaults(&dft_options);
    /* The log level comes first: it decides which of the messages below are shown. */
    if (value)
        dft_option_set(&dft_options, level, sizeof level - 1, value, &problem);
    bool configured = read_configuration();
    while (environ && environ[count])
        count++;
    while (count-- > 0) { /* backwards: the first of two values wins, as with getenv */
        const char *name = environ[count] + sizeof PREFIX - 1;
        const char *equals = strchr(environ[count], '=');
        if (equals && begins_with_prefix(environ[count]))
            set_option(name, (size_t)(equals - name), keep(equals + 1));
        else if (begins_misspelled(environ[count]) && is_misspelled(environ[count]))
            report_misspelled(environ[count]);
    }
    if (dft_options.enable_aggregation && !dft_options.aggregate.patterns)
        dft_options.aggregate.all = true;
    if (!configured) /* parts of it would trace something other than what was asked for */
        dft_options.enable = DFT_ENABLE_NOT;
    read_rank();
}

void dft_options_offer_log_file(const char *prefix, size_t length)
{
    const char *copy = is_log_file_given ? NULL : keep_text(prefix, length);

    if (copy)
        dft_options.log_file = copy;
}
