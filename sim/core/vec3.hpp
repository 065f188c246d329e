// Three numbers and the handful of operators physics needs; usable in host and device code.
#pragma once

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

}  // namespace aureole
