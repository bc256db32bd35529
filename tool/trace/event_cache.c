/*
 * A cache of event prefixes. A prefix ends with the key of the duration. If a number, the key of
 * the start, another number and the closing brace follow, the rest of the event is known: no other
 * member can be in it.
 *
 * Programs repeat themselves. Each prefix remembers which prefixes followed it last, and these are
 * tried first. Otherwise a hash of the text finds the prefix.
 */
#include "tool/trace/event_cache.h"

#include "tool/base/tool.h"

#include <stdlib.h>
#include <string.h>

#define PREFIX_COUNT 4096u
#define PREFIX_SLOTS 4u /* adjacent slots in which a prefix may be */
#define PREFIX_LENGTH_MAX 2048u
#define ARGS_MAX 8u
#define FOLLOWERS 2

/* Neither can be inside a string, where a backslash comes before each quote. */
#define BEFORE_DURATION ",\"dur\":"
#define BEFORE_START ",\"ts\":"

struct dft_event_prefix {
    char *text;
    size_t length;
    uint64_t hash;
    struct dft_event_prefix *followers[FOLLOWERS]; /* most recent first */
    struct dft_event event;                        /* the values in the prefix */
    struct dft_arg args[ARGS_MAX];
};

/* The length of the prefix; 0 if the event has no duration. */
static size_t measure(const char *begin, const char *end)
{
    size_t room = (size_t)(end - begin);
    const char *found = memmem(begin, room < PREFIX_LENGTH_MAX ? room : PREFIX_LENGTH_MAX,
                               BEFORE_DURATION, sizeof BEFORE_DURATION - 1);

    return found ? (size_t)(found - begin) + sizeof BEFORE_DURATION - 1 : 0;
}

static uint64_t mix(uint64_t hash, uint64_t low, uint64_t high)
{
    unsigned __int128 product =
        (unsigned __int128)(low ^ hash ^ 0x9E3779B97F4A7C15u) * (high ^ 0xD6E8FEB86659FD93u);

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static bool begins_with(const char *begin, const char *end, const struct dft_event_prefix *prefix)
{
    return prefix->length > 0 && prefix->length <= (size_t)(end - begin) &&
           memcmp(prefix->text, begin, prefix->length) == 0;
}

static uint64_t hash_text(const char *text, size_t length)
{
    uint64_t hash = length;
    uint64_t words[2];

    for (; length >= sizeof words; text += sizeof words, length -= sizeof words) {
        memcpy(words, text, sizeof words);
        hash = mix(hash, words[0], words[1]);
    }
    memset(words, 0, sizeof words);
    memcpy(words, text, length);
    return mix(hash, words[0], words[1]);
}

/* The slot of this prefix; if it has none, a free slot or one to be reused. */
static struct dft_event_prefix *find_slot(const struct dft_event_cache *cache, const char *text,
                                          size_t length, uint64_t hash)
{
    for (size_t i = 0; i < PREFIX_SLOTS; i++) {
        struct dft_event_prefix *prefix = &cache->prefixes[(hash + i) % PREFIX_COUNT];

        if (prefix->length == 0 ||
            (prefix->hash == hash && begins_with(text, text + length, prefix)))
            return prefix;
    }
    return &cache->prefixes[(hash + cache->added % PREFIX_SLOTS) % PREFIX_COUNT];
}

static void note_follower(struct dft_event_cache *cache, struct dft_event_prefix *prefix)
{
    if (cache->last && cache->last->followers[0] != prefix) {
        cache->last->followers[1] = cache->last->followers[0];
        cache->last->followers[0] = prefix;
    }
    cache->last = prefix;
}

static struct dft_event_prefix *find_prefix(const struct dft_event_cache *cache, const char *begin,
                                            const char *end)
{
    for (size_t i = 0; cache->last && i < FOLLOWERS; i++) {
        struct dft_event_prefix *follower = cache->last->followers[i];

        if (follower && begins_with(begin, end, follower))
            return follower;
    }
    size_t length = measure(begin, end);
    if (length == 0)
        return NULL;
    uint64_t hash = hash_text(begin, length);
    struct dft_event_prefix *prefix = find_slot(cache, begin, length, hash);
    return prefix->hash == hash && begins_with(begin, end, prefix) ? prefix : NULL;
}

static bool take_time(struct dft_scanner *scanner, int64_t *time)
{
    struct dft_text token;
    bool rounded;

    return dft_scan_microseconds(scanner, time) ||
           (dft_scan_number(scanner, &token) == DFT_SCAN_OK &&
            dft_number_scale(token, 3, time, &rounded));
}

/* Parses what follows a prefix. */
static bool take_times(struct dft_scanner *scanner, int64_t *duration, int64_t *start)
{
    size_t length = sizeof BEFORE_START - 1;
    int64_t end;

    if (!take_time(scanner, duration) || (size_t)(scanner->end - scanner->at) < length ||
        memcmp(scanner->at, BEFORE_START, length) != 0)
        return false;
    scanner->at += length;
    if (!take_time(scanner, start) || scanner->at == scanner->end || *scanner->at != '}')
        return false;
    scanner->at++;
    return *duration >= 0 && !__builtin_add_overflow(*start, *duration, &end);
}

bool dft_event_cache_parse(struct dft_event_cache *cache, struct dft_scanner *scanner,
                           struct dft_event *event)
{
    const char *begin = scanner->at;
    struct dft_event_prefix *prefix =
        cache->prefixes ? find_prefix(cache, begin, scanner->end) : NULL;
    struct dft_scanner ahead = *scanner;
    int64_t duration, start;

    if (!prefix)
        return false;
    ahead.at += prefix->length;
    if (!take_times(&ahead, &duration, &start))
        return false;
    note_follower(cache, prefix);
    *event = prefix->event;
    event->ts_ns = start;
    event->dur_ns = duration;
    event->raw = (struct dft_text){begin, (size_t)(ahead.at - begin)};
    scanner->at = ahead.at;
    return true;
}

/* Moves a text from the event to the copy of its prefix. False if it is not in the prefix. */
static bool move_text(struct dft_text *text, const char *begin,
                      const struct dft_event_prefix *prefix)
{
    if (text->length == 0) {
        text->at = "";
        return true;
    }
    if (text->at < begin || text->at + text->length > begin + prefix->length)
        return false;
    text->at = prefix->text + (text->at - begin);
    return true;
}

static bool move_event(struct dft_event_prefix *prefix, const char *begin)
{
    struct dft_event *event = &prefix->event;
    bool moved = move_text(&event->name, begin, prefix) && move_text(&event->cat, begin, prefix) &&
                 move_text(&event->file, begin, prefix) && move_text(&event->id, begin, prefix);

    for (size_t i = 0; i < event->arg_count && moved; i++)
        moved = move_text(&prefix->args[i].key, begin, prefix) &&
                move_text(&prefix->args[i].value, begin, prefix);
    event->args = prefix->args;
    return moved;
}

void dft_event_cache_add(struct dft_event_cache *cache, struct dft_event *event)
{
    const char *begin = event->raw.at;
    const char *end = begin + event->raw.length;
    size_t length = event->ph == 'X' && event->has_dur ? measure(begin, end) : 0;
    struct dft_scanner scanner = {.at = begin + length, .end = end};
    int64_t duration, start;

    if (length == 0 || event->arg_count > ARGS_MAX || !take_times(&scanner, &duration, &start) ||
        scanner.at != end)
        return;
    if (!cache->prefixes)
        cache->prefixes = dft_tool_zeroed(PREFIX_COUNT, sizeof *cache->prefixes);
    uint64_t hash = hash_text(begin, length);
    struct dft_event_prefix *prefix = find_slot(cache, begin, length, hash);
    event->prefix_id = ++cache->added;
    prefix->text = dft_tool_resize(prefix->text, length, 1);
    memcpy(prefix->text, begin, length);
    prefix->length = length;
    prefix->hash = hash;
    prefix->event = *event;
    if (event->arg_count > 0)
        memcpy(prefix->args, event->args, event->arg_count * sizeof *event->args);
    if (!move_event(prefix, begin))
        prefix->length = 0;
    note_follower(cache, prefix);
}

void dft_event_cache_free(struct dft_event_cache *cache)
{
    for (size_t i = 0; cache->prefixes && i < PREFIX_COUNT; i++)
        free(cache->prefixes[i].text);
    free(cache->prefixes);
    *cache = (struct dft_event_cache){0};
}
