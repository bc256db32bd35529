/*
 * Starts XRay's flight data recorder before main and writes its log afterwards. Starting it from the
 * environment fails on processors whose frequency it cannot determine; this does not. The defaults
 * would omit calls shorter than 5 us and overwrite the oldest, so both are set.
 */
#include <stdio.h>

int __xray_log_select_mode(const char *mode);
int __xray_log_init_mode(const char *mode, const char *options);
int __xray_patch(void);
int __xray_log_finalize(void);
int __xray_log_flushLog(void);

#define MODE "xray-fdr"
#define LOG_INITIALIZED 2

__attribute__((constructor)) static void start_recorder(void)
{
    const char *options = "func_duration_threshold_us=0:buffer_size=1048576:buffer_max=256";

    __xray_log_select_mode(MODE);
    if (__xray_log_init_mode(MODE, options) != LOG_INITIALIZED)
        fputs("XRay's flight data recorder did not start\n", stderr);
    else
        __xray_patch();
}

__attribute__((destructor)) static void write_log(void)
{
    __xray_log_finalize();
    __xray_log_flushLog();
}
