/* Coverage of a line by ranges, against a map with one byte for each place. */
#include "tool/analysis/io/coverage.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#define LENGTH 20000

static unsigned char map[LENGTH];

static int64_t mark(int64_t start, int64_t end)
{
    int64_t fresh = 0;

    for (int64_t i = start; i < end; i++) {
        fresh += !map[i];
        map[i] = 1;
    }
    return fresh;
}

/* Few enough ranges: exact, in whatever order they come. */
static void test_random(void)
{
    for (unsigned seed = 1; seed <= 20; seed++) {
        struct dft_coverage coverage = {0};

        srandom(seed);
        memset(map, 0, sizeof map);
        for (int i = 0; i < 2000; i++) {
            int64_t start = random() % LENGTH;
            int64_t end = start + random() % (seed * 10);
            end = end < LENGTH ? end : LENGTH;
            CHECK_INT(dft_coverage_add(&coverage, start, end), mark(start, end));
        }
        CHECK(!coverage.is_estimate);
        for (size_t i = 1; i < coverage.count; i++)
            CHECK(coverage.spans[i - 1].end <= coverage.spans[i].start);
        dft_coverage_free(&coverage);
    }
}

/* Any number of ranges that do not overlap is exact, in bounded memory. */
static void test_many(void)
{
    struct dft_coverage coverage = {0};
    int64_t covered = 0;

    for (int64_t i = 0; i < 100000; i++)
        covered += dft_coverage_add(&coverage, 10 * i, 10 * i + 1 + i % 7);
    CHECK_INT(covered, 14285 * 28 + 15);
    CHECK(!coverage.is_estimate);
    CHECK(coverage.count <= DFT_COVERAGE_SPANS);
    /* What overlaps old ones is an estimate: at least the part that is known to be open. */
    CHECK_INT(dft_coverage_add(&coverage, 0, 1000000), 1000000 - covered);
    CHECK_INT(dft_coverage_add(&coverage, 0, 1000000), 0);
    dft_coverage_free(&coverage);
}

static void test_extremes(void)
{
    struct dft_coverage coverage = {0};

    CHECK_INT(dft_coverage_add(&coverage, 5, 5), 0);
    CHECK_INT(dft_coverage_add(&coverage, INT64_MAX, INT64_MAX), 0);
    CHECK_INT(dft_coverage_add(&coverage, INT64_MIN, INT64_MAX), INT64_MAX);
    CHECK_INT(dft_coverage_add(&coverage, INT64_MIN, INT64_MAX), 0);
    CHECK_INT(dft_coverage_add(&coverage, 1, 2), 0);
    dft_coverage_free(&coverage);
}

int main(void)
{
    test_random();
    test_many();
    test_extremes();
    return unit_result();
}
