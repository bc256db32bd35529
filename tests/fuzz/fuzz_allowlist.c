/*
 * Fuzzes the allowlist language with libFuzzer: the input is read as an allowlist, then names and
 * paths are matched against it, among them one made of the input itself.
 *
 *   clang-14 -g -O1 -fsanitize=fuzzer,address,undefined -D_GNU_SOURCE -I. -Iinclude \
 *       tests/fuzz/fuzz_allowlist.c allowlist/[a-z]*.c -liberty -o fuzz_allowlist
 *   ./fuzz_allowlist -dict=tests/fuzz/allowlist.dict -max_total_time=120
 */
#include "allowlist/allowlist.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char *const linkages[] = {
    "main",
    "_ZNSt6vectorIiSaIiEE9push_backEOi",
    "_ZNK2ns1AltIdEEbT_",
    "_ZZ4mainENKUliE_clEi",
    "_Z4nameB5cxx11v",
    "__mymod_MOD_f.constprop.0",
    "gr\xc3\xb6\xc3\x9f\x80\xff",
};

/* A verdict must be consistent whatever the list says. */
static void match(const struct dft_allowlist *list, const char *linkage, const char *source,
                  const char *directory)
{
    struct dft_names names;
    struct dft_verdict verdict;
    if (!dft_names_make(linkage, strlen(linkage) % 2, &names))
        return;
    dft_allowlist_match(list, &names, source, directory, &verdict);
    if (verdict.traced && (!verdict.category || !verdict.rule))
        abort();
    if (!verdict.traced && verdict.rule && verdict.rule->section != DFT_SECTION_NEVER)
        abort();
    const char *name;
    for (size_t place = 0; (name = dft_allowlist_next_left_out(list, &verdict.left_out, &place));)
        if (!name[0] || !dft_allowlist_leaves_out(list, &verdict.left_out, name))
            abort();
    dft_names_free(&names);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dft_allowlist_error error;
    struct dft_allowlist *list = dft_allowlist_parse((const char *)data, size, &error);
    if (!list) {
        if (!error.message[0] || strlen(error.message) >= sizeof error.message - 1)
            abort();
        list = dft_allowlist_parse("*\n[never]\nsrc:x/", 16, NULL);
    }
    char *text = malloc(size + 1);
    if (!text || !list)
        abort();
    memcpy(text, data, size);
    text[size] = '\0';
    match(list, text, text, "/u/p");
    for (size_t i = 0; i < sizeof linkages / sizeof linkages[0]; i++)
        match(list, linkages[i], i % 2 ? "src/../io/./a.c" : text, i % 3 ? "/u/p" : NULL);
    /* Every rule that names one function, or one file, matches what it names. */
    for (size_t i = 0; i < dft_allowlist_count(list); i++) {
        const struct dft_rule *rule = dft_allowlist_rule(list, i);
        struct dft_names names = {.linkage = rule->pattern, .qualified = (char *)rule->pattern};
        struct dft_verdict verdict;
        bool is_function = rule->subject == DFT_SUBJECT_FUNCTION;
        if (rule->is_glob || strpbrk(rule->pattern, "\\[") || rule->pattern[0] == ':')
            continue;
        dft_allowlist_match(list, is_function ? &names : NULL, is_function ? NULL : rule->pattern,
                            "/", &verdict);
        if (!verdict.rule)
            abort();
    }
    free(text);
    dft_allowlist_free(list);
    return 0;
}
