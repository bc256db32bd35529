/*
 * Time of calls that are in no other call of their bucket: the same whether children or parents come
 * first, compared with a count of every nanosecond.
 */
#include "tool/analysis/outermost.h"
#include "unit.h"

#include <stdlib.h>

#define BUCKETS 3
#define CALLS_MAX 300
#define TIME_MAX 4096

struct call {
    int64_t start, end;
    uint32_t bucket;
};

static struct call calls[CALLS_MAX]; /* parents first */
static size_t count;

/* Makes a call with random calls inside. */
static void make(unsigned *seed, int64_t start, int64_t end, unsigned depth)
{
    if (count == CALLS_MAX || depth > 8)
        return;
    calls[count++] = (struct call){start, end, (uint32_t)rand_r(seed) % BUCKETS};
    while (end - start > 2 && rand_r(seed) % 4) {
        int64_t from = start + rand_r(seed) % (end - start);
        int64_t to = from + rand_r(seed) % (end - from);
        make(seed, from, to, depth + 1);
        start = to;
    }
}

static void sort_children_first(void)
{
    for (size_t i = 0; i < count / 2; i++) { /* of the reverse order, siblings do not matter */
        struct call call = calls[i];
        calls[i] = calls[count - 1 - i];
        calls[count - 1 - i] = call;
    }
    for (size_t i = 1; i < count; i++) /* by end, stable: a parent stays behind its children */
        for (size_t j = i; j > 0 && calls[j - 1].end > calls[j].end; j--) {
            struct call call = calls[j];
            calls[j] = calls[j - 1];
            calls[j - 1] = call;
        }
}

static int64_t count_nanoseconds(uint32_t bucket)
{
    static char covered[TIME_MAX];
    int64_t time = 0;

    memset(covered, 0, sizeof covered);
    for (size_t i = 0; i < count; i++)
        if (calls[i].bucket == bucket)
            memset(covered + calls[i].start, 1, (size_t)(calls[i].end - calls[i].start));
    for (size_t i = 0; i < TIME_MAX; i++)
        time += covered[i];
    return time;
}

static void check_sums(void)
{
    struct dft_outermost outermost = {0};
    int64_t sums[BUCKETS] = {0};

    for (size_t i = 0; i < count; i++)
        sums[calls[i].bucket] +=
            dft_outermost_add(&outermost, calls[i].bucket, calls[i].start, calls[i].end);
    for (uint32_t bucket = 0; bucket < BUCKETS; bucket++)
        CHECK_INT(sums[bucket], count_nanoseconds(bucket));
    dft_outermost_free(&outermost);
}

static void check_random_calls(void)
{
    for (unsigned round = 0; round < (unsigned)unit_rounds(500); round++) {
        unsigned seed = round;
        count = 0;
        make(&seed, 0, TIME_MAX - 1, 0);
        check_sums();
        sort_children_first();
        check_sums();
    }
}

/* Memory is bounded; what was forgotten is not subtracted. */
static void check_many_calls(void)
{
    struct dft_outermost outermost = {0};
    int64_t sum = 0;

    for (int64_t i = 0; i < 100000; i++) {
        sum += dft_outermost_add(&outermost, 0, 2 * i, 2 * i + 1);
        CHECK(outermost.count <= DFT_OUTERMOST_SPANS);
    }
    CHECK_INT(sum, 100000);
    sum += dft_outermost_add(&outermost, 0, 2 * 99900, 2 * 100000);
    CHECK_INT(sum, 100000 - 100 + 200);
    dft_outermost_free(&outermost);
}

int main(void)
{
    check_random_calls();
    check_many_calls();
    return unit_result();
}
