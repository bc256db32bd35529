/*
 * A short list of counts.
 */
#include "tool/convert/losses.h"

#include "tool/base/tool.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void dft_losses_add(struct dft_losses *losses, const char *one, const char *many, uint64_t number)
{
    if (number == 0)
        return;
    for (size_t i = 0; i < losses->count; i++) {
        if (strcmp(losses->list[i].one, one) == 0) {
            losses->list[i].count += number;
            return;
        }
    }
    if (losses->count < DFT_LOSSES_MAX)
        losses->list[losses->count++] = (struct dft_loss){one, many, number};
}

void dft_losses_add_foreign(struct dft_losses *losses, char phase)
{
    switch (phase) {
    case 'b':
    case 'n':
    case 'e':
    case 'S':
    case 'T':
    case 'p':
    case 'F':
        dft_losses_add(losses, "async event", "async events", 1);
        break;
    case 'M':
        dft_losses_add(losses, "metadata event of another tool", "metadata events of other tools",
                       1);
        break;
    case 'P':
        dft_losses_add(losses, "sample", "samples", 1);
        break;
    case 'N':
    case 'O':
    case 'D':
        dft_losses_add(losses, "object event", "object events", 1);
        break;
    default:
        dft_losses_add(losses, "event of an unknown kind", "events of unknown kinds", 1);
        break;
    }
}

void dft_losses_print(const struct dft_losses *losses)
{
    char *line = NULL;

    for (size_t i = 0; i < losses->count; i++) {
        const struct dft_loss *loss = &losses->list[i];
        char *longer =
            dft_tool_format("%s%s%" PRIu64 " %s", line ? line : "left out: ", line ? ", " : "",
                            loss->count, loss->count == 1 ? loss->one : loss->many);
        free(line);
        line = longer;
    }
    if (line)
        dft_tool_note("%s", line);
    free(line);
}
