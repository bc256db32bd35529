/*
 * Command lines of the tool: how flags, their values and other words are told apart, and what the
 * messages and --help say. Output goes to files, which are read back.
 */
#include "tool/base/flags.h"
#include "tool/base/tool.h"
#include "unit.h"

#include <fcntl.h>
#include <unistd.h>

static const struct dft_flag flags[] = {
    {"--sort", "KEY", "the order\nof the rows"},
    {"--json", NULL, "as JSON"},
    {0},
};

static const struct dft_help help = {
    .command = "report",
    .synopsis = "[OPTIONS] TRACE",
    .text = "Shows a trace.",
    .flags = flags,
    .notes = "A note.",
};

#define WORDS_MAX 8

/* What was read from a command line, in order: "w:TRACE", "0:KEY", "1:", "end", "help", "wrong". */
static void read_line(const char *line, char *found, size_t size)
{
    char copy[256];
    char *words[WORDS_MAX] = {"report"};
    struct dft_flags state = {.usage = &help, .argc = 1, .argv = words};

    snprintf(copy, sizeof copy, "%s", line);
    for (char *word = strtok(copy, " "); word && state.argc < WORDS_MAX; word = strtok(NULL, " "))
        words[state.argc++] = word;
    found[0] = '\0';
    for (;;) {
        size_t used = strlen(found);

        switch (dft_flags_next(&state)) {
        case DFT_FLAG_WORD:
            snprintf(found + used, size - used, "w:%s ", state.value);
            continue;
        case DFT_FLAG_FOUND:
            snprintf(found + used, size - used, "%zu:%s ", state.index,
                     state.value ? state.value : "");
            continue;
        case DFT_FLAG_END:
            snprintf(found + used, size - used, "end");
            return;
        case DFT_FLAG_HELP:
            snprintf(found + used, size - used, "help");
            return;
        case DFT_FLAG_WRONG:
            snprintf(found + used, size - used, "wrong");
            return;
        }
    }
}

/* The same, and what was printed to `fd`. */
static void read_printed(const char *line, int fd, FILE *stream, char *found, char *printed,
                         size_t size)
{
    FILE *file = tmpfile();
    int saved = dup(fd);

    fflush(stream);
    dup2(fileno(file), fd);
    read_line(line, found, size);
    fflush(stream);
    dup2(saved, fd);
    close(saved);
    rewind(file);
    printed[fread(printed, 1, size - 1, file)] = '\0';
    fclose(file);
}

static void flags_and_words_may_be_mixed(void)
{
    static const struct {
        const char *line;
        const char *found;
    } rows[] = {
        {"", "end"},
        {"a b", "w:a w:b end"},
        {"a --json b", "w:a 1: w:b end"},
        {"--sort self a", "0:self w:a end"},
        {"--sort=self a", "0:self w:a end"},
        {"--sort= a", "0: w:a end"},
        {"--sort --json", "0:--json end"},
        {"--json -- --json -x", "1: w:--json w:-x end"},
        {"-", "w:- end"},
    };
    char found[256];

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        unit_row = rows[i].line;
        read_line(rows[i].line, found, sizeof found);
        CHECK_TEXT(found, rows[i].found);
    }
    unit_row = NULL;
}

static void mistakes_are_explained(void)
{
    static const struct {
        const char *line;
        const char *message;
    } rows[] = {
        {"--sotr x", "dftrace: report: unknown option '--sotr', did you mean '--sort'? see dftrace "
                     "report --help\n"},
        {"--zzzzzzz", "dftrace: report: unknown option '--zzzzzzz'; see dftrace report --help\n"},
        {"--sort",
         "dftrace: report: --sort needs a value: --sort KEY; see dftrace report --help\n"},
        {"--json=1", "dftrace: report: --json takes no value; see dftrace report --help\n"},
    };
    char found[1024], printed[1024];

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        unit_row = rows[i].line;
        read_printed(rows[i].line, STDERR_FILENO, stderr, found, printed, sizeof printed);
        CHECK_TEXT(found, "wrong");
        CHECK_TEXT(printed, rows[i].message);
    }
    unit_row = NULL;
}

static void help_lists_every_flag(void)
{
    char found[1024], printed[1024];

    read_printed("a --help", STDOUT_FILENO, stdout, found, printed, sizeof printed);
    CHECK_TEXT(found, "w:a help");
    CHECK_TEXT(printed, "usage: dftrace report [OPTIONS] TRACE\n\nShows a trace.\n\n"
                        "  --sort KEY  the order\n"
                        "              of the rows\n"
                        "  --json      as JSON\n"
                        "  --help      this text\n\nA note.\n");
}

int main(void)
{
    flags_and_words_may_be_mixed();
    mistakes_are_explained();
    help_lists_every_flag();
    return unit_result();
}
