/*
 * What a conversion leaves out, because the output format has nothing for it. Nothing is left out
 * without being counted.
 */
#ifndef DFT_TOOL_CONVERT_LOSSES_H
#define DFT_TOOL_CONVERT_LOSSES_H

#include <stddef.h>
#include <stdint.h>

#define DFT_LOSSES_MAX 32

struct dft_loss {
    const char *one; /* "counter value"; constant text */
    const char *many;
    uint64_t count;
};

/* All zero initially. */
struct dft_losses {
    struct dft_loss list[DFT_LOSSES_MAX];
    size_t count;
};

/* Counts `number` things of one kind, which is identified by the address of `one`. */
void dft_losses_add(struct dft_losses *losses, const char *one, const char *many, uint64_t number);

/* Prints "left out: 3 async events, 1 flow" to stderr, if there is anything. */
void dft_losses_print(const struct dft_losses *losses);

/* Counts an event of another tool that has no meaning for dftrace. */
void dft_losses_add_foreign(struct dft_losses *losses, char phase);

#endif
