// Lambdas and local classes, whose names contain those of the functions around them. The symbols
// are each compiler's own.

static int of_no_parameters()
{
    auto add = [](int x) { return x + 1; };
    return add(1);
}

static int of_parameters(int a, const char *b)
{
    auto first = [a](int x, long y) { return x + a + static_cast<int>(y); };
    auto generic = [&](auto z) { return z + b[0]; };
    return first(a, 2) + generic(3) + static_cast<int>(generic(4L));
}

static int nested(int a, int (*callback)(int))
{
    return [&](int b) { return [&](int c) { return callback(a + b + c); }(b); }(a);
}

template <typename T> static T of_a_template(T value, const T &other)
{
    return [&](T more) { return more + value; }(other);
}

struct WithLambdas {
    int member = 1;
    int in_lambda = [](int x) { return x; }(2);
    int method(int a) const
    {
        return [this](int b) { return b + member; }(a);
    }
    int operator()(int a, int b) const &
    {
        return [=] { return a + b + member; }();
    }
};

namespace named
{
namespace
{
int hidden_with_lambda(int a, bool operator_like)
{
    struct Local {
        int method(int b)
        {
            return [b](int c) { return b + c; }(b);
        }
    };
    return operator_like ? Local().method(a) : 0;
}
} // namespace
} // namespace named

auto global_lambda = [](int a, char b) { return a + b; };

inline auto of_inline_variable = [](double a) { return a + 1; };

int use_lambdas(int n)
{
    WithLambdas object;
    int (*pointer)(int) = [](int x) { return x * 2; };
    return of_no_parameters() + of_parameters(n, "b") + nested(n, pointer) + of_a_template(n, 2) +
           static_cast<int>(of_a_template(1.5, 2.5)) + object.method(n) + object(n, 2) +
           named::hidden_with_lambda(n, true) + global_lambda(n, 'c') +
           static_cast<int>(of_inline_variable(2.0));
}
