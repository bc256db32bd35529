/*
 * What both compiler plugins share: arguments, name lists, the description of values, the text of a
 * site, the note, the reasons to skip a function, the report.
 */
#include "dftrace/abi.h"
#include "plugin-core/arguments.h"
#include "plugin-core/name_list.h"
#include "plugin-core/note.h"
#include "plugin-core/report.h"
#include "plugin-core/site_text.h"
#include "plugin-core/skip.h"
#include "plugin-core/values.h"
#include "unit.h"

void dft_plugin_out_of_memory(void)
{
    abort();
}

static void check_arguments(void)
{
    struct dft_plugin_arguments arguments = {0};
    struct dft_plugin_message message = {""};

    CHECK(!dft_plugin_arguments_check(&arguments, "dftrace", &message));
    CHECK(strstr(message.text, "'-fplugin-arg-dftrace-allowlist=FILE'"));
    CHECK(dft_plugin_argument_read(&arguments, "dftrace", "allowlist", "a.txt", &message));
    CHECK(dft_plugin_argument_read(&arguments, "dftrace", "allowlist-hash", "", &message));
    CHECK(dft_plugin_argument_read(&arguments, "dftrace", "verbose", NULL, &message));
    CHECK(dft_plugin_arguments_check(&arguments, "dftrace", &message));
    CHECK_TEXT(arguments.allowlist, "a.txt");
    CHECK(!arguments.allowlist_hash && !arguments.report && arguments.verbose);

    CHECK(!dft_plugin_argument_read(&arguments, "other", "report", "", &message));
    CHECK_TEXT(message.text,
               "'-fplugin-arg-other-report' needs a value: '-fplugin-arg-other-report=FILE'");
    CHECK(!dft_plugin_argument_read(&arguments, "dftrace", "verbose", "yes", &message));
    CHECK(strstr(message.text, "unknown argument '-fplugin-arg-dftrace-verbose'; expected"));
}

static void check_name_lists(void)
{
    struct dft_name_list list = {{0}, 0};

    CHECK_TEXT(dft_name_list_text(&list), "");
    dft_name_list_add(&list, "", 0);
    dft_name_list_add(&list, "a", 1);
    dft_name_list_add(&list, "", 0);
    CHECK_TEXT(dft_name_list_text(&list), ",a,");
    dft_name_list_free(&list);

    dft_name_list_add_once(&list, "", 0);
    dft_name_list_add_once(&list, "ab and more", 2);
    dft_name_list_add_once(&list, "a", 1);
    dft_name_list_add_once(&list, "ab", 2);
    CHECK_TEXT(dft_name_list_text(&list), "ab,a");
    CHECK_INT(list.count, 2);
    dft_name_list_free(&list);
}

static void check_compiler_made(void)
{
    static const char *const made[] = {"_GLOBAL__sub_I_f", "_ZTh8_N1B1fEv", "_ZTv0_n24_N1B1fEv",
                                       "_ZTc0_h8_N1B1fEv", "_ZTW1x",        "_ZTH1x",
                                       "__tls_init",       "_ZN1BD0Ev"};
    static const char *const own[] = {"main", "_ZN1BD1Ev", "__tls_initial", "fD0Ev", "_ZTS1B", ""};

    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++)
        CHECK(dft_skip_is_compiler_made(unit_row = made[i]));
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        CHECK(!dft_skip_is_compiler_made(unit_row = own[i]));
    unit_row = NULL;
    CHECK(!dft_skip_reason(DFT_SKIP_NONE));
    CHECK_TEXT(dft_skip_reason(DFT_SKIP_NAKED), "attribute naked");
}

/* What a plugin does with one function. */
static void check_function(void)
{
    static const char list_text[] = "# comment\n[args]\nfun:ns::*=IO !secret !return\n";
    static const char want[] = "ns::f\0_ZN2ns1fEPci\0a.c\0text,secret\0IO\0text:t8;\0(char*, int)\0"
                               "3:fun:ns::*=IO !secret !return\0i,j";
    struct dft_allowlist *list = dft_allowlist_parse(list_text, strlen(list_text), NULL);
    struct dft_names names;
    struct dft_verdict verdict;
    struct dft_values values = {.size = 0};

    if (!CHECK(list && dft_names_make("_ZN2ns1fEPci", DFT_LANGUAGE_C_FAMILY, &names)))
        return;
    dft_allowlist_match(list, &names, "a.c", NULL, &verdict);
    CHECK(dft_values_omit(&values, list, &verdict, DFT_VALUES_RESULT));
    CHECK(!dft_values_omit(&values, list, &verdict, "text"));
    CHECK_INT(dft_values_add_argument(&values, "text", "t8"), 0);
    CHECK(dft_values_omit(&values, list, &verdict, "secret"));

    struct dft_string text = {0}, note = {0}, report = {0};
    const struct dft_site_parts parts = {.names = &names,
                                         .verdict = &verdict,
                                         .file = dft_site_file(".//./a.c"),
                                         .parameters = "text,secret",
                                         .values = dft_string_text(&values.shape),
                                         .types = "(unused)",
                                         .locals = "i,j"};
    unsigned shape = dft_site_text_make(&parts, &text);
    CHECK_INT(text.length, sizeof want);
    CHECK(text.length == sizeof want && memcmp(text.bytes, want, sizeof want) == 0);
    CHECK_TEXT(text.bytes + shape, "text:t8;");

    const struct dft_note described = {list, "list.txt", 7, true};
    dft_note_make(&described, &note);
    CHECK_INT(note.length, 12 + 8 + 8 + 9 + 17 + 2);
    CHECK(memcmp(note.bytes, "\0\0\0\10\0\0\0\42\0\0\0\1dftrace\0", 20) == 0);
    CHECK(memcmp(note.bytes + 24, "\0\0\0\7list.txt", 13) == 0);

    struct dft_report_entry entry = {.names = &names,
                                     .file = "a \"b\".c",
                                     .line = 5,
                                     .verdict = &verdict,
                                     .allowlist = "list.txt",
                                     .omitted = dft_name_list_text(&values.omitted)};
    dft_report_add(&report, &entry);
    CHECK_TEXT(
        dft_string_text(&report),
        "{\"function\":\"ns::f\",\"linkage_name\":\"_ZN2ns1fEPci\",\"file\":\"a \\\"b\\\".c\","
        "\"line\":5,\"instrumented\":true,\"rule\":\"fun:ns::*=IO !secret !return\","
        "\"rule_line\":3,\"allowlist\":\"list.txt\",\"category\":\"IO\","
        "\"without\":\"return,secret\"}\n");
    dft_string_free(&report);
    entry.skip = DFT_SKIP_INTERRUPT;
    dft_report_add(&report, &entry);
    CHECK(strstr(dft_string_text(&report), "\"reason\":\"attribute interrupt\"}"));

    dft_string_free(&report);
    dft_string_free(&note);
    dft_string_free(&text);
    dft_values_free(&values);
    dft_names_free(&names);
    dft_allowlist_free(list);
}

static void check_values(void)
{
    struct dft_values values = {.size = 0};

    dft_values_add_result(&values, "x32");
    CHECK_INT(values.size, 32);
    CHECK_INT(dft_values_add_argument(&values, "a", "i4"), 0);
    CHECK_INT(dft_values_add_argument(&values, "", "?struct s"), 8);
    CHECK_INT(dft_values_add_argument(&values, "b", "&f16"), 8);
    CHECK_INT(dft_values_add_argument(&values, "c", "v16"), 16);
    CHECK_INT(values.size, 32);
    CHECK_TEXT(dft_string_text(&values.shape), "=:x32;a:i4;:?struct s;b:&f16;c:v16;");
    while (!dft_values_is_full(&values))
        dft_values_add_argument(&values, "", "i8");
    CHECK_INT(values.argument_count, DFTRACE_VALUES_MAX);
    CHECK_INT(values.size, 32 + 8 * (DFTRACE_VALUES_MAX - 4));
    dft_values_free(&values);
}

int main(void)
{
    check_arguments();
    check_name_lists();
    check_compiler_made();
    check_function();
    check_values();
    return unit_result();
}
