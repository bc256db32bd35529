/* Each C macro of dftracer.h, with and without a semicolon behind it, and the functions behind them. */
#include <dftracer/dftracer.h>

#include <stdio.h>

static void use_function(void)
{
    DFTRACER_C_FUNCTION_START()
    DFTRACER_C_FUNCTION_UPDATE_INT("int", -5)
    DFTRACER_C_FUNCTION_UPDATE_INT_TYPE("value", 6, MT_VALUE)
    DFTRACER_C_FUNCTION_UPDATE_STR("text", "a \"b\"")
    DFTRACER_C_FUNCTION_UPDATE_STR_TYPE("ignored", "c", MT_IGNORE)
    DFTRACER_C_FUNCTION_UPDATE_STR("none", NULL)
    DFTRACER_C_FUNCTION_END()
    DFTRACER_C_FUNCTION_UPDATE_INT("late", 1)
    DFTRACER_C_FUNCTION_END();
}

static void use_region(int is_long)
{
    DFTRACER_C_REGION_START(OUTER);
    DFTRACER_C_REGION_UPDATE_INT(OUTER, "int", is_long);
    DFTRACER_C_REGION_UPDATE_INT_TYPE(OUTER, "value", 7, MT_KEY);
    DFTRACER_C_REGION_UPDATE_STR(OUTER, "text", "d");
    DFTRACER_C_REGION_UPDATE_STR_TYPE(OUTER, "more", "e", MT_KEY);
    for (int i = 0; i < 2; i++) {
        DFTRACER_C_REGION_START(forgotten); /* ends with the block */
        DFTRACER_C_REGION_UPDATE_INT(forgotten, "i", i);
        if (is_long)
            continue;
        DFTRACER_C_REGION_END(forgotten);
    }
    DFTRACER_C_REGION_END(OUTER)
}

static void use_entities(void)
{
    DFTRACER_C_FUNCTION_START();
    EntityID protein = DFTRACER_C_ENTITY("protein_structure", "MGYP0001", DFT_STORE_MEMORY, NULL);
    EntityID file = DFTRACER_C_ENTITY("file", "a", DFT_STORE_PARALLEL_FS, "/data/a");
    EntityID again = DFTRACER_C_ENTITY("file", "a", DFT_STORE_PARALLEL_FS, "/data/a");
    DFTRACER_C_ENTITY_TYPE("file", DFT_ROLE_OUTPUT, "what is written");
    DFTRACER_C_ENTITY_TYPE("file", DFT_ROLE_OUTPUT, "what is written");
    DFTRACER_C_ENTITY_RELATE(DFT_REL_CONTAINS, file, protein);
    DFTRACER_C_FUNCTION_RELATE(DFT_REL_UPDATED, file);
    DFTRACER_C_REGION_START(relating);
    DFTRACER_C_REGION_RELATE(relating, DFT_REL_INVALIDATED, again);
    DFTRACER_C_REGION_RELATE(relating, DFT_REL_CONTAINS, again); /* not a region's */
    DFTRACER_C_REGION_END(relating);
    DFTRACER_C_FUNCTION_END();
}

static void use_roles(void)
{
    DFTRACER_C_FUNCTION_START();
    DFTRACER_C_FUNCTION_USES("input", "x");
    DFTRACER_C_FUNCTION_GENERATES("output", "y");
    DFTRACER_C_FUNCTION_END();
}

/* A region of any name, as those who do not use the macros begin it. */
static void use_functions(const char *name)
{
    struct DFTracerData *data = initialize_region(name, C_LOG_CATEGORY, DF_DATA_EVENT);
    struct DFTracerData *other = initialize_region("other", "OWN", DF_DATA_EVENT);

    update_metadata_int(data, "int", 1);
    update_metadata_int_type(data, "value", 2, MT_KEY);
    update_metadata_string(data, "text", "f");
    update_metadata_string_type(data, "more", "g", MT_KEY);
    finalize_region_cleanup(&other);
    finalize_region(other);
    finalize_region(data);
    finalize_region(initialize_region("key", "value of it", DF_METADATA_EVENT));
}

static void use_variable(void)
{
    DFTRACER_C_FUNCTION_START();
    update_metadata_string(data_fn, "by", "name");
    finalize_region(data_fn);
}

int main(void)
{
    DFTRACER_C_INIT("never/used.pfw", "all", NULL);
    DFTRACER_C_INIT_NO_BIND(NULL, NULL, NULL);
    DFTRACER_C_METADATA(meta, "first", "1")
    DFTRACER_C_APP_METADATA_INT("nodes", 4);
    DFTRACER_C_APP_METADATA_STR("queue", "debug");
    DFTRACER_C_MARK_USED("mpi");
    DFTRACER_C_MARK_USED("mpi");
    use_function();
    use_region(0);
    use_region(1);
    use_entities();
    use_roles();
    use_functions("any name");
    use_variable();
    DFTRACER_C_FINI();
    use_variable(); /* still recorded */
    puts("done");
    return dft_entity_hash("protein_structure", "MGYP0001") != 0x8f0de68c04eea0bfu;
}
