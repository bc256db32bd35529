/*
 * Evaluates the nodes of a formula. A node without a result throws an EvaluationError, which passes
 * through all cells that need the number.
 */
#include "formula.h"

#include <algorithm>
#include <map>

namespace formula
{

bool operator<(const Position &a, const Position &b)
{
    return a.row != b.row ? a.row < b.row : a.column < b.column;
}

std::string to_string(const Position &position)
{
    return static_cast<char>('A' + position.column) + std::to_string(position.row + 1);
}

SyntaxError::SyntaxError(const std::string &what, std::size_t column)
    : std::runtime_error(what + " at column " + std::to_string(column + 1))
{
}

void Node::collect(const Cells &cells, std::vector<Number> &numbers) const
{
    numbers.push_back(evaluate(cells));
}

Constant::Constant(Number constant) : number(constant) {}

Number Constant::evaluate(const Cells & /* cells */) const
{
    return number;
}

Reference::Reference(Position cell) : target(cell) {}

Number Reference::evaluate(const Cells &cells) const
{
    return cells.value(target);
}

Range::Range(Position from, Position to) : first(from), last(to) {}

Number Range::evaluate(const Cells & /* cells */) const
{
    throw EvaluationError("a range is not a number");
}

void Range::collect(const Cells &cells, std::vector<Number> &numbers) const
{
    for (int row = first.row; row <= last.row; row++) {
        for (int column = first.column; column <= last.column; column++)
            numbers.push_back(cells.value({column, row}));
    }
}

static Number require_fit(bool overflow, Number result)
{
    if (overflow)
        throw EvaluationError("number too large");
    return result;
}

Number Add::apply(Number a, Number b)
{
    Number result;
    bool overflow = __builtin_add_overflow(a, b, &result);
    return require_fit(overflow, result);
}

Number Subtract::apply(Number a, Number b)
{
    Number result;
    bool overflow = __builtin_sub_overflow(a, b, &result);
    return require_fit(overflow, result);
}

Number Multiply::apply(Number a, Number b)
{
    Number result;
    bool overflow = __builtin_mul_overflow(a, b, &result);
    return require_fit(overflow, result);
}

Number Divide::apply(Number a, Number b)
{
    if (b == 0)
        throw EvaluationError("division by zero");
    return b == -1 ? Subtract::apply(0, a) : a / b;
}

Number Less::apply(Number a, Number b)
{
    return a < b;
}

Call::Call(Function callee, std::vector<NodePointer> parameters)
    : function(callee), arguments(std::move(parameters))
{
}

Number Call::evaluate(const Cells &cells) const
{
    std::vector<Number> numbers;
    for (const NodePointer &argument : arguments)
        argument->collect(cells, numbers);
    return function(numbers);
}

Call::Function Call::find(const std::string &name)
{
    static const std::map<std::string, Function> functions = {
        {"SUM",
         [](const std::vector<Number> &numbers) {
             Number sum = 0;
             for (Number number : numbers)
                 sum = Add::apply(sum, number);
             return sum;
         }},
        {"MAX",
         [](const std::vector<Number> &numbers) {
             return *std::max_element(numbers.begin(), numbers.end());
         }},
        {"COUNT",
         [](const std::vector<Number> &numbers) { return static_cast<Number>(numbers.size()); }},
    };
    auto found = functions.find(name);
    return found == functions.end() ? nullptr : found->second;
}

Choice::Choice(NodePointer test, NodePointer if_true, NodePointer if_false)
    : condition(std::move(test)), yes(std::move(if_true)), no(std::move(if_false))
{
}

Number Choice::evaluate(const Cells &cells) const
{
    return condition->evaluate(cells) != 0 ? yes->evaluate(cells) : no->evaluate(cells);
}

} // namespace formula
