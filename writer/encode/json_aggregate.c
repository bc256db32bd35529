/*
 * Calls without an event of their own: a counter for each function, drawn by viewers as one track
 * for each of its args. Those must be numbers, so the place in the source stands beside them. And
 * the moment from which on calls of a function are only counted. Pure; any thread.
 */
#include "writer/encode/json_aggregate.h"

#include <stdio.h>

static bool append_number(struct dft_buffer *out, const char *key, uint64_t value)
{
    if (!dft_append_text(out, key) || !dft_buffer_reserve(out, 20))
        return false;
    dft_put_unsigned(out, value);
    return true;
}

static bool append_time(struct dft_buffer *out, const char *key, uint64_t ns)
{
    if (!dft_append_text(out, key) || !dft_buffer_reserve(out, 24))
        return false;
    dft_put_microseconds(out, ns);
    return true;
}

static void find_site(const struct dft_trace_info *info, uint32_t id, struct dft_site_view *site,
                      char *unknown, size_t size)
{
    if (dft_spool_site(info->spool, id, site))
        return;
    snprintf(unknown, size, "site %u", id);
    *site = (struct dft_site_view){.name = unknown, .category = "unknown", .file = ""};
}

/* "calls of NAME" as one string. */
static bool append_name(struct dft_buffer *out, const char *name)
{
    static const char prefix[] = ",\n{\"name\":\"calls of ";

    if (!dft_append_text(out, prefix))
        return false;
    size_t quote = out->used;
    if (!dft_append_json_string(out, name))
        return false;
    memmove(out->data + quote, out->data + quote + 1, --out->used - quote);
    return true;
}

/* Where calls inside were only counted, more may be taken away here and less there. */
static const char *self_key(const struct dft_aggregate *aggregate)
{
    if (!aggregate->self_estimated)
        return ",\"self_us\":";
    return aggregate->self_ns < 0 ? ",\"estimated_self_us\":-" : ",\"estimated_self_us\":";
}

bool dft_json_append_aggregate(const struct dft_trace_info *info,
                               const struct dft_aggregate *aggregate, struct dft_buffer *out)
{
    uint64_t pid = (uint64_t)info->pid;
    uint64_t magnitude =
        aggregate->self_ns < 0 ? -(uint64_t)aggregate->self_ns : (uint64_t)aggregate->self_ns;
    struct dft_site_view site;
    char unknown[32];

    find_site(info, aggregate->site, &site, unknown, sizeof unknown);
    if (!append_name(out, site.name) || !dft_append_text(out, ",\"cat\":") ||
        !dft_append_json_string(out, site.category) ||
        !append_number(out, ",\"ph\":\"C\",\"pid\":", pid) || !append_number(out, ",\"tid\":", pid))
        return false;
    if (info->metadata &&
        (!dft_append_text(out, ",\"file\":") || !dft_append_json_string(out, site.file) ||
         !append_number(out, ",\"line\":", site.line)))
        return false;
    if (!append_time(out, ",\"ts\":", aggregate->first_ns) ||
        !append_number(out, ",\"args\":{\"count\":", aggregate->count))
        return false;
    if (aggregate->estimated)
        return append_time(out, ",\"estimated_us\":", aggregate->sum_ns) &&
               dft_append_text(out, "}}\n");
    return append_time(out, ",\"total_us\":", aggregate->sum_ns) &&
           append_time(out, ",\"min_us\":", aggregate->min_ns) &&
           append_time(out, ",\"max_us\":", aggregate->max_ns) &&
           append_time(out, self_key(aggregate), magnitude) && dft_append_text(out, "}}\n");
}

bool dft_json_append_switch(const struct dft_trace_info *info, const struct dft_switch *switched,
                            struct dft_buffer *out)
{
    uint64_t pid = (uint64_t)info->pid;
    struct dft_site_view site;
    char unknown[32];

    find_site(info, switched->site, &site, unknown, sizeof unknown);
    return append_number(
               out,
               ",\n{\"name\":\"counted\",\"cat\":\"dftrace\",\"ph\":\"i\",\"s\":\"p\",\"pid\":",
               pid) &&
           append_number(out, ",\"tid\":", pid) && append_time(out, ",\"ts\":", switched->ns) &&
           dft_append_text(out, ",\"args\":{\"function\":") &&
           dft_append_json_string(out, site.name) && dft_append_text(out, ",\"category\":") &&
           dft_append_json_string(out, site.category) && dft_append_text(out, ",\"file\":") &&
           dft_append_json_string(out, site.file) && append_number(out, ",\"line\":", site.line) &&
           append_number(out, ",\"calls\":", switched->calls) &&
           append_time(out, ",\"calls_us\":", switched->calls_ns) &&
           append_time(out, ",\"cost_us\":", switched->cost_ns) &&
           append_time(out, ",\"cpu_us\":", switched->window_ns) && dft_append_text(out, "}}\n");
}
