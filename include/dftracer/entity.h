/*
 * DFTracer's entities: what a program's events work on, and how they relate to each other. Included
 * by dftracer.h.
 *
 * An entity is known by its type and its key; its id is a hash of both. Each declaration is an
 * instant in the trace, with the category "dftracer" and a name that DFTracer's own records have:
 *
 *   EH   an entity: id, type, store, uri
 *   ET   a type of entities: type, role, description
 *   ER   two entities: relation, subject, object
 *
 * What a region does to an entity is an argument of the region: "relations":{"used":["<id>"]}.
 */
#ifndef DFTRACER_ENTITY_H
#define DFTRACER_ENTITY_H

#include <dftracer/region.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint64_t EntityID;
typedef const char *ConstEntityTypeName;
typedef const char *ConstEntityKey;
typedef const char *ConstEntityURI;
typedef const char *ConstEntityDescription;

#define DFT_ENTITY_NONE ((EntityID)0)

/* Where an entity is. */
typedef enum {
    DFT_STORE_MEMORY = 0,
    DFT_STORE_GPU_MEMORY = 1,
    DFT_STORE_LOCAL_DISK = 2,
    DFT_STORE_PARALLEL_FS = 3,
    DFT_STORE_BURST_BUFFER = 4,
    DFT_STORE_OBJECT_STORE = 5,
    DFT_STORE_DATABASE = 6,
    DFT_STORE_NETWORK = 7,
    DFT_STORE_OTHER = 8
} EntityStore;

/* What a type of entities is to the program. */
typedef enum {
    DFT_ROLE_UNKNOWN = 0,
    DFT_ROLE_INPUT = 1,
    DFT_ROLE_OUTPUT = 2,
    DFT_ROLE_INTERMEDIATE = 3,
    DFT_ROLE_PARAMETER = 4,
    DFT_ROLE_REFERENCE = 5
} EntityRole;

/* Below 16: what a region does to an entity. From 16: what an entity is to another one. */
typedef enum {
    DFT_REL_USED = 0,
    DFT_REL_GENERATED = 1,
    DFT_REL_INVALIDATED = 2,
    DFT_REL_UPDATED = 3,
    DFT_REL_DERIVED_FROM = 16,
    DFT_REL_REVISION_OF = 17,
    DFT_REL_CONTAINS = 18,
    DFT_REL_PART_OF = 19,
    DFT_REL_SPECIALIZATION_OF = 20,
    DFT_REL_ALTERNATE_OF = 21,
    DFT_REL_DEPENDS_ON = 22
} EntityRelation;

static inline int dft_relation_is_event(EntityRelation relation)
{
    return relation < 16;
}

static inline const char *dft_relation_name(EntityRelation relation)
{
    static const char *const of_events[] = {"used", "generated", "invalidated", "updated"};
    static const char *const of_entities[] = {"derived_from", "revision_of",       "contains",
                                              "part_of",      "specialization_of", "alternate_of",
                                              "depends_on"};

    if ((unsigned)relation < sizeof of_events / sizeof *of_events)
        return of_events[relation];
    if ((unsigned)relation - 16 < sizeof of_entities / sizeof *of_entities)
        return of_entities[relation - 16];
    return "related";
}

/* --- ids ------------------------------------------------------------------------------------ */

#define DFT_ENTITY_HEX_LEN 17 /* 16 digits and a NUL */
#define DFTRACER_HASH_BASIS ((uint64_t)1469598103934665603u)

static inline uint64_t dftracer_hash(uint64_t hash, const char *text)
{
    for (; text && *text; text++)
        hash = (hash ^ (unsigned char)*text) * 1099511628211u;
    return hash;
}

/* FNV-1a of the type, the byte 0x1f and the key, from a basis of DFTracer's own. Never 0. */
static inline EntityID dft_entity_hash(ConstEntityTypeName type, ConstEntityKey key)
{
    uint64_t hash = dftracer_hash(dftracer_hash(DFTRACER_HASH_BASIS, type), "\x1f");

    hash = dftracer_hash(hash, key);
    return hash == DFT_ENTITY_NONE ? 1 : hash;
}

static inline void dft_entity_hex(EntityID id, char *text)
{
    for (int i = 0; i < DFT_ENTITY_HEX_LEN - 1; i++)
        text[i] = "0123456789abcdef"[id >> (60 - 4 * i) & 15];
    text[DFT_ENTITY_HEX_LEN - 1] = '\0';
}

/* --- declarations --------------------------------------------------------------------------- */

#define DFTRACER_CATEGORY "dftracer" /* of DFTracer's own records */
#define DFTRACER_RECORD(...)                                                                       \
    DFTRACE_IMPL_INSTANT(DFTRACE_IMPL_UNIQUE, DFTRACER_CATEGORY, __VA_ARGS__)

/* Whether the process asks for this id for the first time; -1 while nothing is recorded. */
static inline int dftracer_is_first(uint64_t id)
{
    return __dftrace_first ? __dftrace_first(id) : -1;
}

/* Records the entity once, and returns its id; DFT_ENTITY_NONE while nothing is recorded. */
static inline EntityID dftracer_declare_entity(ConstEntityTypeName type, ConstEntityKey key,
                                               EntityStore store, ConstEntityURI uri)
{
    EntityID id = dft_entity_hash(type, key);
    int is_first = dftracer_is_first(id);
    char hex[DFT_ENTITY_HEX_LEN];

    if (is_first < 0)
        return DFT_ENTITY_NONE;
    if (is_first) {
        dft_entity_hex(id, hex);
        DFTRACER_RECORD("EH", "id", (const char *)hex, "type", type, "store", (int)store, "uri",
                        uri ? uri : "");
    }
    return id;
}

static inline void dftracer_declare_entity_type(ConstEntityTypeName type, EntityRole role,
                                                ConstEntityDescription description)
{
    if (dftracer_is_first(dft_entity_hash("ET", type)) > 0)
        DFTRACER_RECORD("ET", "type", type, "role", (int)role, "description",
                        description ? description : "");
}

static inline void dftracer_relate_entities(EntityRelation relation, EntityID subject,
                                            EntityID object)
{
    char subject_hex[DFT_ENTITY_HEX_LEN], object_hex[DFT_ENTITY_HEX_LEN];

    dft_entity_hex(subject, subject_hex);
    dft_entity_hex(object, object_hex);
    DFTRACER_RECORD("ER", "relation", (int)relation, "subject", (const char *)subject_hex, "object",
                    (const char *)object_hex);
}

/* --- what a region does to an entity -------------------------------------------------------- */

/* A relation between two entities is not a region's: it has no effect here. */
static inline void update_relation(struct DFTracerData *data, EntityRelation relation,
                                   EntityID entity)
{
    char hex[DFT_ENTITY_HEX_LEN];

    if (!dftracer_is_open(data) || !dft_relation_is_event(relation))
        return;
    dft_entity_hex(entity, hex);
    struct dftrace_value id = DFTRACE_IMPL_VALUE(NULL, (const char *)hex);
    struct dftrace_value ids = dftrace_impl_values(DFTRACE_TYPE_LIST, &id, 1);
    ids.key = dft_relation_name(relation);
    struct dftrace_value relations = dftrace_impl_values(DFTRACE_TYPE_MAP, &ids, 1);
    relations.key = "relations";
    dftracer_add(data, relations);
}

static inline EntityID update_relation_entity(struct DFTracerData *data, EntityRelation relation,
                                              ConstEntityTypeName type, ConstEntityKey key,
                                              EntityStore store, ConstEntityURI uri)
{
    EntityID entity = dftracer_declare_entity(type, key, store, uri);

    update_relation(data, relation, entity);
    return entity;
}

#ifdef __cplusplus
}
#endif
#endif
