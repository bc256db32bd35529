/*
 * How projects wrap DFTracer's macros, to be able to build without it: here with a switch, macros of
 * their own names, and parentheses around arguments.
 */
#ifndef STAGE_PROFILER_H
#define STAGE_PROFILER_H

#ifdef STAGE_PROFILER_DFTRACER
#include <dftracer/dftracer.h>
#define STAGE_C_FUNCTION_START() DFTRACER_C_FUNCTION_START()
#define STAGE_C_FUNCTION_END() DFTRACER_C_FUNCTION_END()
#define STAGE_C_FUNCTION_UPDATE_INT(key, value) DFTRACER_C_FUNCTION_UPDATE_INT((key), (value))
#define STAGE_C_FUNCTION_UPDATE_STR(key, value) DFTRACER_C_FUNCTION_UPDATE_STR((key), (value))
#define STAGE_C_REGION_START(name) DFTRACER_C_REGION_START(name)
#define STAGE_C_REGION_END(name) DFTRACER_C_REGION_END(name)
#define STAGE_C_REGION_UPDATE_INT(name, key, value)                                                \
    DFTRACER_C_REGION_UPDATE_INT(name, (key), (value))
#define STAGE_C_REGION_UPDATE_STR(name, key, value)                                                \
    DFTRACER_C_REGION_UPDATE_STR(name, (key), (value))
#ifdef __cplusplus
#define STAGE_CPP_FUNCTION() DFTRACER_CPP_FUNCTION()
#define STAGE_CPP_FUNCTION_UPDATE(key, value) DFTRACER_CPP_FUNCTION_UPDATE((key), (value))
#endif
#else
#define STAGE_NOTHING                                                                              \
    do {                                                                                           \
    } while (0)
#define STAGE_C_FUNCTION_START() STAGE_NOTHING
#define STAGE_C_FUNCTION_END() STAGE_NOTHING
#define STAGE_C_FUNCTION_UPDATE_INT(key, value) STAGE_NOTHING
#define STAGE_C_FUNCTION_UPDATE_STR(key, value) STAGE_NOTHING
#define STAGE_C_REGION_START(name) STAGE_NOTHING
#define STAGE_C_REGION_END(name) STAGE_NOTHING
#define STAGE_C_REGION_UPDATE_INT(name, key, value) STAGE_NOTHING
#define STAGE_C_REGION_UPDATE_STR(name, key, value) STAGE_NOTHING
#endif

#endif
