/*
 * Reads the options from the environment. Runs once, in a constructor. This is the only place in
 * the runtime that reads the environment.
 */
#include "runtime/base/options.h"
#include "runtime/base/log.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#define PREFIX "DFTRACER_"

struct dft_options dft_options;
struct dft_rank dft_rank = {.rank = -1};

extern char **environ;

/* Copies a value: programs overwrite their environment, and forked children read options later. */
static const char *keep(const char *value)
{
    static char copies[4 * PATH_MAX];
    static size_t used;
    size_t size = strlen(value) + 1;

    if (size > sizeof copies - used)
        return value;
    used += size;
    return memcpy(copies + used - size, value, size);
}

static void read_option(const char *name, size_t name_length, const char *value)
{
    struct dft_option_problem problem;

    if (dft_option_set(&dft_options, name, name_length, keep(value), &problem))
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

/*
 * Compares letter by letter, in code: an untraced program should not load the page that contains
 * the string constants.
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
    static const char level[] = "LOG_LEVEL";
    const char *value = getenv(PREFIX "LOG_LEVEL");
    struct dft_option_problem problem;
    size_t count = 0;

    dft_option_set_defaults(&dft_options);
    /* The log level comes first: it decides which of the messages below are shown. */
    if (value)
        dft_option_set(&dft_options, level, sizeof level - 1, value, &problem);
    while (environ && environ[count])
        count++;
    while (count-- > 0) { /* backwards: the first of two values wins, as with getenv */
        const char *name = environ[count] + sizeof PREFIX - 1;
        const char *equals = strchr(environ[count], '=');
        if (equals && begins_with_prefix(environ[count]))
            read_option(name, (size_t)(equals - name), equals + 1);
    }
    if (dft_options.enable_aggregation && !dft_options.aggregate.patterns)
        dft_options.aggregate.all = true;
    read_rank();
}
