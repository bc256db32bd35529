/*
 * Formatting of numbers. Stateless.
 */
#include "tool/print/format.h"

#include <inttypes.h>

struct dft_cell dft_format_count(uint64_t count)
{
    struct dft_cell cell;

    snprintf(cell.text, sizeof cell.text, "%" PRIu64, count);
    return cell;
}

struct dft_cell dft_format_time(int64_t ns)
{
    static const struct {
        uint64_t size;
        const char *name;
    } units[] = {{1000, "µs"}, {1000000, "ms"}, {1000000000, "s"}};
    struct dft_cell cell;
    uint64_t value = (uint64_t)ns;

    if (value < 1000) {
        snprintf(cell.text, sizeof cell.text, "%" PRIu64 "ns", value);
        return cell;
    }
    for (size_t unit = 0;; unit++) {
        uint64_t step = units[unit].size / 100;

        for (int decimals = 2; decimals >= 0; decimals--, step *= 10) {
            uint64_t rounded = (value + step / 2) / step;
            uint64_t scale = decimals == 2 ? 100 : decimals == 1 ? 10 : 1;

            if (rounded >= 1000 && !(unit == 2 && decimals == 0))
                continue;
            if (decimals == 0)
                snprintf(cell.text, sizeof cell.text, "%" PRIu64 "%s", rounded, units[unit].name);
            else
                snprintf(cell.text, sizeof cell.text, "%" PRIu64 ".%0*" PRIu64 "%s",
                         rounded / scale, decimals, rounded % scale, units[unit].name);
            return cell;
        }
    }
}

struct dft_cell dft_format_share(int64_t part, int64_t whole)
{
    struct dft_cell cell = {"-"};

    if (whole > 0) {
        uint64_t tenths = (uint64_t)(((__int128)part * 1000 + whole / 2) / whole);

        snprintf(cell.text, sizeof cell.text, "%" PRIu64 ".%" PRIu64 "%%", tenths / 10,
                 tenths % 10);
    }
    return cell;
}

void dft_format_pad(FILE *out, size_t from, size_t to)
{
    for (; from < to; from++)
        fputc(' ', out);
}
