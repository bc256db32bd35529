/*
 * Evaluates a sheet cell by cell. A formula asks the sheet for the cells it refers to, so
 * evaluation is recursive; an error is an exception that leaves all cells that depend on it.
 */
#include "sheet.h"

namespace sheet
{

using formula::EvaluationError;
using formula::Number;
using formula::Position;

/* Marks a cell as being computed for as long as it lives, however its computation ends. */
class Sheet::Visit
{
  public:
    Visit(const Cell &visited, const Position &position) : cell(visited)
    {
        if (cell.busy)
            throw EvaluationError("circular reference to " + formula::to_string(position));
        cell.busy = true;
    }

    ~Visit()
    {
        cell.busy = false;
    }

    Visit(const Visit &) = delete;
    Visit &operator=(const Visit &) = delete;

  private:
    const Cell &cell;
};

Sheet::Sheet(std::string its_title, bool remember)
    : title(std::move(its_title)), remembers(remember)
{
}

void Sheet::set(const Position &position, const std::string &text)
{
    Cell cell;
    try {
        cell.formula = formula::parse(text);
    } catch (const formula::SyntaxError &error) {
        cell.error = error.what();
    }
    cells[position] = std::move(cell);
}

Number Sheet::value(const Position &position) const
{
    auto found = cells.find(position);
    if (found == cells.end())
        return 0;
    const Cell &cell = found->second;
    if (cell.known)
        return *cell.known;
    if (cell.formula == nullptr)
        throw EvaluationError(cell.error);
    Visit visit(cell, position);
    Number number = cell.formula->evaluate(*this);
    if (remembers)
        cell.known = number;
    return number;
}

void Sheet::recalculate()
{
    sum = 0;
    broken.clear();
    for (const auto &[position, cell] : cells) {
        try {
            sum = formula::Add::apply(sum, value(position));
        } catch (const EvaluationError &error) {
            broken.push_back({position, error.what()});
        }
    }
}

Number Sheet::total() const
{
    return sum;
}

const std::string &Sheet::name() const
{
    return title;
}

std::size_t Sheet::size() const
{
    return cells.size();
}

const std::vector<Fault> &Sheet::faults() const
{
    return broken;
}

} // namespace sheet
