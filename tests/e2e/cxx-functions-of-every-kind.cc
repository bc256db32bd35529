// Templates, lambdas, constructors, destructors, virtual functions, operators and functions of an
// anonymous namespace have the names that a C++ programmer would write.
//
// REQUIRES: c++
// RUN: echo 'src:*cxx-functions-of-every-kind.cc' > allow.txt
// RUN: %each-level '%cxx $LEVEL -std=c++17 %plugin %allow=../allow.txt %s -o prog %lib \
// RUN:   && DFTRACER_ENABLE=1 ./prog \
// RUN:   && %check-trace trace-prog-*.pfw.gz --count main=1 --count "shapes::Square::Square=2" \
// RUN:     --count "shapes::Square::~Square=2" --count "shapes::Square::area=2" \
// RUN:     --count "shapes::Square::operator<=1" --count "shapes::Shape::Shape=2" \
// RUN:     --tree > tree.txt \
// RUN:   && FileCheck %s --input-file=tree.txt'
//
// CHECK:      {{^}}  main
// CHECK-NEXT: {{^}}    shapes::Square::Square
// CHECK-NEXT: {{^}}      shapes::Shape::Shape
// CHECK-NEXT: {{^}}    shapes::Square::Square
// CHECK-NEXT: {{^}}      shapes::Shape::Shape
// CHECK-NEXT: {{^}}    twice<int>
// CHECK-NEXT: {{^}}    twice<long>
// CHECK-NEXT: {{^}}    total
// CHECK-NEXT: {{^}}      shapes::Square::area
// CHECK-NEXT: {{^}}      shapes::Square::area
// CHECK-NEXT: {{^}}    shapes::Square::operator<
// CHECK-NEXT: {{^}}    (anonymous namespace)::hidden
// CHECK-NEXT: {{^}}    main::{{.*}}operator()
// CHECK-NEXT: {{^}}    operator""{{ ?}}_km
// CHECK-NEXT: {{^}}    shapes::Square::~Square
// CHECK:      {{^}}    shapes::Square::~Square

namespace shapes
{
struct Shape {
    Shape() : sides(0) {}
    virtual int area() const = 0;
    virtual ~Shape() = default;
    int sides;
};

struct Square : Shape {
    explicit Square(int edge) : edge(edge) {}
    ~Square() override
    {
        edge = 0;
    }
    int area() const override
    {
        return edge * edge;
    }
    bool operator<(const Square &other) const
    {
        return edge < other.edge;
    }
    int edge;
};
} // namespace shapes

template <typename T> static T twice(T value)
{
    return value + value;
}

static int total(const shapes::Shape *const *list, int count)
{
    int sum = 0;
    for (int i = 0; i < count; i++)
        sum += list[i]->area();
    return sum;
}

namespace
{
int hidden(int value)
{
    return value + 1;
}
} // namespace

static long operator""_km(unsigned long long value)
{
    return static_cast<long>(value) * 1000;
}

int main(int argc, char **)
{
    shapes::Square small(argc + 1);
    shapes::Square large(argc + 2);
    const shapes::Shape *list[] = {&small, &large};
    long sum = twice(argc) + twice(static_cast<long>(argc));

    sum += total(list, 2);
    sum += small < large ? 1 : 0;
    sum += hidden(argc);
    auto scale = [argc](int factor) { return argc * factor; };
    sum += scale(5);
    sum += 2_km;
    return sum == 2 + 2 + 4 + 9 + 1 + 2 + 5 + 2000 ? 0 : 1;
}
