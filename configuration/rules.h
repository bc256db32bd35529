/*
 * Collects the rules of a configuration file as the text of an allowlist, with the position of each
 * line in the file.
 */
#ifndef DFT_CONFIGURATION_RULES_H
#define DFT_CONFIGURATION_RULES_H

#include "configuration/tree.h"

/* Set `error`, and everything else to zero. */
struct dft_rules_text {
    char *text;
    size_t length, room;
    struct dft_configuration_position *lines;
    size_t line_count, line_room;
    struct dft_allowlist_error *error;
};

/* Adds the rules of a list as a section. */
bool dft_rules_text_add(struct dft_rules_text *rules, enum dft_section section,
                        const struct dft_tree_node *list);

/* Adds a rule that the file does not have itself; `at` is the key that implies it. */
bool dft_rules_text_imply(struct dft_rules_text *rules, const char *rule,
                          struct dft_configuration_position at);

/* Checks the rules as an allowlist. Columns of errors count characters. */
bool dft_rules_text_check(const struct dft_rules_text *rules);

/* The line numbers of all lines, to be freed; NULL if there is no memory. */
unsigned *dft_rules_text_lines(const struct dft_rules_text *rules);

void dft_rules_text_free(struct dft_rules_text *rules);

#endif
