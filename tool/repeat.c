/*
 * Known beginnings, found by a hash of their text. They end behind the key of the duration; where
 * that is followed by a number, the key of the start, a number and the end of the event, all three
 * are the event's own: nothing else could end it there.
 */
#include "tool/repeat.h"

#include "tool/tool.h"

#include <stdlib.h>
#include <string.h>

#define HEAD_COUNT 4096u
#define LONGEST_HEAD 2048u
#define MOST_ARGS 8u

#define BEFORE_DURATION ",\"dur\":" /* in no text: a quote in one has a backslash before it */
#define BEFORE_START ",\"ts\":"

struct dft_repeat_head {
    char *text;
    size_t length;
    struct dft_event event; /* what is in the beginning */
    struct dft_arg args[MOST_ARGS];
};

/* How long the beginning of an event is, 0 where it has none. */
static size_t measure(const char *begin, const char *end)
{
    size_t room = (size_t)(end - begin);
    const char *found = memmem(begin, room < LONGEST_HEAD ? room : LONGEST_HEAD, BEFORE_DURATION,
                               sizeof BEFORE_DURATION - 1);

    return found ? (size_t)(found - begin) + sizeof BEFORE_DURATION - 1 : 0;
}

static struct dft_repeat_head *find_head(const struct dft_repeat *repeat, const char *text,
                                         size_t length)
{
    uint64_t hash = length;
    uint64_t word = 0;

    for (; length >= sizeof word; text += sizeof word, length -= sizeof word) {
        memcpy(&word, text, sizeof word);
        hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 32;
    }
    word = 0;
    memcpy(&word, text, length);
    hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
    return &repeat->heads[(hash >> 32) % HEAD_COUNT];
}

static bool take_time(struct dft_scanner *scanner, int64_t *time)
{
    struct dft_text token;
    bool rounded;

    return dft_scan_number(scanner, &token) == DFT_SCAN_OK &&
           dft_number_scale(token, 3, time, &rounded);
}

/* What stands behind a beginning. */
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

bool dft_repeat_parse(struct dft_repeat *repeat, struct dft_scanner *scanner,
                      struct dft_event *event)
{
    const char *begin = scanner->at;
    size_t length = repeat->heads ? measure(begin, scanner->end) : 0;
    struct dft_scanner ahead = *scanner;
    int64_t duration, start;

    if (length == 0)
        return false;
    const struct dft_repeat_head *head = find_head(repeat, begin, length);
    ahead.at += length;
    if (head->length != length || memcmp(head->text, begin, length) != 0 ||
        !take_times(&ahead, &duration, &start))
        return false;
    *event = head->event;
    event->ts_ns = start;
    event->dur_ns = duration;
    event->raw = (struct dft_text){begin, (size_t)(ahead.at - begin)};
    scanner->at = ahead.at;
    return true;
}

/* From a text in the event to the same in the copy of its beginning. False: it is not in there. */
static bool move_text(struct dft_text *text, const char *begin, const struct dft_repeat_head *head)
{
    if (text->length == 0) {
        text->at = "";
        return true;
    }
    if (text->at < begin || text->at + text->length > begin + head->length)
        return false;
    text->at = head->text + (text->at - begin);
    return true;
}

static bool move_event(struct dft_repeat_head *head, const char *begin)
{
    struct dft_event *event = &head->event;
    bool moved = move_text(&event->name, begin, head) && move_text(&event->cat, begin, head) &&
                 move_text(&event->file, begin, head);

    for (size_t i = 0; i < event->arg_count && moved; i++)
        moved = move_text(&head->args[i].key, begin, head) &&
                move_text(&head->args[i].value, begin, head);
    event->args = head->args;
    return moved;
}

void dft_repeat_note(struct dft_repeat *repeat, const struct dft_event *event)
{
    const char *begin = event->raw.at;
    const char *end = begin + event->raw.length;
    size_t length = event->ph == 'X' && event->has_dur ? measure(begin, end) : 0;
    struct dft_scanner scanner = {.at = begin + length, .end = end};
    int64_t duration, start;

    if (length == 0 || event->arg_count > MOST_ARGS || !take_times(&scanner, &duration, &start) ||
        scanner.at != end)
        return;
    if (!repeat->heads)
        repeat->heads = dft_tool_zeroed(HEAD_COUNT, sizeof *repeat->heads);
    struct dft_repeat_head *head = find_head(repeat, begin, length);
    head->text = dft_tool_resize(head->text, length, 1);
    memcpy(head->text, begin, length);
    head->length = length;
    head->event = *event;
    memcpy(head->args, event->args, event->arg_count * sizeof *event->args);
    if (!move_event(head, begin))
        head->length = 0;
}

void dft_repeat_free(struct dft_repeat *repeat)
{
    for (size_t i = 0; repeat->heads && i < HEAD_COUNT; i++)
        free(repeat->heads[i].text);
    free(repeat->heads);
    repeat->heads = NULL;
}
