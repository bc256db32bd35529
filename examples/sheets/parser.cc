/*
 * Parses text into a tree by recursive descent: a comparison consists of sums, a sum of products, a
 * product of factors, and a factor may be a comparison in parentheses.
 */
#include "formula.h"

#include <cctype>

namespace formula
{

namespace
{

class Parser
{
  public:
    explicit Parser(const std::string &formula) : text(formula) {}

    NodePointer parse_all()
    {
        NodePointer node = parse_comparison();
        if (at < text.size())
            throw SyntaxError("unexpected '" + text.substr(at, 1) + "'", at);
        return node;
    }

  private:
    NodePointer parse_comparison();
    NodePointer parse_sum();
    NodePointer parse_product();
    NodePointer parse_factor();
    NodePointer parse_cells();
    NodePointer parse_call();
    Number parse_number();
    Position parse_position();

    char peek() const
    {
        return at < text.size() ? text[at] : '\0';
    }

    bool accept(char wanted)
    {
        bool found = peek() == wanted;
        at += found;
        return found;
    }

    void expect(char wanted)
    {
        if (!accept(wanted))
            throw SyntaxError(std::string("expected '") + wanted + "'", at);
    }

    const std::string &text;
    std::size_t at = 0;
};

template <typename Operation> NodePointer join(NodePointer left, NodePointer right)
{
    return std::make_unique<Binary<Operation>>(std::move(left), std::move(right));
}

NodePointer Parser::parse_comparison()
{
    NodePointer left = parse_sum();
    return accept('<') ? join<Less>(std::move(left), parse_sum()) : std::move(left);
}

NodePointer Parser::parse_sum()
{
    NodePointer left = parse_product();
    for (;;) {
        if (accept('+'))
            left = join<Add>(std::move(left), parse_product());
        else if (accept('-'))
            left = join<Subtract>(std::move(left), parse_product());
        else
            return left;
    }
}

NodePointer Parser::parse_product()
{
    NodePointer left = parse_factor();
    for (;;) {
        if (accept('*'))
            left = join<Multiply>(std::move(left), parse_factor());
        else if (accept('/'))
            left = join<Divide>(std::move(left), parse_factor());
        else
            return left;
    }
}

NodePointer Parser::parse_factor()
{
    if (accept('(')) {
        NodePointer node = parse_comparison();
        expect(')');
        return node;
    }
    if (std::isdigit(static_cast<unsigned char>(peek())))
        return std::make_unique<Constant>(parse_number());
    if (!std::isupper(static_cast<unsigned char>(peek())))
        throw SyntaxError("expected a number, a cell or a function", at);
    bool is_cell = at + 1 < text.size() && std::isdigit(static_cast<unsigned char>(text[at + 1]));
    return is_cell ? parse_cells() : parse_call();
}

Number Parser::parse_number()
{
    Number number = 0;
    std::size_t start = at;
    for (; std::isdigit(static_cast<unsigned char>(peek())); at++) {
        if (at - start == 15)
            throw SyntaxError("number of more than 15 digits", start);
        number = number * 10 + (peek() - '0');
    }
    return number;
}

Position Parser::parse_position()
{
    if (!std::isupper(static_cast<unsigned char>(peek())))
        throw SyntaxError("expected a cell", at);
    int column = text[at++] - 'A';
    std::size_t start = at;
    Number row = parse_number();
    if (row < 1 || row > 1000)
        throw SyntaxError("expected a row from 1 to 1000", start);
    return {column, static_cast<int>(row) - 1};
}

NodePointer Parser::parse_cells()
{
    Position first = parse_position();
    if (!accept(':'))
        return std::make_unique<Reference>(first);
    return std::make_unique<Range>(first, parse_position());
}

NodePointer Parser::parse_call()
{
    std::size_t start = at;
    while (std::isupper(static_cast<unsigned char>(peek())))
        at++;
    std::string name = text.substr(start, at - start);
    Call::Function function = Call::find(name);
    if (function == nullptr && name != "IF")
        throw SyntaxError("unknown function " + name, start);

    std::vector<NodePointer> arguments;
    expect('(');
    do
        arguments.push_back(parse_comparison());
    while (accept(','));
    expect(')');
    if (function != nullptr)
        return std::make_unique<Call>(function, std::move(arguments));
    if (arguments.size() != 3)
        throw SyntaxError("IF needs three arguments", start);
    return std::make_unique<Choice>(std::move(arguments[0]), std::move(arguments[1]),
                                    std::move(arguments[2]));
}

} // namespace

NodePointer parse(const std::string &text)
{
    return Parser(text).parse_all();
}

} // namespace formula
