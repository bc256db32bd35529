/*
 * sheets: a spreadsheet without a screen. Generates sheets of a shop's accounts, the same ones each
 * time, recalculates them with four threads and prints their totals, and which cells are in
 * error.
 *
 * Three cells of each sheet are wrong on purpose: one cannot be parsed, one divides by zero, and
 * one depends on itself.
 */
#include "parallel.h"
#include "sheet.h"

#include <cstdio>
#include <cstring>

namespace
{

constexpr int WORKERS = 4;
constexpr int SHEETS = 8;
constexpr int DAYS = 24;

enum Column { SOLD, PRICE, INCOME, BALANCE, BEST, REPORT };

class Random
{
  public:
    explicit Random(std::uint64_t seed) : state(seed) {}

    unsigned below(unsigned limit)
    {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return static_cast<unsigned>(state >> 33) % limit;
    }

  private:
    std::uint64_t state;
};

/* A day is a row: A sold pieces for B each make C; D is the balance, E the best day so far. */
void add_day(sheet::Sheet &sheet, int row, Random &random)
{
    std::string today = std::to_string(row + 1);
    std::string yesterday = std::to_string(row);

    sheet.set({SOLD, row}, std::to_string(random.below(90)));
    sheet.set({PRICE, row}, std::to_string(5 + random.below(20)));
    sheet.set({INCOME, row}, "IF(A" + today + "<10,0-25,A" + today + "*B" + today + ")");
    if (row == 0)
        return;
    sheet.set({BALANCE, row}, "D" + yesterday + "+C" + today);
    sheet.set({BEST, row}, "MAX(E" + yesterday + ",C" + today + ")");
}

void add_report(sheet::Sheet &sheet)
{
    const std::string days = std::to_string(DAYS);

    sheet.set({BALANCE, 0}, "C1");
    sheet.set({BEST, 0}, "C1");
    sheet.set({REPORT, 0}, "SUM(C1:C" + days + ")");
    sheet.set({REPORT, 1}, "MAX(D1:D" + days + ",E" + days + ")");
    sheet.set({REPORT, 2}, "F1/COUNT(A1:A" + days + ")");
    sheet.set({REPORT, 3}, "SUM(A1:A" + days);
    sheet.set({REPORT, 4}, "F1/(D1-C1)");
    sheet.set({REPORT, 5}, "F6+1");
}

std::vector<sheet::Sheet> make_sheets(bool remember)
{
    std::vector<sheet::Sheet> sheets;
    for (int i = 0; i < SHEETS; i++) {
        Random random(static_cast<std::uint64_t>(i));
        sheets.emplace_back("shop " + std::to_string(i + 1), remember);
        for (int row = 0; row < DAYS; row++)
            add_day(sheets.back(), row, random);
        add_report(sheets.back());
    }
    return sheets;
}

void print_sheet(const sheet::Sheet &sheet)
{
    std::printf("%-8s %4zu cells, %zu in error, total %8lld, best balance %6lld\n",
                sheet.name().c_str(), sheet.size(), sheet.faults().size(),
                static_cast<long long>(sheet.total()),
                static_cast<long long>(sheet.value({REPORT, 1})));
}

} // namespace

int main(int argc, char **argv)
{
    bool remember = argc == 2 && std::strcmp(argv[1], "--remember") == 0;
    if (argc > 1 && !remember) {
        std::fprintf(stderr, "sheets: usage: sheets [--remember]\n");
        return 2;
    }

    std::vector<sheet::Sheet> sheets = make_sheets(remember);
    parallel::for_each<sheet::Sheet>(sheets, WORKERS,
                                     [](sheet::Sheet &sheet) { sheet.recalculate(); });

    for (const sheet::Sheet &sheet : sheets)
        print_sheet(sheet);
    for (const sheet::Fault &fault : sheets.front().faults())
        std::printf("%s!%s: %s\n", sheets.front().name().c_str(),
                    formula::to_string(fault.position).c_str(), fault.reason.c_str());
    return 0;
}
