// Axis ratios of a component: the rows of shapes.csv.
//
// The ellipsoid is found by iterations of the reduced inertia tensor (Dubinski & Carlberg 1991; Allgood et
// al. 2006, section 3): S_ij = sum m d_i d_j / r_e^2 over the particles inside the ellipsoid, where d is the
// distance from the centre and r_e^2 = x^2 + y^2 / q^2 + z^2 / s^2 along the axes of the ellipsoid. It begins
// as the sphere of the half-mass radius; its longest half axis keeps that radius, and S gives the next axes
// and ratios q = b/a, s = c/a.
#pragma once

#include <cmath>

#include "halo/properties/shape.hpp"
#include "sim/core/particles_view.hpp"

namespace aureole::run {

struct ComponentShape {
    Vec3 centre;
    double radius = halo::detail::no_ratio;  ///< longest half axis of the ellipsoid
    /// Ratios and directions; where fewer than least_in_shape particles are in the sphere, ratios are NaN.
    halo::Shape shape{halo::detail::no_ratio, halo::detail::no_ratio};
    double members = 0;  ///< particles in the last ellipsoid that was summed
    double settled = 0;  ///< 1 when an iteration has changed both ratios by at most shape_tolerance
};

inline constexpr double least_in_shape = 10;
inline constexpr double shape_tolerance = 1e-3;
inline constexpr int most_shape_iterations = 12;

/// Of the host particles in `range`. `radius` is the one about `centre` that holds half of their mass. Sums
/// in double over fixed blocks, in order: equal bit for bit for any number of threads. O(N) for each
/// iteration.
ComponentShape measure_shape(const ConstParticlesView& host, IndexRange range, Vec3 centre, double radius);

namespace detail {

/// What particles inside an ellipsoid add up to. Doubles only.
struct ShapeSums {
    double members = 0;
    halo::SymmetricTensor tensor;

    AUREOLE_HD void add(const ShapeSums& other)
    {
        members += other.members;
        tensor.xx += other.tensor.xx;
        tensor.yy += other.tensor.yy;
        tensor.zz += other.tensor.zz;
        tensor.xy += other.tensor.xy;
        tensor.xz += other.tensor.xz;
        tensor.yz += other.tensor.yz;
    }
    /// A particle of mass m, its direction times 1/r_e.
    AUREOLE_HD void add(double m, Vec3 u)
    {
        members += 1;
        tensor.xx += m * u.x * u.x;
        tensor.yy += m * u.y * u.y;
        tensor.zz += m * u.z * u.z;
        tensor.xy += m * u.x * u.y;
        tensor.xz += m * u.x * u.z;
        tensor.yz += m * u.y * u.z;
    }
};

/// The ellipsoid in which the next sums are taken.
struct Ellipsoid {
    Vec3 centre, longest, middle, shortest;
    double per_q, per_s;  ///< 1/q, 1/s
    double limit2;        ///< of r_e^2

    /// The radius is the distance of a particle: the limit lies a little above it, so that rounding does not
    /// decide. Ratios below a thousandth count as that.
    AUREOLE_HD explicit Ellipsoid(const ComponentShape& s)
        : centre(s.centre),
          longest(axis(s, 0)),
          middle(axis(s, 1)),
          shortest(axis(s, 2)),
          per_q(1 / ratio(s.shape.b_to_a)),
          per_s(1 / ratio(s.shape.c_to_a)),
          limit2(s.radius * s.radius * (1 + 0x1p-30))
    {
    }

    AUREOLE_HD void add_to(ShapeSums& sums, double m, Vec3 x) const
    {
        const Vec3 d = x - centre;
        if (!(dot(d, d) <= limit2)) return;  // the ellipsoid is inside the sphere
        const double a = dot(d, longest), b = per_q * dot(d, middle), c = per_s * dot(d, shortest);
        const double r2 = a * a + b * b + c * c;
        if (r2 > 0 && r2 <= limit2) sums.add(m, (1 / std::sqrt(r2)) * d);
    }

private:
    /// 1 for NaN, which the sphere has.
    AUREOLE_HD static double ratio(double x) { return x > 1e-3 ? x : x <= 1e-3 ? 1e-3 : 1; }
    /// Kernels cannot call std::array.
    AUREOLE_HD static Vec3 axis(const ComponentShape& s, int k)
    {
        return reinterpret_cast<const Vec3*>(&s.shape.axis)[k];
    }
};

/// Takes the sums inside the present ellipsoid and makes the next one of them.
AUREOLE_HD inline void take_sums(ComponentShape& s, const ShapeSums& sums)
{
    if (!(sums.members >= least_in_shape)) {
        s.settled = 1;
        return;
    }
    const halo::Shape before = s.shape;
    s.shape = halo::shape_of(sums.tensor);
    s.members = sums.members;
    const bool close = std::fabs(s.shape.b_to_a - before.b_to_a) <= shape_tolerance &&
                       std::fabs(s.shape.c_to_a - before.c_to_a) <= shape_tolerance;
    s.settled = close ? 1 : 0;
}

}  // namespace detail

}  // namespace aureole::run
