// Inline functions of a header, for rich.cc.
#pragma once

namespace geometry
{
inline int doubled(int value)
{
    return value * 2;
}

template <typename T> inline T scaled(T value, T factor = T(2))
{
    return value * factor;
}

struct Point {
    int x, y;
    Point(int x, int y) : x(x), y(y) {}
    int sum() const
    {
        return x + y;
    }
};
} // namespace geometry
