/*
 * The values of arguments and result that calls of one function record: the description in the site
 * (DFTRACE_TEXT_VALUES of abi.h) and the layout of the array that the values are passed in.
 *
 * Built value by value: the result first, then the arguments. With a description that is all zeros,
 * nothing is recorded. Every function that is not in [args] has such a description.
 */
#ifndef DFT_PLUGIN_CORE_VALUES_H
#define DFT_PLUGIN_CORE_VALUES_H

#include "allowlist/allowlist.h"
#include "plugin-core/name_list.h"
#include "plugin-core/string.h"

#ifdef __cplusplus
extern "C" {
#endif

struct dft_values {
    struct dft_string shape;      /* DFTRACE_TEXT_VALUES */
    struct dft_name_list omitted; /* parameters, or "return", that a rule omits */
    unsigned argument_count;
    unsigned arguments_size; /* bytes of all arguments together */
    unsigned size;           /* bytes of the array, which arguments and result share */
};

/* The name of the result in the rules of an allowlist. */
#define DFT_VALUES_RESULT "return"

/* Whether a rule omits the parameter, or the result. If so, adds its name to `omitted`. */
bool dft_values_omit(struct dft_values *values, const struct dft_allowlist *list,
                     const struct dft_verdict *verdict, const char *name);

void dft_values_add_result(struct dft_values *values, const char *code);

/* Whether the call already records as many arguments as it can. Further ones are not recorded. */
bool dft_values_is_full(const struct dft_values *values);

/* Returns the offset of the argument in the array. */
unsigned dft_values_add_argument(struct dft_values *values, const char *name, const char *code);

void dft_values_free(struct dft_values *values);

#ifdef __cplusplus
}
#endif
#endif
