/*
 * The C++ part of DFTracer's interface. Included by dftracer.h.
 */
#ifndef DFTRACER_DFTRACER_CPP_H
#define DFTRACER_DFTRACER_CPP_H

#include <dftracer/entity.h>
#include <dftracer/region.h>

#include <type_traits>

__attribute__((unused)) static ConstEventNameType CPP_LOG_CATEGORY = "CPP_APP";

/* A region that ends with the object, or before by finalize. */
class DFTracer
{
  public:
    /* With DF_METADATA_EVENT: writes the metadata `name` = `cat`. */
    DFTracer(ConstEventNameType name, ConstEventNameType cat, int event_type = DF_DATA_EVENT)
        : data()
    {
        if (event_type == DF_METADATA_EVENT)
            initialize_region(name, cat, event_type);
        else
            dftracer_begin(&data, dftrace_impl_find(name, cat, nullptr));
    }

    /* For the macros. */
    explicit DFTracer(struct dftrace_event *event) : data()
    {
        dftracer_begin(&data, event);
    }

    DFTracer(DFTracer &&other) noexcept : data(other.data)
    {
        data.self = other.data.self == &other.data ? &data : nullptr;
        other.data.self = nullptr;
    }
    DFTracer(const DFTracer &) = delete;
    DFTracer &operator=(const DFTracer &) = delete;
    ~DFTracer()
    {
        finalize();
    }

    void update(const char *key, int value, MetadataType = MT_KEY)
    {
        update_metadata_int(&data, key, value);
    }
    void update(const char *key, const char *value, MetadataType = MT_KEY)
    {
        update_metadata_string(&data, key, value);
    }
    /* Numbers that an int cannot hold keep their value. */
    template <typename Number>
    typename std::enable_if<std::is_arithmetic<Number>::value>::type
    update(const char *key, Number value, MetadataType = MT_KEY)
    {
        dftracer_add(&data, DFTRACE_IMPL_VALUE(key, value));
    }

    void relate(EntityRelation relation, EntityID entity)
    {
        update_relation(&data, relation, entity);
    }
    EntityID relate(EntityRelation relation, ConstEntityTypeName type, ConstEntityKey key,
                    EntityStore store = DFT_STORE_MEMORY, ConstEntityURI uri = nullptr)
    {
        return update_relation_entity(&data, relation, type, key, store, uri);
    }
    EntityID uses(ConstEntityTypeName type, ConstEntityKey key,
                  EntityStore store = DFT_STORE_MEMORY, ConstEntityURI uri = nullptr)
    {
        return relate(DFT_REL_USED, type, key, store, uri);
    }
    EntityID generates(ConstEntityTypeName type, ConstEntityKey key,
                       EntityStore store = DFT_STORE_MEMORY, ConstEntityURI uri = nullptr)
    {
        return relate(DFT_REL_GENERATED, type, key, store, uri);
    }

    void finalize()
    {
        dftracer_end(&data);
    }

  private:
    struct DFTracerData data;
};

/* --- macros --------------------------------------------------------------------------------- */

#define DFTRACER_CPP_INIT(log_file, data_dirs, process_id)                                         \
    (initialize_main(log_file, data_dirs, process_id), mark_used("CPP_APP"));
#define DFTRACER_CPP_INIT_NO_BIND(log_file, data_dirs, process_id)                                 \
    (initialize_no_bind(log_file, data_dirs, process_id), mark_used("CPP_APP"));
#define DFTRACER_CPP_FINI() finalize()

#define DFTRACER_OBJECT(variable, name)                                                            \
    static struct dftrace_event dftracer_event_##variable = DFTRACER_EVENT(name, "CPP_APP");       \
    DFTracer variable(&dftracer_event_##variable)

#define DFTRACER_CPP_FUNCTION() DFTRACER_OBJECT(profiler_dft_fn, __FUNCTION__);
#define DFTRACER_CPP_FUNCTION_UPDATE(key, val) profiler_dft_fn.update(key, val);
#define DFTRACER_CPP_FUNCTION_UPDATE_TYPE(key, val, type) profiler_dft_fn.update(key, val, type);

#define DFTRACER_CPP_REGION(name) DFTRACER_OBJECT(profiler_##name, #name);
#define DFTRACER_CPP_REGION_UPDATE(name, key, val) profiler_##name.update(key, val);
#define DFTRACER_CPP_REGION_UPDATE_TYPE(name, key, val, type)                                      \
    profiler_##name.update(key, val, type);

/* A region whose END is missing ends with its block. */
#define DFTRACER_CPP_REGION_START(name)                                                            \
    DFTRACER_OBJECT(dftracer_region_##name, #name);                                                \
    DFTracer *profiler_##name __attribute__((unused)) = &dftracer_region_##name;
#define DFTRACER_CPP_REGION_END(name) profiler_##name->finalize()
#define DFTRACER_CPP_REGION_DYN_UPDATE(name, key, val) profiler_##name->update(key, val);
#define DFTRACER_CPP_REGION_DYN_UPDATE_TYPE(name, key, val, type)                                  \
    profiler_##name->update(key, val, type);

#define DFTRACER_CPP_METADATA(name, key, value)                                                    \
    {                                                                                              \
        set_app_metadata_string(key, value);                                                       \
    }
#define DFTRACER_CPP_APP_METADATA_INT(key, val) set_app_metadata_int(key, val);
#define DFTRACER_CPP_APP_METADATA_STR(key, val) set_app_metadata_string(key, val);
#define DFTRACER_CPP_MARK_USED(name) mark_used(name);

#define DFTRACER_CPP_ENTITY(type, key, store, uri) dftracer_declare_entity(type, key, store, uri)
#define DFTRACER_CPP_ENTITY_TYPE(type, role, description)                                          \
    dftracer_declare_entity_type(type, role, description);
#define DFTRACER_CPP_ENTITY_RELATE(relation, subject, object)                                      \
    dftracer_relate_entities(relation, subject, object);
#define DFTRACER_CPP_FUNCTION_RELATE(relation, entity) profiler_dft_fn.relate(relation, entity);
#define DFTRACER_CPP_FUNCTION_USES(type, key) profiler_dft_fn.uses(type, key);
#define DFTRACER_CPP_FUNCTION_GENERATES(type, key) profiler_dft_fn.generates(type, key);
#define DFTRACER_CPP_REGION_RELATE(name, relation, entity) profiler_##name.relate(relation, entity);
#define DFTRACER_CPP_REGION_DYN_RELATE(name, relation, entity)                                     \
    profiler_##name->relate(relation, entity);

#endif
