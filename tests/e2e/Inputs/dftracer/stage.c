/*
 * A file staging service as its authors annotate it for DFTracer: early returns, goto, a constructor
 * and a destructor, one END too many and one too few.
 */
#define _DEFAULT_SOURCE
#include "profiler.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef enum { RC_OK = 0, RC_BADPATH = -1, RC_SYSFAIL = -2 } rc_t;

struct context {
    int rank;
    size_t staged;
};

static struct context *context;

static rc_t stage_init(int rank)
{
#ifdef STAGE_PROFILER_DFTRACER
    const char *prefix = getenv(DFTRACER_LOG_FILE);
    char log_file[256];
    snprintf(log_file, sizeof log_file, "%s_core-%d.pfw", prefix ? prefix : "./stage",
             (int)getpid());
    DFTRACER_C_INIT_NO_BIND(log_file, NULL, NULL);
#endif
    STAGE_C_FUNCTION_START();
    rc_t rc = RC_OK;
    if (context != NULL) {
        goto init_done;
    }
    context = (struct context *)calloc(1, sizeof *context);
    if (context == NULL) {
        rc = RC_SYSFAIL;
        goto init_done;
    }
    context->rank = rank;
    STAGE_C_FUNCTION_UPDATE_INT("rank", context->rank);
init_done:;
    STAGE_C_FUNCTION_END();
    return rc;
}

static unsigned hash_path(const char *path)
{
    STAGE_C_FUNCTION_START();
    unsigned hash = 57u;
    if (path == NULL || *path == '\0') {
        STAGE_C_FUNCTION_END();
        return 0;
    }
    for (; *path; path++)
        hash = hash * 31 + (unsigned char)*path;
    STAGE_C_FUNCTION_UPDATE_INT("hash", hash);
    STAGE_C_FUNCTION_END();
    return hash;
}

/* What an int cannot hold is kept. */
static rc_t publish(const char *path, size_t size)
{
    STAGE_C_FUNCTION_START();
    STAGE_C_FUNCTION_UPDATE_STR("fname", path);
    STAGE_C_FUNCTION_UPDATE_INT("size", size);
    rc_t rc = RC_OK;
    if (hash_path(path) == 0) {
        rc = RC_BADPATH;
        goto publish_done;
    }
    {
        STAGE_C_REGION_START(commit);
        STAGE_C_REGION_UPDATE_INT(commit, "keys", 1);
        STAGE_C_REGION_UPDATE_STR(commit, "namespace", "test");
        context->staged++;
        STAGE_C_REGION_END(commit);
    }
publish_done:;
    STAGE_C_FUNCTION_END();
    return rc;
}

/* END is missing on one of the ways out. */
static rc_t consume(const char *path)
{
    STAGE_C_FUNCTION_START();
    STAGE_C_FUNCTION_UPDATE_STR("fname", path);
    if (hash_path(path) == 0)
        return RC_BADPATH;
    STAGE_C_FUNCTION_END();
    return RC_OK;
}

__attribute__((constructor)) static void stage_wrapper_init(void)
{
    stage_init(3);
    STAGE_C_FUNCTION_START();
    STAGE_C_FUNCTION_END();
}

/* One END too many. */
__attribute__((destructor)) static void stage_wrapper_fini(void)
{
    STAGE_C_FUNCTION_START();
    if (context == NULL) {
        STAGE_C_FUNCTION_END();
        goto fini_done;
    }
    free(context);
    context = NULL;
    STAGE_C_FUNCTION_END();
fini_done:;
    STAGE_C_FUNCTION_END();
#ifdef STAGE_PROFILER_DFTRACER
    DFTRACER_C_FINI();
#endif
}

int main(void)
{
#ifdef STAGE_PROFILER_DFTRACER
    int pid = 7;
    DFTRACER_C_INIT(NULL, NULL, &pid);
    DFTRACER_C_INIT(NULL, NULL, (int *)-1);
#endif
    STAGE_C_FUNCTION_START();
    errno = EXDEV;
    rc_t rc = publish("a.dat", (size_t)3 << 32);
    if (publish("", 0) != RC_BADPATH || consume("") != RC_BADPATH || consume("a.dat") != RC_OK)
        rc = RC_SYSFAIL;
    if (errno != EXDEV)
        rc = RC_SYSFAIL;
    STAGE_C_FUNCTION_END();
    printf("staged %d\n", rc == RC_OK && context->staged == 1);
    return rc;
}
