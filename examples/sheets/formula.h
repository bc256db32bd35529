/*
 * Formulas as trees: what a formula is made of, the errors it can end in, and the parser's one
 * entry. A tree does not change once it is parsed, so any number of threads may evaluate it.
 */
#ifndef SHEETS_FORMULA_H
#define SHEETS_FORMULA_H

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace formula
{

using Number = std::int64_t;

/* A cell's place; A1 is column 0 of row 0. */
struct Position {
    int column = 0;
    int row = 0;
};

bool operator<(const Position &a, const Position &b);
std::string to_string(const Position &position);

class SyntaxError : public std::runtime_error
{
  public:
    SyntaxError(const std::string &what, std::size_t column);
};

class EvaluationError : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

/* Where references get their numbers from. */
class Cells
{
  public:
    virtual ~Cells() = default;
    virtual Number value(const Position &position) const = 0;
};

class Node
{
  public:
    virtual ~Node() = default;
    virtual Number evaluate(const Cells &cells) const = 0;
    /* Appends what the node stands for as an argument: one number, or all those of a range. */
    virtual void collect(const Cells &cells, std::vector<Number> &numbers) const;
};

using NodePointer = std::unique_ptr<const Node>;

class Constant : public Node
{
  public:
    explicit Constant(Number number);
    Number evaluate(const Cells &cells) const override;

  private:
    Number number;
};

class Reference : public Node
{
  public:
    explicit Reference(Position target);
    Number evaluate(const Cells &cells) const override;

  private:
    Position target;
};

class Range : public Node
{
  public:
    Range(Position first, Position last);
    Number evaluate(const Cells &cells) const override;
    void collect(const Cells &cells, std::vector<Number> &numbers) const override;

  private:
    Position first;
    Position last;
};

/* What the operators of a formula do with two numbers. Each throws where there is no result. */
struct Add {
    static Number apply(Number a, Number b);
};
struct Subtract {
    static Number apply(Number a, Number b);
};
struct Multiply {
    static Number apply(Number a, Number b);
};
struct Divide {
    static Number apply(Number a, Number b);
};
struct Less {
    static Number apply(Number a, Number b);
};

template <typename Operation> class Binary : public Node
{
  public:
    Binary(NodePointer left_side, NodePointer right_side)
        : left(std::move(left_side)), right(std::move(right_side))
    {
    }

    Number evaluate(const Cells &cells) const override
    {
        Number first = left->evaluate(cells);
        return Operation::apply(first, right->evaluate(cells));
    }

  private:
    NodePointer left;
    NodePointer right;
};

/* SUM, MAX and their like: functions of any number of numbers. */
class Call : public Node
{
  public:
    using Function = Number (*)(const std::vector<Number> &);

    Call(Function callee, std::vector<NodePointer> parameters);
    Number evaluate(const Cells &cells) const override;

    /* Null where there is no function of that name. */
    static Function find(const std::string &name);

  private:
    Function function;
    std::vector<NodePointer> arguments;
};

/* IF(condition, yes, no), which evaluates only the side it needs. */
class Choice : public Node
{
  public:
    Choice(NodePointer test, NodePointer if_true, NodePointer if_false);
    Number evaluate(const Cells &cells) const override;

  private:
    NodePointer condition;
    NodePointer yes;
    NodePointer no;
};

/* Throws a SyntaxError that says what was expected, and at which column of the text. */
NodePointer parse(const std::string &text);

} // namespace formula

#endif
