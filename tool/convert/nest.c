/*
 * Sorts calls by thread and start, and keeps the stack of those that are open.
 */
#include "tool/convert/nest.h"

#include "tool/base/tool.h"
#include "tool/convert/sorter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MEMORY ((size_t)128 << 20)

struct dft_nest {
    struct dft_sorter *sorter;
    uint64_t count;
    int error; /* of the temporary file */
    struct dft_nest_call *calls;
    size_t depth;
    size_t room;
    uint64_t overlapping;
};

static int compare(const void *left, const void *right)
{
    const struct dft_nest_record *a = left, *b = right;

    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->end != b->end)
        return a->end > b->end ? -1 : 1;
    if (a->is_point != b->is_point)
        return a->is_point ? 1 : -1;
    return a->order < b->order ? -1 : 1;
}

struct dft_nest *dft_nest_new(void)
{
    struct dft_nest *nest = dft_tool_zeroed(1, sizeof *nest);

    nest->sorter = dft_sorter_new(sizeof(struct dft_nest_record), MEMORY, compare);
    return nest;
}

void dft_nest_add(struct dft_nest *nest, struct dft_nest_record record, bool from_pair)
{
    uint64_t number = nest->count++;

    record.order = from_pair ? UINT64_MAX - number : number;
    if (nest->error == 0 && !dft_sorter_add(nest->sorter, &record))
        nest->error = errno ? errno : EIO;
}

static void close_top(struct dft_nest *nest, const struct dft_nest_visitor *visitor)
{
    struct dft_nest_call *call = &nest->calls[nest->depth - 1];

    visitor->close(visitor->context, nest->calls, nest->depth);
    nest->depth--;
    if (nest->depth > 0) {
        struct dft_nest_call *around = &nest->calls[nest->depth - 1];
        int64_t end = call->record.end < around->record.end ? call->record.end : around->record.end;

        around->inside += end - call->record.start;
    }
}

static void open_call(struct dft_nest *nest, const struct dft_nest_visitor *visitor,
                      const struct dft_nest_record *record)
{
    nest->calls = dft_tool_grow(nest->calls, nest->depth, &nest->room, sizeof *nest->calls);
    struct dft_nest_call *call = &nest->calls[nest->depth];
    *call = (struct dft_nest_call){.record = *record};
    if (nest->depth > 0 && record->end > call[-1].record.end) {
        nest->overlapping++;
        if (visitor->cut)
            call->record.end = call[-1].record.end;
    }
    nest->depth++;
    visitor->open(visitor->context, nest->calls, nest->depth);
}

static void visit(struct dft_nest *nest, const struct dft_nest_visitor *visitor,
                  const struct dft_nest_record *record)
{
    while (nest->depth > 0) {
        int64_t end = nest->calls[nest->depth - 1].record.end;

        if (record->is_point ? end >= record->start : end > record->start)
            break;
        close_top(nest, visitor);
    }
    if (!record->is_point)
        open_call(nest, visitor, record);
    else if (visitor->point)
        visitor->point(visitor->context, nest->calls, nest->depth, record);
}

static void end_row(struct dft_nest *nest, const struct dft_nest_visitor *visitor, uint64_t row)
{
    while (nest->depth > 0)
        close_top(nest, visitor);
    visitor->end_row(visitor->context, row);
}

uint64_t dft_nest_walk(struct dft_nest *nest, const struct dft_nest_visitor *visitor,
                       bool *is_complete)
{
    const struct dft_nest_record *record;
    bool has_row = false;
    uint64_t row = 0;

    if (nest->error == 0 && !dft_sorter_finish(nest->sorter))
        nest->error = errno ? errno : EIO;
    while (nest->error == 0 && (record = dft_sorter_next(nest->sorter))) {
        if (!has_row || record->row != row) {
            if (has_row)
                end_row(nest, visitor, row);
            visitor->begin_row(visitor->context, record->row);
        }
        has_row = true;
        row = record->row;
        visit(nest, visitor, record);
    }
    if (has_row)
        end_row(nest, visitor, row);
    if (nest->error == 0 && dft_sorter_has_failed(nest->sorter))
        nest->error = errno ? errno : EIO;
    *is_complete = nest->error == 0;
    if (!*is_complete)
        dft_tool_error("the temporary file failed: %s", strerror(nest->error));
    return nest->overlapping;
}

void dft_nest_free(struct dft_nest *nest)
{
    dft_sorter_free(nest->sorter);
    free(nest->calls);
    free(nest);
}
