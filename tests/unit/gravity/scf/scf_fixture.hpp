// A basis expansion through its public interface, for the tests of this folder.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "gravity/scf/expansion.hpp"
#include "gravity/solver_config.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/close_to.hpp"
#include "tests/support/gravity/reference_scf.hpp"
#include "tests/support/make_particles.hpp"

namespace aureole::test {

using gravity::Precision;
using gravity::scf::Basis;
using gravity::scf::Family;
using gravity::scf::slot_of;

inline Basis basis_of(int n_max, int l_max, Family family = Family::hernquist_ostriker, double a = 1)
{
    return {family, n_max, l_max, a};
}
inline ReferenceBasis reference_basis(const Basis& b)
{
    return {eta_of(b.family), b.n_max, b.l_max, b.scale_radius};
}

/// Orthonormal coefficients of all bodies.
inline std::vector<double> coefficients_of(Exec exec, const std::vector<Body>& bodies, const Basis& basis,
                                           Precision precision = Precision::double_precision,
                                           Vec3 centre = {}, int samples = 1)
{
    gravity::scf::Expansion expansion(basis, precision);
    Particles particles = to_particles(bodies, exec.backend);
    Buffer<double> coefficients;
    expansion.expand(exec, particles.view(), {}, centre, coefficients, samples);
    return coefficients.to_vector();
}

inline std::vector<double> lowing_of(Exec exec, const std::vector<Body>& bodies, const Basis& basis,
                                     Precision precision = Precision::double_precision)
{
    return to_lowing(make_tables(basis), coefficients_of(exec, bodies, basis, precision));
}

using Positions = std::vector<std::array<double, 3>>;

inline Positions positions_of(const std::vector<Body>& bodies)
{
    Positions positions;
    for (const Body& body : bodies) positions.push_back(body.position);
    return positions;
}

inline std::vector<Field> fields_at(Exec exec, const Positions& at, const Basis& basis,
                                    const std::vector<double>& orthonormal,
                                    Precision precision = Precision::double_precision, Vec3 centre = {})
{
    std::vector<Body> bodies;
    for (const auto& x : at) bodies.push_back({1, x});
    Particles particles = to_particles(bodies, exec.backend);
    gravity::scf::Expansion expansion(basis, precision);
    const auto coefficients =
        Buffer<double>(Backend::cpu, std::span<const double>(orthonormal)).copy_to(exec.backend);
    gravity::scf::FieldRequest request;
    request.potential = true;
    expansion.field(exec, particles.view(), request, centre, coefficients);
    const auto x = particles.acceleration.x.to_vector(), y = particles.acceleration.y.to_vector(),
               z = particles.acceleration.z.to_vector(), potential = particles.potential.to_vector();
    std::vector<Field> fields;
    for (std::size_t i = 0; i < at.size(); ++i) fields.push_back({{x[i], y[i], z[i]}, potential[i]});
    return fields;
}

/// Accelerations against those expected, relative to the largest; with `locally` to that at the same place.
inline void expect_same_field(const std::vector<Field>& found, const std::vector<Field>& expected,
                              Tolerance tolerance, bool locally = false)
{
    ASSERT_EQ(found.size(), expected.size());
    double largest = 0, deepest = 0;
    for (const Field& f : expected) {
        largest = std::max(largest, length_of(f.acceleration));
        deepest = std::max(deepest, std::abs(f.potential));
    }
    for (std::size_t i = 0; i < found.size(); ++i) {
        const Field &f = found[i], &e = expected[i];
        for (int k = 0; k < 3; ++k)
            ASSERT_TRUE(close_to(f.acceleration[k], e.acceleration[k],
                                 locally ? length_of(e.acceleration) : largest, tolerance))
                << "acceleration " << i << " axis " << k;
        ASSERT_TRUE(close_to(f.potential, e.potential, locally ? std::abs(e.potential) : deepest, tolerance))
            << "potential " << i;
    }
}

/// S and T against those expected, relative to the largest of the same l: small ones are differences of
/// large sums.
inline void expect_same_terms(const Basis& basis, const std::vector<double>& lowing,
                              const std::vector<ReferenceTerm>& expected, Tolerance tolerance)
{
    std::vector<double> scale(static_cast<std::size_t>(basis.l_max) + 1, 0);
    for (const auto& e : expected) {
        double& largest = scale[static_cast<std::size_t>(e.l)];
        largest = std::max({largest, std::abs(double(e.s)), std::abs(double(e.t))});
    }
    for (const auto& e : expected) {
        const double size = scale[static_cast<std::size_t>(e.l)];
        ASSERT_TRUE(
            close_to(lowing[basis.index(e.n, slot_of(e.l, e.m, false))], double(e.s), size, tolerance))
            << "S of n = " << e.n << ", l = " << e.l << ", m = " << e.m;
        if (e.m == 0) continue;
        ASSERT_TRUE(close_to(lowing[basis.index(e.n, slot_of(e.l, e.m, true))], double(e.t), size, tolerance))
            << "T of n = " << e.n << ", l = " << e.l << ", m = " << e.m;
    }
}

inline Tolerance expansion_tolerance(Precision precision)
{
    if (precision == Precision::double_precision) return {2e-12, "double recursions, up to n = 36, l = 24"};
    return {1e-5, "float recursions: 1.5e-6 measured at the usual orders"};
}

}  // namespace aureole::test
