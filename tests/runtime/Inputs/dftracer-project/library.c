#include <dftracer/dftracer.h>

int stage(int files);

int stage(int files)
{
    DFTRACER_C_FUNCTION_START();
    DFTRACER_C_FUNCTION_UPDATE_INT("files", files);
    DFTRACER_C_FUNCTION_END();
    return files;
}
