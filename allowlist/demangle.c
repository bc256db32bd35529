/*
 * Calls libiberty's demangler with limits on its output, time and stack.
 *
 * Symbols are untrusted input. A short one can produce gigabytes (substitutions that double at each
 * step), take exponential time (conversion operators, which libiberty parses twice) or need more
 * stack than a thread has. So output above DFT_DEMANGLED_MAX is an error, and symbols that would be
 * parsed too often, or for which the stack may be too small, are not demangled. Safe from any
 * thread; must not be called from a signal handler.
 */
#include "internal.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

enum {
    SHORT_SYMBOL = 256,      /* needs 64 KiB of stack at most: not checked */
    STACK_PER_BYTE = 512,    /* the worst case found needs 220 */
    STACK_BASE = 256 * 1024, /* callbacks, allocation, signal handlers of the host, guard pages */
    REREAD_MAX = 12,         /* each may double the time */
};

struct job {
    const char *mangled;
    int options;
    char *text;
    size_t length;
    size_t capacity;
    enum dft_demangle_result result;
    jmp_buf stop;
};

/*
 * libiberty calls this with pieces of its output. It has allocated nothing, so longjmp leaks
 * nothing.
 */
static void take_piece(const char *piece, size_t size, void *opaque)
{
    struct job *job = opaque;
    if (size > DFT_DEMANGLED_MAX || job->length + size > DFT_DEMANGLED_MAX)
        longjmp(job->stop, DFT_NOT_MANGLED);
    if (job->length + size >= job->capacity) {
        size_t capacity = 2 * (job->length + size) + 128;
        char *text = realloc(job->text, capacity);
        if (!text)
            longjmp(job->stop, DFT_DEMANGLE_NO_MEMORY);
        job->text = text;
        job->capacity = capacity;
    }
    memcpy(job->text + job->length, piece, size);
    job->length += size;
    job->text[job->length] = '\0';
}

static void run_job(struct job *job)
{
    int stopped = setjmp(job->stop);
    if (stopped) {
        job->result = (enum dft_demangle_result)stopped;
        return;
    }
    bool is_read =
        cplus_demangle_v3_callback(job->mangled, job->options, take_piece, job) && job->length > 0;
    job->result = is_read ? DFT_DEMANGLED : DFT_NOT_MANGLED;
}

/*
 * libiberty parses the template arguments after "cv" and a template parameter ("T_", "T0_") twice,
 * those inside them four times, and so on. This counts the positions where that may happen; real
 * names have one or two.
 */
static bool is_read_too_often(const char *mangled)
{
    unsigned conversions = 0, parameters = 0;
    bool is_parameter = false;
    for (const char *at = mangled; *at; at++) {
        conversions += at[0] == 'c' && at[1] == 'v';
        parameters += is_parameter && at[0] == '_' && at[1] == 'I';
        bool is_number = (*at >= '0' && *at <= '9') || (*at >= 'A' && *at <= 'Z');
        is_parameter = *at == 'T' || (is_parameter && is_number);
    }
    return conversions > REREAD_MAX && parameters > REREAD_MAX;
}

static bool is_harmless(const char *mangled)
{
    size_t length = strlen(mangled);
    return length <= DFT_MANGLED_MAX && !is_read_too_often(mangled) &&
           (length < SHORT_SYMBOL || dft_stack_has(STACK_BASE + STACK_PER_BYTE * length));
}

bool dft_names_is_half(const char *linkage)
{
    if (strncmp(linkage, "_Z", 2) != 0 || !is_harmless(linkage))
        return false;
    enum gnu_v3_dtor_kinds destructor = is_gnu_v3_mangled_dtor(linkage);
    return destructor == gnu_v3_deleting_dtor || destructor == gnu_v3_unified_dtor ||
           is_gnu_v3_mangled_ctor(linkage) == gnu_v3_unified_ctor;
}

enum dft_demangle_result dft_demangle(const char *mangled, bool parameters, char **text)
{
    struct job *job;
    *text = NULL;
    if (!is_harmless(mangled))
        return DFT_NOT_MANGLED;
    job = calloc(1, sizeof *job);
    if (!job)
        return DFT_DEMANGLE_NO_MEMORY;
    job->mangled = mangled;
    job->options = DMGL_ANSI | DMGL_NO_RECURSE_LIMIT;
    if (parameters)
        job->options |= DMGL_PARAMS | DMGL_RET_DROP;
    run_job(job);
    enum dft_demangle_result result = job->result;
    if (result == DFT_DEMANGLED)
        *text = job->text;
    else
        free(job->text);
    free(job);
    return result;
}
