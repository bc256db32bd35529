/*
 * Explains, at the end of a program that was to be traced, why nothing was traced and what to do
 * about it. Runs in the thread that ends the process.
 */
#include "runtime/session/explain_empty.h"
#include "dftrace/abi.h"
#include "runtime/base/log.h"
#include "runtime/base/options.h"
#include "runtime/symbols/elf_notes.h"
#include "runtime/symbols/loaded_modules.h"
#include "runtime/symbols/module_walk.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

bool dft_explain_empty_finstrument;
bool dft_explain_empty_guest;

/* This text is in every module that contains the runtime, whether shared or from the archive. */
static const char runtime_mark[] = "dftrace: the runtime is in this module";

/* The sum of the compiler notes of all loaded modules. */
struct note_summary {
    unsigned units;
    unsigned functions;
    char allowlist[256];
    bool has_another_runtime;
};

static void read_note(void *argument, const char *description, size_t size)
{
    struct note_summary *summary = argument;
    const struct dftrace_note_unit *unit = (const struct dftrace_note_unit *)description;

    if (size <= sizeof *unit || description[size - 1] != '\0')
        return;
    summary->units++;
    summary->functions += unit->functions;
    snprintf(summary->allowlist, sizeof summary->allowlist, "%s", unit->allowlist);
}

static bool has_mark(const struct dl_phdr_info *info)
{
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        const void *begin = (const void *)(info->dlpi_addr + segment->p_vaddr);
        if (segment->p_type == PT_LOAD && (segment->p_flags & (PF_R | PF_W)) == PF_R &&
            memmem(begin, segment->p_filesz, runtime_mark, sizeof runtime_mark))
            return true;
    }
    return false;
}

static int look_at_module(struct dl_phdr_info *info, size_t size, void *argument)
{
    struct note_summary *summary = argument;
    unsigned units = summary->units;

    (void)size;
    dft_elf_notes_visit(info, DFTRACE_NOTE_NAME, DFTRACE_NOTE_UNIT, read_note, summary);
    if (summary->units > units && !dft_loaded_modules_contain(info, (uintptr_t)runtime_mark) &&
        has_mark(info))
        summary->has_another_runtime = true;
    return 0;
}

void dft_explain_empty(void)
{
    struct note_summary summary = {0};

    if (dft_options.enable != DFT_ENABLE_NOW)
        return;
    dft_module_walk(look_at_module, &summary);
    if (dft_explain_empty_finstrument && !dft_options.allowlist)
        dft_log(DFT_LEVEL_ERROR,
                "nothing was traced: %s was compiled with -finstrument-functions; "
                "DFTRACER_ALLOWLIST=FILE says which functions are traced",
                program_invocation_short_name);
    else if (dft_options.allowlist && (dft_explain_empty_finstrument || summary.functions))
        dft_log(
            DFT_LEVEL_ERROR,
            "nothing was traced: no rule of the allowlist '%s' matches an instrumented function "
            "that was called",
            dft_options.allowlist);
    else if (dft_options.allowlist && dft_explain_empty_guest)
        /* Every process of an interpreter would say so; `dftrace run` says it once. */
        dft_log(dft_options.hosted ? DFT_LEVEL_WARN : DFT_LEVEL_ERROR,
                "nothing was traced: no rule of the allowlist '%s' matches a function that %s has "
                "defined",
                dft_options.allowlist, program_invocation_short_name);
    else if (summary.units == 0)
        dft_log(DFT_LEVEL_WARN,
                "nothing was traced: no part of %s was compiled with the dftrace plugin; "
                "`dftrace config --cflags --allowlist FILE` prints the flags for that",
                program_invocation_short_name);
    else if (summary.functions == 0)
        dft_log(
            DFT_LEVEL_ERROR,
            "nothing was traced: no rule of the allowlist '%s' matches a function of the %u source "
            "file%s compiled with it; -fplugin-arg-dftrace-report=FILE lists every function with "
            "the reason",
            summary.allowlist, summary.units, summary.units == 1 ? "" : "s");
    else if (!summary.has_another_runtime) /* otherwise the other runtime traces these functions */
        dft_log(DFT_LEVEL_ERROR,
                "nothing was traced: none of the %u instrumented functions was registered",
                summary.functions);
}
