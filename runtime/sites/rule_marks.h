/*
 * A file that records which rules of a run have matched a function. `dftrace run` creates it in its
 * private directory. Each traced process maps it and sets the bits of the rules of
 * DFTRACER_ALLOWLIST and DFTRACER_AGGREGATE that match. Processes only set bits, so they need no
 * lock.
 */
#ifndef DFT_RUNTIME_SITES_RULE_MARKS_H
#define DFT_RUNTIME_SITES_RULE_MARKS_H

#include <stddef.h>
#include <stdint.h>

#define DFT_RULE_MARKS_FILE "rules"

struct dft_rule_marks {
    uint32_t rules;     /* of DFTRACER_ALLOWLIST */
    uint32_t patterns;  /* of DFTRACER_AGGREGATE */
    uint32_t processes; /* that have examined their functions */
    uint8_t bits[];     /* of the rules; from the next whole byte on, those of the patterns */
};

static inline size_t dft_rule_marks_bytes(size_t count)
{
    return (count + 7) / 8;
}

static inline size_t dft_rule_marks_size(size_t rules, size_t patterns)
{
    return sizeof(struct dft_rule_marks) + dft_rule_marks_bytes(rules) +
           dft_rule_marks_bytes(patterns);
}

#endif
