// The direct sum through its public interface, for the tests of this folder.
#pragma once

#include <gtest/gtest.h>

#include <limits>

#include "gravity/solver.hpp"
#include "gravity/solver_config.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/close_to.hpp"
#include "tests/support/make_particles.hpp"

namespace aureole::test {

inline gravity::Config direct_config(const ReferenceSoftening& softening, gravity::Precision precision)
{
    gravity::Config config;
    config.softening.kernel =
        softening.spline ? gravity::SofteningKernel::spline : gravity::SofteningKernel::plummer;
    config.softening.length = softening.length;
    config.precision = precision;
    return config;
}

inline gravity::ForceRequest with_potential(IndexRange targets = {}, IndexRange sources = {})
{
    gravity::ForceRequest request;
    request.potential = true;
    request.targets = targets;
    request.sources = sources;
    return request;
}

inline std::vector<Field> to_fields(const Particles& particles)
{
    const auto x = particles.acceleration.x.to_vector(), y = particles.acceleration.y.to_vector(),
               z = particles.acceleration.z.to_vector(), potential = particles.potential.to_vector();
    std::vector<Field> fields(particles.size());
    for (std::size_t i = 0; i < fields.size(); ++i) fields[i] = {{x[i], y[i], z[i]}, potential[i]};
    return fields;
}

inline std::vector<Field> direct_fields(Exec exec, const std::vector<Body>& bodies,
                                        const ReferenceSoftening& softening,
                                        gravity::Precision precision = gravity::Precision::mixed,
                                        const gravity::ForceRequest& request = with_potential())
{
    const auto solver = gravity::make_solver(direct_config(softening, precision));
    Particles particles = to_particles(bodies, exec.backend);
    accelerate(*solver, exec, particles.view(), request);
    return to_fields(particles);
}

/// A pair of float arithmetic is right to a dozen roundings; sums to double keep that. For `full`, of double.
inline Tolerance pairwise(gravity::Precision precision)
{
    if (precision == gravity::Precision::double_precision)
        return {1e-14, "double rounding of pairs and block sums"};
    return {12 * 0x1p-24, "a dozen float roundings a pair, blocks summed in double"};
}

/// Every component of every field, relative to the sum of the pairs' magnitudes (they may cancel).
inline void expect_fields(const std::vector<Field>& found, const std::vector<Body>& bodies,
                          const ReferenceSoftening& softening, Tolerance tolerance)
{
    ASSERT_EQ(found.size(), bodies.size());
    const auto expected = reference_fields(bodies, softening);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        double pulls = 0, depth = 0;
        for (std::size_t j = 0; j < bodies.size(); ++j) {
            const Field one = reference_field(bodies, i, j, j + 1, softening);
            pulls += std::hypot(one.acceleration[0], one.acceleration[1], one.acceleration[2]);
            depth -= one.potential;
        }
        pulls = std::max(pulls, std::numeric_limits<double>::min());
        depth = std::max(depth, std::numeric_limits<double>::min());
        for (std::size_t k = 0; k < 3; ++k)
            ASSERT_TRUE(close_to(found[i].acceleration[k], expected[i].acceleration[k], pulls, tolerance))
                << "particle " << i << " axis " << k;
        ASSERT_TRUE(close_to(found[i].potential, expected[i].potential, depth, tolerance))
            << "particle " << i;
    }
}

inline void expect_same_bits(const std::vector<Field>& a, const std::vector<Field>& b)
{
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        ASSERT_EQ(a[i].acceleration, b[i].acceleration) << "particle " << i;
        ASSERT_EQ(a[i].potential, b[i].potential) << "particle " << i;
    }
}

}  // namespace aureole::test
