/*
 * Parsing flags and printing help.
 */
#include "tool/base/flags.h"

#include "tool/base/suggest.h"
#include "tool/base/tool.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int flag_width(const struct dft_flag *flag)
{
    return (int)strlen(flag->name) + (flag->value ? 1 + (int)strlen(flag->value) : 0);
}

static void print_flag(const struct dft_flag *flag, int width)
{
    int used =
        printf("  %s%s%s", flag->name, flag->value ? " " : "", flag->value ? flag->value : "");

    printf("%*s  ", width + 2 - used, "");
    for (const char *c = flag->help; *c; c++) {
        putchar(*c);
        if (*c == '\n')
            printf("%*s", width + 4, "");
    }
    putchar('\n');
}

static void print_help(const struct dft_help *usage)
{
    static const struct dft_flag help = {"--help", NULL, "this text"};
    int width = flag_width(&help);

    for (const struct dft_flag *flag = usage->flags; flag->name; flag++) {
        if (flag_width(flag) > width)
            width = flag_width(flag);
    }
    printf("usage: dftrace %s%s%s\n\n%s\n\n", usage->command, *usage->synopsis ? " " : "",
           usage->synopsis, usage->text);
    for (const struct dft_flag *flag = usage->flags; flag->name; flag++)
        print_flag(flag, width);
    print_flag(&help, width);
    if (usage->notes)
        printf("\n%s\n", usage->notes);
}

int dft_flags_refuse(const struct dft_help *usage, const char *format, ...)
{
    va_list arguments;
    char *text = NULL;

    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        text = NULL;
    va_end(arguments);
    const char *message = text ? text : format;
    bool asks = *message && message[strlen(message) - 1] == '?';
    dft_tool_error("%s: %s%s see dftrace %s --help", usage->command, message, asks ? "" : ";",
                   usage->command);
    free(text);
    return DFT_EXIT_USAGE;
}

static const char *flag_candidate(const void *context, size_t index)
{
    const struct dft_help *usage = context;

    /* --help is not in the table. The table's last entry has no name. */
    if (index == 0)
        return "--help";
    return usage->flags[index - 1].name;
}

static enum dft_flag_kind refuse_unknown(const struct dft_flags *flags, const char *word)
{
    char *name = dft_tool_copy(word, strcspn(word, "="));
    const char *nearest = dft_suggest_nearest(name, flag_candidate, flags->usage);

    if (nearest)
        dft_flags_refuse(flags->usage, "unknown option '%s', did you mean '%s'?", name, nearest);
    else
        dft_flags_refuse(flags->usage, "unknown option '%s'", name);
    free(name);
    return DFT_FLAG_WRONG;
}

static enum dft_flag_kind take_flag(struct dft_flags *flags, const char *word)
{
    const struct dft_flag *flag = &flags->usage->flags[flags->index];
    const char *equals = word[strlen(flag->name)] == '=' ? word + strlen(flag->name) + 1 : NULL;

    flags->value = equals;
    if (!flag->value && equals) {
        dft_flags_refuse(flags->usage, "%s takes no value", flag->name);
        return DFT_FLAG_WRONG;
    }
    if (flag->value && !equals) {
        if (flags->at == flags->argc) {
            dft_flags_refuse(flags->usage, "%s needs a value: %s %s", flag->name, flag->name,
                             flag->value);
            return DFT_FLAG_WRONG;
        }
        flags->value = flags->argv[flags->at++];
    }
    return DFT_FLAG_FOUND;
}

enum dft_flag_kind dft_flags_next(struct dft_flags *flags)
{
    if (flags->at == 0)
        flags->at = 1;
    if (flags->at >= flags->argc)
        return DFT_FLAG_END;
    const char *word = flags->argv[flags->at++];

    /* "-" alone is a file: stdin. */
    if (flags->only_words || word[0] != '-' || word[1] == '\0') {
        flags->value = word;
        return DFT_FLAG_WORD;
    }
    if (strcmp(word, "--") == 0) {
        flags->only_words = true;
        return dft_flags_next(flags);
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        print_help(flags->usage);
        return DFT_FLAG_HELP;
    }
    for (size_t i = 0; flags->usage->flags[i].name; i++) {
        size_t length = strlen(flags->usage->flags[i].name);

        if (strncmp(word, flags->usage->flags[i].name, length) == 0 &&
            (word[length] == '\0' || word[length] == '=')) {
            flags->index = i;
            return take_flag(flags, word);
        }
    }
    return refuse_unknown(flags, word);
}
