/*
 * Reads steps and epochs from the args of an event, and from the values of arguments among them.
 * Stateless.
 */
#include "tool/analysis/step_label.h"

static const struct {
    const char *category;
    enum dft_step_work work;
} works[] = {
    {"compute", DFT_WORK_COMPUTE},       {"data", DFT_WORK_DATA}, {"dataloader", DFT_WORK_DATA},
    {"checkpoint", DFT_WORK_CHECKPOINT}, {"comm", DFT_WORK_COMM},
};

/* A whole number that is not negative; DFTracer writes some of them as strings. */
static int64_t read_number(struct dft_text raw)
{
    int64_t value = 0;

    if (raw.length >= 2 && raw.at[0] == '"')
        raw = (struct dft_text){raw.at + 1, raw.length - 2};
    if (raw.length == 0)
        return DFT_STEP_NONE;
    for (size_t i = 0; i < raw.length; i++)
        if (raw.at[i] < '0' || raw.at[i] > '9' || __builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, raw.at[i] - '0', &value))
            return DFT_STEP_NONE;
    return value;
}

static void read_member(struct dft_text key, struct dft_text value, struct dft_step_label *label)
{
    if (dft_text_is(key, "step"))
        label->step = read_number(value);
    else if (dft_text_is(key, "epoch"))
        label->epoch = read_number(value);
}

/* The values of a function's arguments, an object. */
static void read_values(struct dft_text raw, struct dft_step_label *label)
{
    struct dft_scanner scanner = {.at = raw.at, .end = raw.at + raw.length};
    struct dft_scan_string key;
    struct dft_text value;
    bool first = true, done = false;

    if (dft_scan_byte(&scanner, '{', "an object") != DFT_SCAN_OK)
        return;
    while (dft_scan_member(&scanner, &first, &done, &key) == DFT_SCAN_OK && !done &&
           dft_scan_value(&scanner, &value) == DFT_SCAN_OK)
        read_member(key.raw, value, label);
}

struct dft_step_label dft_step_label_read(const struct dft_event *event)
{
    struct dft_step_label label = {DFT_STEP_NONE, DFT_STEP_NONE, DFT_WORK_COUNT, false};

    for (size_t i = 0; i < event->arg_count; i++) {
        if (dft_text_is(event->args[i].key, "values"))
            read_values(event->args[i].value, &label);
        else
            read_member(event->args[i].key, event->args[i].value, &label);
    }
    for (size_t i = 0; i < sizeof works / sizeof *works; i++)
        if (dft_text_is(event->cat, works[i].category))
            label.work = works[i].work;
    label.is_counted = label.epoch != DFT_STEP_NONE || label.step != DFT_STEP_NONE;
    return label;
}
