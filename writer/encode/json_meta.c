/*
 * What is known of a function, once for each that is used: an event of the phase M, of which
 * readers of traces take only the names that they know. Runs in the writer's own thread; pure.
 */
#include "writer/encode/json_meta.h"

#include <stdlib.h>

static bool append_number(struct dft_buffer *out, const char *key, uint64_t value)
{
    if (!dft_append_text(out, key) || !dft_buffer_reserve(out, 20))
        return false;
    dft_put_unsigned(out, value);
    return true;
}

/* Nothing where there is no text. */
static bool append_member(struct dft_buffer *out, const char *key, const char *text)
{
    return !*text || (dft_append_text(out, key) && dft_append_json_string(out, text));
}

/* "3:fun:f*": the line of the allowlist, and what stands there. */
static bool append_rule(struct dft_buffer *out, const char *rule)
{
    char *text;
    unsigned long line = strtoul(rule, &text, 10);

    if (*text != ':')
        return true;
    return append_member(out, ",\"rule\":", text + 1) &&
           append_number(out, ",\"rule_line\":", line);
}

/* The executable or library that it is in. */
static bool append_module(const struct dft_trace_info *info, uint32_t id, struct dft_buffer *out)
{
    struct dft_site_view module;

    if (id == 0 || !dft_spool_site(info->spool, id, &module) || !(module.flags & DFT_SITE_MODULE))
        return true;
    return append_member(out, ",\"module\":", module.name) &&
           append_member(out, ",\"build_id\":", module.linkage);
}

bool dft_json_append_function(const struct dft_trace_info *info, uint32_t id,
                              struct dft_buffer *out)
{
    uint64_t pid = (uint64_t)info->pid;
    struct dft_site_view site;

    if (!dft_spool_site(info->spool, id, &site) || (site.flags & (DFT_SITE_MODULE | DFT_SITE_OWN)))
        return true;
    return append_number(out, ",\n{\"name\":\"function\",\"ph\":\"M\",\"pid\":", pid) &&
           append_number(out, ",\"tid\":", pid) &&
           dft_append_text(out, ",\"args\":{\"function\":") &&
           dft_append_json_string(out, site.name) &&
           append_member(out, ",\"linkage_name\":", site.linkage) &&
           append_member(out, ",\"file\":", site.file) &&
           append_number(out, ",\"line\":", site.line) &&
           append_member(out, ",\"category\":", site.category) &&
           append_member(out, ",\"parameters\":", site.parameters) &&
           append_member(out, ",\"types\":", site.types) &&
           append_member(out, ",\"locals\":", site.locals) && append_rule(out, site.rule) &&
           append_module(info, site.module, out) && dft_append_text(out, "}}\n");
}
