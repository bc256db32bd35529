/*
 * Parameters that a rule leaves out: how the words `!name` are read, what is refused, and which
 * names the rules of a list leave out of one function together.
 */
#include "allowlist/allowlist.h"
#include "allowlist/internal.h"
#include "unit.h"

#include <stdlib.h>

struct refusal_row {
    const char *text;
    unsigned column;
    const char *message; /* a part of it */
};

/* All of them in the second line. */
static const struct refusal_row refusals[] = {
    {"[args]\nf !", 4, "found no name after '!'; expected a parameter's name"},
    {"[args]\nf ! x", 3, "found '!' before the end"},
    {"[args]\nf !x !", 7, "found no name after '!'"},
    {"[args]\nf !1x", 3, "found '!1x'; expected ! and a parameter's name"},
    {"[args]\nf !x,y", 3, "found '!x,y'; expected ! and a parameter's name"},
    {"[args]\nf !!x", 3, "found '!!x'"},
    {"[args]\nf=A !a-b", 5, "found '!a-b'"},
    {"[args]\nf !x =A", 3, "found '!' before the end of the rule; expected a parameter"},
    {"[args]\nf !x=A", 3, "found '!x=A'; expected ! and a parameter's name"},
    {"[args]\nf !x g", 3, "found '!' before the end of the rule"},
    {"[args]\nf=A !x B", 5, "found '!' before the end of the rule"},
    {"[args]\n!x", 1, "found '!' before the end of the rule"},
    {"[args]\nfun:!x !y", 5, "found '!' before the end of the rule"},
    {"[trace]\nf !x", 3, "found '!x' in [trace]; expected none, parameters are recorded in [args]"},
    {"[sample]\nf=A !x", 5, "found '!x' in [sample]; expected none"},
    {"[never]\nf !x", 3, "found '!x' in [never]; expected none"},
};

static void check_refusals(void)
{
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        struct dft_allowlist_error error = {0};
        unit_row = refusals[i].text;
        struct dft_allowlist *list =
            dft_allowlist_parse(unit_row, strlen(refusals[i].text), &error);
        CHECK(!list);
        CHECK_INT(error.line, 2);
        CHECK_INT(error.column, refusals[i].column);
        CHECK_CONTAINS(error.message, refusals[i].message);
        dft_allowlist_free(list);
    }
    unit_row = NULL;
}

struct omission_row {
    const char *text;
    const char *pattern;  /* of the last rule */
    const char *category; /* of the last rule */
    const char *left_out; /* of f() of src/io/a.c, in the order in which the list names them */
};

static const struct omission_row rows[] = {
    {"[args]\nf", "f", NULL, ""},
    {"[args]\nf !x", "f", NULL, "x"},
    {"[args]\nfun:f=AUTH !password !pin", "f", "AUTH", "password,pin"},
    {"[args]\nf = AUTH\t!password   !pin  # why", "f", "AUTH", "password,pin"},
    {"[args]\nf !x !x", "f", NULL, "x"},
    {"[args]\nf !return", "f", NULL, "return"},
    {"[args]\nf !return !this !_x1 !a$b", "f", NULL, "return,this,_x1,a$b"},
    {"[args]\nf !gr\xc3\xb6\xc3\x9f"
     "e",
     "f", NULL,
     "gr\xc3\xb6\xc3\x9f"
     "e"},
    {"[args]\nsrc:src/io/a.c !x", "src/io/a.c", NULL, "x"},
    {"[args]\nsrc:io/*=IO !x", "io/*", "IO", "x"},

    /* several rules: what one leaves out, no other brings back */
    {"[args]\nf !x\nf", "f", NULL, "x"},
    {"[args]\n*\nf !x", "f", NULL, "x"},
    {"[args]\nf !x\n*=B !y", "*", "B", "x,y"},
    {"[args]\nf !x\nsrc:a.c !z !x", "a.c", NULL, "x,z"},
    {"f=A\n[args]\nf() !x\n_Z1fv !y", "_Z1fv", NULL, "x,y"},
    {"[args]\ng !x\nf !y", "f", NULL, "y"},
    {"[args]\nf !x\n[never]\nf", "f", NULL, ""},

    /* signs of operators */
    {"[args]\nA::operator !", "A::operator !", NULL, ""},
    {"[args]\nA::operator ! !x", "A::operator !", NULL, ""},
    {"[args]\nA::operator !=", "A::operator !=", NULL, ""},
    {"[args]\nA::operator!= !x", "A::operator!=", NULL, ""},
    {"[args]\nA::operator!==CAT !x", "A::operator!=", "CAT", ""},
    {"f\\!x", "f\\!x", NULL, ""},
    {"src:a dir/\\!x.c", "a dir/\\!x.c", NULL, ""},
};

static void check_row(const struct omission_row *row, const struct dft_names *names)
{
    struct dft_allowlist_error error;
    struct dft_verdict verdict;
    struct dft_allowlist *list = dft_allowlist_parse(row->text, strlen(row->text), &error);
    if (!CHECK_TEXT(error.message, ""))
        return;
    const struct dft_rule *rule = dft_allowlist_rule(list, dft_allowlist_count(list) - 1);
    CHECK_TEXT(rule->pattern, row->pattern);
    CHECK_TEXT(rule->category, row->category);

    char found[128] = "";
    const char *name;
    bool any = false; /* that may be a parameter without a name */
    dft_allowlist_match(list, names, "src/io/a.c", "/p", &verdict);
    for (size_t place = 0; (name = dft_allowlist_next_left_out(list, &verdict.left_out, &place));) {
        strcat(strcat(found, found[0] ? "," : ""), name);
        CHECK(dft_allowlist_leaves_out(list, &verdict.left_out, name));
        any = any || strcmp(name, "return") != 0;
    }
    CHECK_TEXT(found, row->left_out);
    CHECK_INT(dft_allowlist_leaves_out(list, &verdict.left_out, ""), any);
    CHECK(!dft_allowlist_leaves_out(list, &verdict.left_out, "absent"));
    dft_allowlist_free(list);
}

static void check_rows(void)
{
    struct dft_names names;
    if (!CHECK(dft_names_make("_Z1fv", DFT_LANGUAGE_C_FAMILY, &names)))
        return;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        unit_row = rows[i].text;
        check_row(&rows[i], &names);
    }
    unit_row = NULL;
    dft_names_free(&names);
}

/* `count` different names, of which the last one is written twice. */
static struct dft_allowlist *parse_many(unsigned count, struct dft_allowlist_error *error)
{
    size_t room = 32 * (size_t)count + 64, used = 0;
    char *text = malloc(room);
    if (!CHECK(text))
        return NULL;
    used += (size_t)snprintf(text, room, "[args]\n");
    for (unsigned i = 0; i < count; i++)
        used += (size_t)snprintf(text + used, room - used, "f !name%u\n", i);
    used += (size_t)snprintf(text + used, room - used, "f !name%u\n", count - 1);
    struct dft_allowlist *list = dft_allowlist_parse(text, used, error);
    free(text);
    return list;
}

static void check_limit(void)
{
    struct dft_allowlist_error error;
    struct dft_verdict verdict;
    struct dft_names names = {.linkage = "f"};
    struct dft_allowlist *list = parse_many(DFT_OMISSION_MAX, &error);
    CHECK_TEXT(error.message, "");
    if (CHECK(list)) {
        dft_allowlist_match(list, &names, NULL, NULL, &verdict);
        CHECK(dft_allowlist_leaves_out(list, &verdict.left_out, "name0"));
        CHECK(dft_allowlist_leaves_out(list, &verdict.left_out, "name255"));
        CHECK(!dft_allowlist_leaves_out(list, &verdict.left_out, "name256"));
    }
    dft_allowlist_free(list);

    CHECK(!parse_many(DFT_OMISSION_MAX + 1, &error));
    CHECK_INT(error.line, DFT_OMISSION_MAX + 2);
    CHECK_CONTAINS(error.message, "found '!name256', one more than the 256 different names");
}

int main(void)
{
    check_refusals();
    check_rows();
    check_limit();
    return unit_result();
}
