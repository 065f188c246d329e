// A vector of three numbers and the operators that physics needs, for host and device code.
#pragma once

#include <cmath>

#include "sim/core/backend.hpp"

namespace aureole {

template <class T>
struct Vector3 {
    T x{}, y{}, z{};
};

using Vec3 = Vector3<double>;  ///< stored state
using Vec3f = Vector3<float>;  ///< pair arithmetic of `precision: mixed`

template <class T>
AUREOLE_HD constexpr Vector3<T> operator+(Vector3<T> a, Vector3<T> b)
{
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class T>
AUREOLE_HD constexpr Vector3<T> operator-(Vector3<T> a, Vector3<T> b)
{
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class T>
AUREOLE_HD constexpr Vector3<T> operator*(T s, Vector3<T> a)
{
    return {s * a.x, s * a.y, s * a.z};
}
template <class T>
AUREOLE_HD constexpr T dot(Vector3<T> a, Vector3<T> b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class T>
AUREOLE_HD constexpr Vector3<T> cross(Vector3<T> a, Vector3<T> b)
{
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class T>
AUREOLE_HD T length(Vector3<T> v)
{
    return std::sqrt(dot(v, v));
}
/// Whether no component is NaN or infinite.
template <class T>
AUREOLE_HD constexpr bool finite(Vector3<T> v)
{
    return v.x - v.x == 0 && v.y - v.y == 0 && v.z - v.z == 0;
}

}  // namespace aureole
