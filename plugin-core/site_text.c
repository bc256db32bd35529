/* The text of a site, the same from both compilers. Stateless. */
#include "plugin-core/site_text.h"

#include "dftrace/abi.h"

#include <stdio.h>
#include <string.h>

static void append_field(struct dft_string *text, const char *field)
{
    dft_string_append(text, field, strlen(field) + 1);
}

/* The rule that matched: "12:fun:solver::*=COMPUTE". */
static void append_rule(struct dft_string *text, const struct dft_rule *rule)
{
    char line[16];

    snprintf(line, sizeof line, "%u:", rule->line);
    dft_string_append_text(text, line);
    append_field(text, rule->text);
}

unsigned dft_site_text_make(const struct dft_site_parts *parts, struct dft_string *text)
{
    const char *types = dft_names_parameters(parts->names);
    unsigned values = 0;

    for (int field = 0; field < DFTRACE_TEXT_COUNT; field++)
        switch ((enum dftrace_site_text)field) {
        case DFTRACE_TEXT_NAME:
            append_field(text, parts->names->qualified);
            break;
        case DFTRACE_TEXT_LINKAGE:
            append_field(text, parts->names->linkage);
            break;
        case DFTRACE_TEXT_FILE:
            append_field(text, parts->file);
            break;
        case DFTRACE_TEXT_PARAMETERS:
            append_field(text, parts->parameters);
            break;
        case DFTRACE_TEXT_CATEGORY:
            append_field(text, parts->verdict->category);
            break;
        case DFTRACE_TEXT_VALUES:
            values = (unsigned)text->length;
            append_field(text, parts->values);
            break;
        case DFTRACE_TEXT_TYPES:
            append_field(text, *types ? types : parts->types);
            break;
        case DFTRACE_TEXT_RULE:
            append_rule(text, parts->verdict->rule);
            break;
        case DFTRACE_TEXT_LOCALS:
            append_field(text, parts->locals);
            break;
        case DFTRACE_TEXT_COUNT:
            break;
        }
    return values;
}

const char *dft_site_file(const char *path)
{
    while (path[0] == '.' && path[1] == '/')
        for (path += 2; *path == '/';)
            path++;
    return path;
}
