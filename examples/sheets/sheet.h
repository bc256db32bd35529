/*
 * A sheet of cells, each with a formula. One thread at a time works on a sheet.
 */
#ifndef SHEETS_SHEET_H
#define SHEETS_SHEET_H

#include "formula.h"

#include <map>
#include <optional>

namespace sheet
{

/* A cell without a number, and why. */
struct Fault {
    formula::Position position;
    std::string reason;
};

class Sheet : public formula::Cells
{
  public:
    /* With `remember`, a cell is computed once; without, each time another cell needs it. */
    Sheet(std::string title, bool remember);

    void set(const formula::Position &position, const std::string &text);
    formula::Number value(const formula::Position &position) const override;

    /* Computes every cell that has a number, and finds those which have none. */
    void recalculate();

    /* The sum of all cells that have a number: fit to compare two runs by. */
    formula::Number total() const;

    const std::string &name() const;
    std::size_t size() const;
    const std::vector<Fault> &faults() const;

  private:
    struct Cell {
        formula::NodePointer formula; /* none after a syntax error */
        std::string error;
        mutable bool busy = false;
        mutable std::optional<formula::Number> known;
    };

    class Visit;

    std::string title;
    bool remembers;
    formula::Number sum = 0;
    std::map<formula::Position, Cell> cells;
    std::vector<Fault> broken;
};

} // namespace sheet

#endif
