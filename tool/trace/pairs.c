/*
 * The calls that have begun and not ended, as one stack for each thread. An end ends the innermost
 * call of its thread, whatever its name is: that is what the format says.
 */
#include "tool/trace/pairs.h"

#include "tool/base/tool.h"

#include <stdlib.h>
#include <string.h>

/* Of the calls that are open at the same time; no real trace comes near it. */
#define OPEN_BYTES_MAX ((size_t)512 << 20)

struct dft_open_pair {
    struct dft_open_pair *below;
    size_t size;
    struct dft_event event; /* points into `bytes` */
    struct dft_arg *args;
    char bytes[];
};

struct dft_pair_thread {
    int64_t pid;
    int64_t tid;
    struct dft_open_pair *top;
};

struct key {
    const struct dft_pairs *pairs;
    int64_t pid;
    int64_t tid;
};

static bool matches(const void *context, uint32_t number)
{
    const struct key *key = context;
    const struct dft_pair_thread *thread = &key->pairs->threads[number];

    return thread->pid == key->pid && thread->tid == key->tid;
}

static uint64_t hash_thread(const struct dft_event *event)
{
    return dft_hash_number(dft_hash_number(2, (uint64_t)event->pid), (uint64_t)event->tid);
}

static struct dft_pair_thread *find_thread(const struct dft_pairs *pairs,
                                           const struct dft_event *event)
{
    struct key key = {pairs, event->pid, event->tid};
    uint32_t found = dft_index_find(&pairs->index, hash_thread(event), matches, &key);

    return found == DFT_INDEX_NONE ? NULL : &pairs->threads[found];
}

static struct dft_pair_thread *find_or_add_thread(struct dft_pairs *pairs,
                                                  const struct dft_event *event)
{
    struct dft_pair_thread *thread = find_thread(pairs, event);

    if (thread)
        return thread;
    pairs->threads = dft_tool_grow(pairs->threads, pairs->thread_count, &pairs->thread_room,
                                   sizeof *pairs->threads);
    thread = &pairs->threads[pairs->thread_count];
    *thread = (struct dft_pair_thread){event->pid, event->tid, NULL};
    dft_index_add(&pairs->index, hash_thread(event), (uint32_t)pairs->thread_count++);
    return thread;
}

void dft_pairs_note_time(struct dft_pairs *pairs, int64_t ns)
{
    if (ns > pairs->last_ns)
        pairs->last_ns = ns;
}

/* --- begins --- */

static size_t measure_texts(const struct dft_event *event)
{
    size_t size = event->name.length + event->cat.length + event->file.length + event->id.length;

    for (size_t i = 0; i < event->arg_count; i++)
        size += event->args[i].key.length + event->args[i].value.length;
    return size;
}

static struct dft_text copy_text(char **to, struct dft_text text)
{
    struct dft_text copy = {*to, text.length};

    if (text.length > 0)
        memcpy(*to, text.at, text.length);
    *to += text.length;
    return copy;
}

bool dft_pairs_begin(struct dft_pairs *pairs, const struct dft_event *event)
{
    size_t list = event->arg_count * sizeof(struct dft_arg);
    size_t size = sizeof(struct dft_open_pair) + list + measure_texts(event);

    if (pairs->bytes + size > OPEN_BYTES_MAX)
        return false;
    struct dft_pair_thread *thread = find_or_add_thread(pairs, event);
    struct dft_open_pair *open = dft_tool_resize(NULL, size, 1);
    open->below = thread->top;
    open->size = size;
    open->event = *event;
    open->args = (struct dft_arg *)open->bytes;
    char *to = open->bytes + list;
    open->event.name = copy_text(&to, event->name);
    open->event.cat = copy_text(&to, event->cat);
    open->event.file = copy_text(&to, event->file);
    open->event.id = copy_text(&to, event->id);
    for (size_t i = 0; i < event->arg_count; i++) {
        open->args[i].key = copy_text(&to, event->args[i].key);
        open->args[i].value = copy_text(&to, event->args[i].value);
    }
    thread->top = open;
    pairs->bytes += size;
    dft_pairs_note_time(pairs, event->ts_ns);
    return true;
}

/* --- ends --- */

static void add_arg(struct dft_pairs *pairs, struct dft_event *event, struct dft_arg arg)
{
    pairs->args =
        dft_tool_grow(pairs->args, event->arg_count, &pairs->arg_room, sizeof *pairs->args);
    pairs->args[event->arg_count++] = arg;
}

/* Takes the innermost call of the thread, which lasts until `end_ns`. */
static void take_top(struct dft_pairs *pairs, struct dft_pair_thread *thread, int64_t end_ns,
                     struct dft_event *event)
{
    struct dft_open_pair *open = thread->top;

    free(pairs->current);
    pairs->current = open;
    pairs->bytes -= open->size;
    thread->top = open->below;
    *event = open->event;
    event->arg_count = 0;
    for (size_t i = 0; i < open->event.arg_count; i++)
        add_arg(pairs, event, open->args[i]);
    event->ph = 'X';
    event->has_dur = true;
    event->raw = (struct dft_text){"", 0};
    event->prefix_id = 0;
    if (end_ns <= event->ts_ns)
        event->dur_ns = 0; /* an end before its begin comes only from a damaged file */
    else if (__builtin_sub_overflow(end_ns, event->ts_ns, &event->dur_ns))
        event->dur_ns = INT64_MAX;
}

bool dft_pairs_end(struct dft_pairs *pairs, struct dft_event *event)
{
    struct dft_pair_thread *thread = find_thread(pairs, event);
    const struct dft_event end = *event;

    dft_pairs_note_time(pairs, end.ts_ns);
    if (!thread || !thread->top)
        return true;
    take_top(pairs, thread, end.ts_ns, event);
    for (size_t i = 0; i < end.arg_count; i++)
        add_arg(pairs, event, end.args[i]);
    event->args = pairs->args;
    event->has_tts = event->has_tts && end.has_tts;
    event->tdur_ns = end.tts_ns > event->tts_ns ? end.tts_ns - event->tts_ns : 0;
    event->kind = dft_record_classify(event);
    return true;
}

bool dft_pairs_take_open(struct dft_pairs *pairs, struct dft_event *event)
{
    static const struct dft_arg unfinished = {{"unfinished", 10}, {"true", 4}};

    while (pairs->taken < pairs->thread_count && !pairs->threads[pairs->taken].top)
        pairs->taken++;
    if (pairs->taken == pairs->thread_count)
        return false;
    take_top(pairs, &pairs->threads[pairs->taken], pairs->last_ns, event);
    add_arg(pairs, event, unfinished);
    event->args = pairs->args;
    event->has_tts = false;
    event->kind = dft_record_classify(event);
    return true;
}

void dft_pairs_free(struct dft_pairs *pairs)
{
    for (size_t i = 0; i < pairs->thread_count; i++) {
        while (pairs->threads[i].top) {
            struct dft_open_pair *open = pairs->threads[i].top;

            pairs->threads[i].top = open->below;
            free(open);
        }
    }
    free(pairs->current);
    free(pairs->threads);
    free(pairs->args);
    dft_index_free(&pairs->index);
    *pairs = (struct dft_pairs){0};
}
