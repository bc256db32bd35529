/*
 * DFTracer's interface for C99 and C++11, so that programs written for DFTracer build unchanged and
 * are traced by dftrace. docs/DFTRACER.md lists what differs.
 *
 * Nothing must be linked. While nothing is recorded, a region reads one variable when it begins and
 * does nothing else. Any thread, also before main and after finalize.
 *
 * Macros of statements end with a semicolon, as DFTracer's do: programs may leave theirs out.
 */
#ifndef DFTRACER_DFTRACER_H
#define DFTRACER_DFTRACER_H

#include <dftracer/entity.h>
#include <dftracer/region.h>

#include <stdio.h>

/* Names of environment variables, for programs that read them. */
#ifndef DFTRACER_LOG_FILE
#define DFTRACER_LOG_FILE "DFTRACER_LOG_FILE"
#endif
#ifndef DFTRACER_DATA_DIR
#define DFTRACER_DATA_DIR "DFTRACER_DATA_DIR"
#endif

#ifdef __cplusplus
extern "C" {
#endif

__attribute__((unused)) static ConstEventNameType C_LOG_CATEGORY = "C_APP";

/* --- the whole process ---------------------------------------------------------------------- */

/*
 * Begins the trace, unless something was recorded before. Then its prefix is `log_file` without
 * ".pfw" or ".pfw.gz", if DFTRACER_LOG_FILE is not set. The other two are not used: `process_id`
 * may point anywhere.
 */
static inline void initialize_main(const char *log_file, const char *data_dirs, int *process_id)
{
    (void)data_dirs;
    (void)process_id;
    if (__dftrace_log_file)
        __dftrace_log_file(log_file);
}

static inline void initialize_no_bind(const char *log_file, const char *data_dirs, int *process_id)
{
    initialize_main(log_file, data_dirs, process_id);
}

/* All that was recorded so far is in the trace when this returns. Recording goes on. */
static inline void finalize(void)
{
    if (__dftrace_flush)
        __dftrace_flush();
}

/* Metadata of the process. A reader takes the last value of a key. */
static inline void set_app_metadata_int(const char *key, int value)
{
    dftrace_impl_metadata(DFTRACE_IMPL_VALUE(key, value));
}

static inline void set_app_metadata_string(const char *key, const char *value)
{
    dftrace_impl_metadata(DFTRACE_IMPL_VALUE(key, value));
}

/* The metadata "used.NAME" = true, once. */
static inline void mark_used(const char *name)
{
    struct dftrace_value value = {NULL, DFTRACE_TYPE_BOOL, 0, {1}};
    char key[128];

    if (!__dftrace_metadata || !name || dftracer_is_first(dft_entity_hash("used", name)) == 0)
        return;
    snprintf(key, sizeof key, "used.%s", name);
    value.key = key;
    dftrace_impl_metadata(value);
}

static inline void dftracer_region_cleanup(struct DFTracerData *data)
{
    dftracer_end(data);
}

#ifdef __cplusplus
}
#endif

/* --- C macros ------------------------------------------------------------------------------- */

#define DFTRACER_C_INIT(log_file, data_dirs, process_id)                                           \
    (initialize_main(log_file, data_dirs, process_id), mark_used("C_APP"));
#define DFTRACER_C_INIT_NO_BIND(log_file, data_dirs, process_id)                                   \
    (initialize_no_bind(log_file, data_dirs, process_id), mark_used("C_APP"));
#define DFTRACER_C_FINI() finalize()

/*
 * A region whose END is missing ends with its block. Therefore Clang refuses a goto or switch, in C,
 * that jumps past a START into its block; without this attribute it does not. Integers keep all 64
 * bits.
 */
#ifdef DFTRACER_NO_CLEANUP
#define DFTRACER_CLEANUP
#else
#define DFTRACER_CLEANUP __attribute__((cleanup(dftracer_region_cleanup)))
#endif
#define DFTRACER_BEGIN(variable, name)                                                             \
    static struct dftrace_event dftracer_event_##variable = DFTRACER_EVENT(name, "C_APP");         \
    struct DFTracerData dftracer_region_##variable DFTRACER_CLEANUP;                               \
    struct DFTracerData *variable __attribute__((unused)) =                                        \
        dftracer_begin(&dftracer_region_##variable, &dftracer_event_##variable)

#define DFTRACER_C_FUNCTION_START() DFTRACER_BEGIN(data_fn, __func__);
#define DFTRACER_C_FUNCTION_END() dftracer_end(data_fn);
#define DFTRACER_C_FUNCTION_UPDATE_INT(key, val) dftracer_add_number(data_fn, key, val);
#define DFTRACER_C_FUNCTION_UPDATE_STR(key, val) update_metadata_string(data_fn, key, val);
#define DFTRACER_C_FUNCTION_UPDATE_INT_TYPE(key, val, type)                                        \
    ((void)(type), dftracer_add_number(data_fn, key, val));
#define DFTRACER_C_FUNCTION_UPDATE_STR_TYPE(key, val, type)                                        \
    update_metadata_string_type(data_fn, key, val, type);

#define DFTRACER_C_REGION_START(name) DFTRACER_BEGIN(data_##name, #name);
#define DFTRACER_C_REGION_END(name) dftracer_end(data_##name);
#define DFTRACER_C_REGION_UPDATE_INT(name, key, val) dftracer_add_number(data_##name, key, val);
#define DFTRACER_C_REGION_UPDATE_STR(name, key, val) update_metadata_string(data_##name, key, val);
#define DFTRACER_C_REGION_UPDATE_INT_TYPE(name, key, val, type)                                    \
    ((void)(type), dftracer_add_number(data_##name, key, val));
#define DFTRACER_C_REGION_UPDATE_STR_TYPE(name, key, val, type)                                    \
    update_metadata_string_type(data_##name, key, val, type);

#define DFTRACER_C_METADATA(name, key, val)                                                        \
    {                                                                                              \
        set_app_metadata_string(key, val);                                                         \
    }
#define DFTRACER_C_APP_METADATA_INT(key, val) set_app_metadata_int(key, val);
#define DFTRACER_C_APP_METADATA_STR(key, val) set_app_metadata_string(key, val);
#define DFTRACER_C_MARK_USED(name) mark_used(name);

#define DFTRACER_C_ENTITY(type, key, store, uri) dftracer_declare_entity(type, key, store, uri)
#define DFTRACER_C_ENTITY_TYPE(type, role, description)                                            \
    dftracer_declare_entity_type(type, role, description);
#define DFTRACER_C_ENTITY_RELATE(relation, subject, object)                                        \
    dftracer_relate_entities(relation, subject, object);
#define DFTRACER_C_FUNCTION_RELATE(relation, entity) update_relation(data_fn, relation, entity);
#define DFTRACER_C_FUNCTION_USES(type, key)                                                        \
    update_relation_entity(data_fn, DFT_REL_USED, type, key, DFT_STORE_MEMORY, NULL);
#define DFTRACER_C_FUNCTION_GENERATES(type, key)                                                   \
    update_relation_entity(data_fn, DFT_REL_GENERATED, type, key, DFT_STORE_MEMORY, NULL);
#define DFTRACER_C_REGION_RELATE(name, relation, entity)                                           \
    update_relation(data_##name, relation, entity);

#ifdef __cplusplus
#include <dftracer/dftracer_cpp.h>
#endif
#endif
