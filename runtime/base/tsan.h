/*
 * In a program built with ThreadSanitizer, TSan sees the memory accesses of the runtime's memcpy
 * and the like, but not the atomics that synchronize them. Between begin and end TSan ignores these
 * accesses. In other programs, both functions do nothing.
 */
#ifndef DFT_RUNTIME_BASE_TSAN_H
#define DFT_RUNTIME_BASE_TSAN_H

/* TSan's own functions. */
void AnnotateIgnoreReadsBegin(const char *file, int line) __attribute__((weak));
void AnnotateIgnoreReadsEnd(const char *file, int line) __attribute__((weak));
void AnnotateIgnoreWritesBegin(const char *file, int line) __attribute__((weak));
void AnnotateIgnoreWritesEnd(const char *file, int line) __attribute__((weak));

static inline void dft_tsan_ignore_begin(void)
{
    if (AnnotateIgnoreReadsBegin && AnnotateIgnoreWritesBegin) {
        AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
        AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
    }
}

static inline void dft_tsan_ignore_end(void)
{
    if (AnnotateIgnoreReadsEnd && AnnotateIgnoreWritesEnd) {
        AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
        AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
    }
}

#endif
