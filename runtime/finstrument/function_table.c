/*
 * The table of functions by address: adds entries, grows the table, and removes functions of
 * unloaded modules.
 *
 * Hooks read the table without a lock. It is changed only while holding the private heap's lock,
 * with signals blocked.
 *
 * A hook that has found its address in a slot reads the slot's function next. So a slot is given to
 * another address only after the module of its address was unloaded: no thread is in one of that
 * module's functions then.
 */
#include "runtime/finstrument/function_table.h"
#include "runtime/base/guard.h"
#include "runtime/base/private_heap.h"
#include "runtime/interpose/next.h"
#include "runtime/symbols/loaded_modules.h"
#include "runtime/symbols/module_walk.h"

#include <stdbool.h>

#define FIRST_COUNT 1024

struct dft_function_table *dft_function_table;
struct dft_function dft_not_traced;

static struct dft_function_table *make_table(size_t count)
{
    struct dft_function_table *table =
        dft_private_heap_calloc(1, sizeof *table + count * sizeof *table->slots);

    if (table) {
        table->mask = (count - 1) * sizeof *table->slots;
        table->count = count;
    }
    return table;
}

/* The slot of this address, or the free slot at which the search ends. */
static const struct dft_function_slot *find_slot(const struct dft_function_table *table,
                                                 uintptr_t address)
{
    for (const struct dft_function_slot *slot = dft_function_table_first(table, address);;) {
        uintptr_t found = __atomic_load_n(&slot->address, __ATOMIC_ACQUIRE);
        if (found == address || found == 0)
            return slot;
        slot = &table->slots[(size_t)(slot - table->slots + 1) & (table->count - 1)];
    }
}

struct dft_function *dft_function_table_find(const struct dft_function_table *table,
                                             uintptr_t address)
{
    const struct dft_function_slot *slot = find_slot(table, address);

    return __atomic_load_n(&slot->address, __ATOMIC_RELAXED) == address
               ? dft_function_slot_function(slot)
               : NULL;
}

/* Stores the function before the address: a reader that finds the address finds the function. */
static void put(struct dft_function_table *table, uintptr_t address, struct dft_function *function)
{
    size_t at = (size_t)(find_slot(table, address) - table->slots);

    if (table->slots[at].address != address) {
        at = (size_t)(dft_function_table_first(table, address) - table->slots);
        while (table->slots[at].address > DFT_FUNCTION_SLOT_GONE)
            at = (at + 1) & (table->count - 1);
    }
    table->used += table->slots[at].address == 0;
    __atomic_store_n(&table->slots[at].function, function, __ATOMIC_RELEASE);
    __atomic_store_n(&table->slots[at].address, address, __ATOMIC_RELEASE);
}

/*
 * The old table is kept, since another thread may be reading it. All old tables together are as
 * large as the new one.
 */
static void grow_table(void)
{
    struct dft_function_table *old = dft_function_table;
    struct dft_function_table *table = make_table(2 * old->count);

    if (!table)
        return;
    for (size_t i = 0; i < old->count; i++)
        if (old->slots[i].address > DFT_FUNCTION_SLOT_GONE && old->slots[i].function)
            put(table, old->slots[i].address, old->slots[i].function);
    __atomic_store_n(&dft_function_table, table, __ATOMIC_RELEASE);
}

void dft_function_table_add(uintptr_t address, struct dft_function *function)
{
    if (dft_function_table->used > dft_function_table->count / 2)
        grow_table();
    if (dft_function_table->used + 1 <
        dft_function_table->count) /* one free slot is needed to end every search */
        put(dft_function_table, address, function);
}

/*
 * The run's allowlist has changed: functions that it did not name may be named now. They are looked
 * up again at their next call. Threads may be calling them now, so they keep their slots.
 */
static void forget_untraced(void)
{
    for (size_t i = 0; i < dft_function_table->count; i++)
        if (dft_function_table->slots[i].function == &dft_not_traced)
            __atomic_store_n(&dft_function_table->slots[i].function, NULL, __ATOMIC_RELEASE);
}

#ifndef DFT_STATIC /* static executables unload nothing that has symbols */

static unsigned surveys; /* those that have ended */

struct survey {
    struct dft_function_table *table;
    unsigned before;
    bool *is_gone; /* one for each slot */
};

static int keep_loaded(struct dl_phdr_info *info, size_t size, void *argument)
{
    const struct survey *survey = argument;

    (void)size;
    for (size_t i = 0; i < survey->table->count; i++)
        if (survey->is_gone[i] && dft_loaded_modules_contain(info, survey->table->slots[i].address))
            survey->is_gone[i] = false;
    return 0;
}

static void begin_survey(struct survey *survey)
{
    survey->table = dft_function_table;
    survey->before = surveys;
    survey->is_gone = dft_private_heap_alloc(survey->table->count);
    for (size_t i = 0; survey->is_gone && i < survey->table->count; i++)
        survey->is_gone[i] = survey->table->slots[i].address > DFT_FUNCTION_SLOT_GONE;
}

/* False if the slots may have changed owners: the table was replaced, or another survey ended. */
static bool end_survey(const struct survey *survey)
{
    bool same = survey->table == dft_function_table && survey->before == surveys;

    for (size_t i = 0; same && i < survey->table->count; i++)
        if (survey->is_gone[i]) {
            struct dft_function_slot *slot = &survey->table->slots[i];
            if (slot->function && slot->function != &dft_not_traced)
                slot->function->gone = true;
            __atomic_store_n(&slot->address, DFT_FUNCTION_SLOT_GONE, __ATOMIC_RELEASE);
        }
    surveys += same;
    dft_private_heap_free(survey->is_gone);
    return same;
}

/*
 * Removes functions of unloaded modules, because another library may be loaded at the same address.
 * The loader's lock is taken before the private heap's.
 */
static void forget_unloaded(void)
{
    struct survey survey;
    struct dft_guard guard;
    bool done = false;

    dft_guard_enter(&guard);
    while (!done && dft_private_heap_lock()) {
        begin_survey(&survey);
        dft_private_heap_unlock();
        if (!survey.is_gone)
            break;
        dft_module_walk(keep_loaded, &survey);
        if (!dft_private_heap_lock())
            break;
        done = end_survey(&survey);
        dft_private_heap_unlock();
    }
    dft_guard_leave(&guard);
}

DFT_DEFINE_NEXT(dlclose)

DFT_INTERPOSE int dlclose(void *library)
{
    int result = next_dlclose()(library);

    if (__atomic_load_n(&dft_function_table, __ATOMIC_ACQUIRE))
        forget_unloaded();
    return result;
}
#endif

void dft_function_table_begin(void)
{
    struct dft_function_table *table = NULL;

    if (dft_private_heap_lock()) {
        table = make_table(FIRST_COUNT);
        dft_private_heap_unlock();
    }
    if (!table)
        return; /* without memory, these functions are not traced */
    dft_sites_relisted = forget_untraced;
    __atomic_store_n(&dft_function_table, table, __ATOMIC_RELEASE);
}
