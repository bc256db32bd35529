/* Which processors the calling thread may run on. Any thread, any context. */
#ifndef DFT_OS_PROCESSORS_H
#define DFT_OS_PROCESSORS_H

#include <sched.h>
#include <stdbool.h>

/* Room for 8,192 processors, the limit of Linux. A cpu_set_t alone has room for 1,024. */
struct dft_processors {
    cpu_set_t sets[8];
};

#define DFT_PROCESSORS_MAX ((int)(8 * sizeof(struct dft_processors)))

static inline bool dft_processors_read(struct dft_processors *processors)
{
    return sched_getaffinity(0, sizeof *processors, processors->sets) == 0;
}

static inline unsigned dft_processors_count(const struct dft_processors *processors)
{
    return (unsigned)CPU_COUNT_S(sizeof *processors, processors->sets);
}

static inline bool dft_processors_have(const struct dft_processors *processors, int number)
{
    return number < DFT_PROCESSORS_MAX &&
           CPU_ISSET_S((size_t)number, sizeof *processors, processors->sets);
}

#endif
