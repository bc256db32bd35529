/*
 * dftrace options: lists the environment variables of the runtime, from dftrace/options.def.
 */
#include "tool/base/flags.h"
#include "tool/base/text.h"
#include "tool/base/tool.h"

#include <string.h>

enum option_effect { USED, IGNORED };

struct option {
    const char *variable;
    const char *type;
    const char *initial;
    enum option_effect effect;
    const char *help;
};

static const struct option options[] = {
#define DFTRACE_OPTION(field, VARIABLE, TYPE, initial, effect, help)                               \
    {"DFTRACER_" #VARIABLE, #TYPE, initial, effect, help},
#include "dftrace/options.def"
#undef DFTRACE_OPTION
};

#define OPTION_COUNT (sizeof options / sizeof options[0])

static const struct dft_flag flags[] = {
    {"--json", NULL, "as JSON"},
    {0},
};

static const struct dft_help usage = {
    .command = "options",
    .synopsis = "[--json]",
    .text = "Lists the environment variables that control a traced program: name, type, default,\n"
            "meaning.",
    .flags = flags,
    .notes =
        "BOOL is 0 or 1; SIZE is a number of bytes, k, M or G may follow it; TIME is a number\n"
        "with ns, us, ms or s behind it.",
};

static const char *type_name(const struct option *option)
{
    if (strcmp(option->type, "FULL") == 0)
        return "block|drop";
    if (strcmp(option->type, "ENABLE") == 0)
        return "0|1|attach";
    if (strcmp(option->type, "START") == 0)
        return "running|paused";
    if (strcmp(option->type, "SAMPLE") == 0)
        return "usage|alloc";
    if (strcmp(option->type, "FORMAT") == 0)
        return "json|dftracer";
    if (strcmp(option->type, "WHICH") == 0)
        return "none|all|PATTERNS";
    return option->type;
}

static void print_group(enum option_effect effect)
{
    int name = 0;
    int type = 0;
    int initial = 0;

    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const struct option *option = &options[i];

        if (option->effect != effect)
            continue;
        name = (int)strlen(option->variable) > name ? (int)strlen(option->variable) : name;
        type = (int)strlen(type_name(option)) > type ? (int)strlen(type_name(option)) : type;
        initial = (int)strlen(option->initial) > initial ? (int)strlen(option->initial) : initial;
    }
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const struct option *option = &options[i];

        if (option->effect == effect)
            printf("  %-*s  %-*s  %-*s  %s\n", name, option->variable, type, type_name(option),
                   initial, option->initial, option->help);
    }
}

static void print_text(void)
{
    puts("Environment variables of a traced program: name, type, default, meaning.\n");
    print_group(USED);
    puts("\nAccepted for job scripts written for DFTracer; they do nothing yet:\n");
    print_group(IGNORED);
}

static void print_json(void)
{
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const struct option *option = &options[i];

        fputs(i == 0 ? "[\n{\"name\":" : ",\n{\"name\":", stdout);
        dft_text_print_json(stdout, dft_text(option->variable));
        fputs(",\"type\":", stdout);
        dft_text_print_json(stdout, dft_text(option->type));
        fputs(",\"default\":", stdout);
        dft_text_print_json(stdout, dft_text(option->initial));
        printf(",\"used\":%s,\"help\":", option->effect == USED ? "true" : "false");
        dft_text_print_json(stdout, dft_text(option->help));
        putchar('}');
    }
    puts("\n]");
}

int dft_cmd_options(int argc, char **argv)
{
    struct dft_flags line = {.usage = &usage, .argc = argc, .argv = argv};
    bool json = false;

    for (;;) {
        switch (dft_flags_next(&line)) {
        case DFT_FLAG_FOUND:
            json = true;
            break;
        case DFT_FLAG_WORD:
            return dft_flags_refuse(&usage, "unexpected argument '%s'", line.value);
        case DFT_FLAG_HELP:
            return DFT_EXIT_OK;
        case DFT_FLAG_WRONG:
            return DFT_EXIT_USAGE;
        case DFT_FLAG_END:
            if (json)
                print_json();
            else
                print_text();
            return DFT_EXIT_OK;
        }
    }
}
