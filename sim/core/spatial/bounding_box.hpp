// Boxes around points, corners included: of three axes, of three axes padded for wide loads, and of any
// number of axes. Only comparisons make them, so that a box does not depend on the order in which its points
// are seen.
#pragma once

#include <cmath>
#include <limits>

#include "sim/core/vec3.hpp"

namespace aureole {

template <class T>
AUREOLE_HD constexpr T smaller(T a, T b)
{
    return b < a ? b : a;
}
template <class T>
AUREOLE_HD constexpr T larger(T a, T b)
{
    return b > a ? b : a;
}
template <class T>
AUREOLE_HD constexpr Vector3<T> smaller(Vector3<T> a, Vector3<T> b)
{
    return {smaller(a.x, b.x), smaller(a.y, b.y), smaller(a.z, b.z)};
}
template <class T>
AUREOLE_HD constexpr Vector3<T> larger(Vector3<T> a, Vector3<T> b)
{
    return {larger(a.x, b.x), larger(a.y, b.y), larger(a.z, b.z)};
}

/// Smallest box around points in space. T: float or double.
template <class T>
struct BoundingBox {
    Vector3<T> low, high;

    /// Around one point.
    AUREOLE_HD static constexpr BoundingBox at(Vector3<T> x) { return {x, x}; }
    /// Around nothing: including a point makes it that point's.
    AUREOLE_HD static constexpr BoundingBox none()
    {
        constexpr T most = std::numeric_limits<T>::max();
        return {{most, most, most}, {-most, -most, -most}};
    }

    AUREOLE_HD constexpr void include(Vector3<T> x)
    {
        low = smaller(low, x);
        high = larger(high, x);
    }
    AUREOLE_HD constexpr BoundingBox around(const BoundingBox& other) const
    {
        return {smaller(low, other.low), larger(high, other.high)};
    }
    /// Whether they have a point in common.
    AUREOLE_HD constexpr bool meets(const BoundingBox& other) const
    {
        return low.x <= other.high.x && other.low.x <= high.x && low.y <= other.high.y &&
               other.low.y <= high.y && low.z <= other.high.z && other.low.z <= high.z;
    }
    AUREOLE_HD constexpr Vector3<T> middle() const { return T(0.5) * (low + high); }
    AUREOLE_HD constexpr T longest_side() const
    {
        const Vector3<T> side = high - low;
        return larger(larger(side.x, side.y), side.z);
    }
    AUREOLE_HD constexpr T squared_diagonal() const { return dot(high - low, high - low); }
};

/// In float, rounded away from the inside.
AUREOLE_HD inline BoundingBox<float> rounded_outward(const BoundingBox<double>& box)
{
#if defined(__CUDA_ARCH__)
    return {{__double2float_rd(box.low.x), __double2float_rd(box.low.y), __double2float_rd(box.low.z)},
            {__double2float_ru(box.high.x), __double2float_ru(box.high.y), __double2float_ru(box.high.z)}};
#else
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const auto down = [](double x) {
        const auto nearest = static_cast<float>(x);
        return nearest > x ? std::nextafter(nearest, -infinity) : nearest;
    };
    const auto up = [](double x) {
        const auto nearest = static_cast<float>(x);
        return nearest < x ? std::nextafter(nearest, infinity) : nearest;
    };
    return {{down(box.low.x), down(box.low.y), down(box.low.z)},
            {up(box.high.x), up(box.high.y), up(box.high.z)}};
#endif
}

/// The same as a GPU reads it, in two loads of 16 bytes.
struct alignas(32) PaddedBox {
    Vec3f low;
    float unused;
    Vec3f high;
    float also_unused;

    AUREOLE_HD static PaddedBox of(const BoundingBox<float>& box) { return {box.low, 0, box.high, 0}; }
    AUREOLE_HD BoundingBox<float> box() const { return {low, high}; }
};

/// Smallest box around points with any number of coordinates, such as six in phase space.
template <class T, int axes>
struct BoundingBoxN {
    T low[axes], high[axes];

    AUREOLE_HD constexpr void include(int axis, T x)
    {
        low[axis] = smaller(low[axis], x);
        high[axis] = larger(high[axis], x);
    }
    AUREOLE_HD constexpr BoundingBoxN around(const BoundingBoxN& other) const
    {
        BoundingBoxN box{};
        for (int k = 0; k < axes; ++k) {
            box.low[k] = smaller(low[k], other.low[k]);
            box.high[k] = larger(high[k], other.high[k]);
        }
        return box;
    }
};

}  // namespace aureole
