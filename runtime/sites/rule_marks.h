/*
 * The format of a file that records which rules have matched a function during a run. `dftrace run`
 * creates it in its private directory. Each traced process maps it and sets the bits of the rules
 * of DFTRACER_ALLOWLIST and DFTRACER_AGGREGATE that match. Processes only set bits, so they need no
 * lock.
 */
#ifndef DFT_RUNTIME_SITES_RULE_MARKS_H
#define DFT_RUNTIME_SITES_RULE_MARKS_H

#include "allowlist/allowlist.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define DFT_RULE_MARKS_FILE "rules"

struct dft_rule_marks {
    uint32_t rules;     /* number of rules in DFTRACER_ALLOWLIST */
    uint32_t patterns;  /* number of patterns in DFTRACER_AGGREGATE */
    uint32_t processes; /* how many processes have examined their functions */
    uint8_t bits[];     /* of the rules; those of the patterns begin at the next whole byte */
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

static inline bool dft_rule_marks_has(const uint8_t *bits, size_t number)
{
    return bits[number / 8] >> number % 8 & 1;
}

/*
 * Whether a rule has matched no function. If two rules have the same name, the later one has the
 * mark of both. Functions that [never] matches may not be instrumented, and then no mark is set.
 */
static inline bool dft_rule_marks_lack(const uint8_t *bits, const struct dft_allowlist *list,
                                       size_t number)
{
    const struct dft_rule *rule = dft_allowlist_rule(list, number);

    if (rule->section == DFT_SECTION_NEVER || dft_rule_marks_has(bits, number))
        return false;
    for (size_t i = number + 1; i < dft_allowlist_count(list); i++) {
        const struct dft_rule *other = dft_allowlist_rule(list, i);
        if (dft_rule_marks_has(bits, i) && other->subject == rule->subject &&
            strcmp(other->pattern, rule->pattern) == 0)
            return false;
    }
    return true;
}

#endif
