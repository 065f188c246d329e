#include "sim/run/diagnostics/component_shape.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>

#include "sim/core/random.hpp"
#include "sim/run/diagnostics/measurement.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/make_particles.hpp"

namespace aureole::test {
namespace {

using run::ComponentShape;

/// A Plummer sphere about `centre` that is stretched along the columns of a rotation by 1, q and s.
Particles ellipsoid(std::size_t n, double q, double s, Vec3 centre = {})
{
    Particles p = to_particles(plummer_bodies(n, 17), Backend::cpu);
    const double c = std::cos(0.7), d = std::sin(0.7);
    for (std::size_t i = 0; i < n; ++i) {
        const Vec3 x = p.position.load(i);
        const Vec3 y{x.x, q * x.y, s * x.z};
        const Vec3 z{c * y.x - d * y.z, y.y, d * y.x + c * y.z};
        p.position.x.host()[i] = centre.x + z.x;
        p.position.y.host()[i] = centre.y + z.y;
        p.position.z.host()[i] = centre.z + z.z;
    }
    return p;
}

/// The iteration in long double, written down once more: tensor, Jacobi's eigenvectors replaced by powers of
/// the tensor, which are enough for well separated axes.
std::array<long double, 2> slow_ratios(const Particles& p, Vec3 centre, long double radius)
{
    using Vector = std::array<long double, 3>;
    const auto times = [](const std::array<Vector, 3>& m, const Vector& v) {
        Vector out{};
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) out[i] += m[i][j] * v[j];
        return out;
    };
    const auto scalar = [](const Vector& a, const Vector& b) {
        return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    };
    std::array<Vector, 3> axes{Vector{1, 0, 0}, Vector{0, 1, 0}, Vector{0, 0, 1}};
    long double q = 1, s = 1;
    for (int k = 0; k < run::most_shape_iterations; ++k) {
        std::array<Vector, 3> m{};
        for (std::size_t i = 0; i < p.size(); ++i) {
            const Vec3 x = p.position.load(i) - centre;
            const Vector d{x.x, x.y, x.z};
            const long double a = scalar(d, axes[0]), b = scalar(d, axes[1]) / q, c = scalar(d, axes[2]) / s;
            const long double r2 = a * a + b * b + c * c;
            if (r2 > radius * radius * (1 + 1e-9L)) continue;
            for (int j = 0; j < 3; ++j)
                for (int l = 0; l < 3; ++l) m[j][l] += p.mass.host()[i] * d[j] * d[l] / r2;
        }
        Vector value{};
        for (int axis = 0; axis < 3; ++axis) {
            Vector v{0.6L, 0.5L, 0.4L};
            for (int turn = 0; turn < 3000; ++turn) {
                for (int j = 0; j < axis; ++j) {
                    const long double part = scalar(v, axes[j]);
                    for (int l = 0; l < 3; ++l) v[l] -= part * axes[j][l];
                }
                v = times(m, v);
                const long double size = std::sqrt(scalar(v, v));
                for (long double& component : v) component /= size;
            }
            axes[axis] = v;
            value[axis] = scalar(v, times(m, v));
        }
        const long double next_q = std::sqrt(value[1] / value[0]), next_s = std::sqrt(value[2] / value[0]);
        const bool settled = std::abs(next_q - q) <= run::shape_tolerance &&
                             std::abs(next_s - s) <= run::shape_tolerance && k > 0;
        q = next_q;
        s = next_s;
        if (settled) break;
    }
    return {q, s};
}

TEST(ComponentShape, IsThatOfASlowReference)
{
    const Vec3 centre{3, -2, 1};
    const Particles p = ellipsoid(4000, 0.7, 0.4, centre);
    const ComponentShape found = run::measure_shape(p.view(), {0, 4000}, centre, 1.0);
    const auto expected = slow_ratios(p, centre, 1.0L);
    // sums of 2000 terms in double, and eigenvectors by powers of 3000
    EXPECT_NEAR(found.shape.b_to_a, static_cast<double>(expected[0]), 1e-11);
    EXPECT_NEAR(found.shape.c_to_a, static_cast<double>(expected[1]), 1e-11);
}

TEST(ComponentShape, FindsTheRatiosAndAxesOfStretchedSpheres)
{
    for (const auto& [q, s] : {std::pair{0.9, 0.8}, {0.6, 0.5}, {0.5, 0.2}}) {
        const Particles p = ellipsoid(60000, q, s);
        const ComponentShape found = run::measure_shape(p.view(), {}, {}, 1.3);
        // some 20 000 particles: a percent of noise, and an iteration that stops at changes of a thousandth
        EXPECT_NEAR(found.shape.b_to_a, q, 0.02) << q;
        EXPECT_NEAR(found.shape.c_to_a, s, 0.02) << q;
        EXPECT_NEAR(std::abs(dot(found.shape.axis[0], {std::cos(0.7), 0, std::sin(0.7)})), 1, 0.02) << q;
        EXPECT_NEAR(std::abs(dot(found.shape.axis[2], {-std::sin(0.7), 0, std::cos(0.7)})), 1, 0.02) << q;
        EXPECT_EQ(found.settled, 1) << q;
        EXPECT_GT(found.members, 1000) << q;
    }
}

TEST(ComponentShape, HasTheSameBitsOnAnyNumberOfThreads)
{
    const Particles p = ellipsoid(200000, 0.8, 0.5);
    const int before = omp_get_max_threads();
    std::vector<ComponentShape> found;
    for (const int threads : {1, 3}) {
        omp_set_num_threads(threads);
        found.push_back(run::measure_shape(p.view(), {}, {}, 1.3));
    }
    omp_set_num_threads(before);
    EXPECT_EQ(found[0].shape.c_to_a, found[1].shape.c_to_a);
    EXPECT_EQ(found[0].shape.axis[0].y, found[1].shape.axis[0].y);
}

TEST(ComponentShape, OfFewCoincidentAndFlatParticlesIsNaNOrFlat)
{
    Particles p = ellipsoid(1000, 0.7, 0);
    const ComponentShape flat = run::measure_shape(p.view(), {}, {}, 1.3);
    EXPECT_NEAR(flat.shape.b_to_a, 0.7, 0.1);
    EXPECT_NEAR(flat.shape.c_to_a, 0, 1e-6);
    EXPECT_TRUE(std::isnan(run::measure_shape(p.view(), {0, 9}, {}, 1e3).shape.b_to_a)) << "nine particles";
    EXPECT_TRUE(std::isnan(run::measure_shape(p.view(), {5, 5}, {}, NAN).shape.c_to_a)) << "none";
    for (double& x : p.position.x.host()) x = 4;
    for (double& y : p.position.y.host()) y = 4;
    for (double& z : p.position.z.host()) z = 4;
    const ComponentShape point = run::measure_shape(p.view(), {}, {4, 4, 4}, 0);
    EXPECT_TRUE(std::isnan(point.shape.b_to_a)) << "all in the centre";
}

class ShapesOfARecord : public OnEachBackend {};

TEST_P(ShapesOfARecord, AreThoseOfTheHostToRoundingAndRepeat)
{
    for (const std::size_t n : {12u, 500u, 4097u, 70000u}) {
        Particles p = ellipsoid(n, 0.8, 0.5, {2, 1, 0});
        for (std::size_t i = 0; i < n; ++i) p.mass.host()[i] *= 1 + 0.5 * std::sin(static_cast<double>(i));
        const auto third = static_cast<Index>(n / 3), all = static_cast<Index>(n);
        const std::vector<IndexRange> ranges{{0, third}, {third, all - 1}, {all - 1, all}, {all, all}};
        const auto measure = [&](Backend where) {
            const Particles there = p.copy_to(where);
            return run::Measurements()
                .measure({where}, there.view(), Box{}, ranges, there.potential.data())
                .orbits;
        };
        const auto here = measure(Backend::cpu), there = measure(GetParam()), again = measure(GetParam());
        for (std::size_t k = 0; k < ranges.size(); ++k) {
            const ComponentShape &a = here[k].shape, &b = there[k].shape, &c = again[k].shape;
            EXPECT_EQ(a.members, b.members) << n << ' ' << k;
            EXPECT_EQ(std::isnan(a.shape.c_to_a), std::isnan(b.shape.c_to_a)) << n << ' ' << k;
            if (std::isnan(a.shape.c_to_a)) continue;
            // centres agree to 1e-13, and the sums of up to 70 000 terms round
            EXPECT_NEAR(a.radius, b.radius, 1e-12) << n << ' ' << k;
            EXPECT_NEAR(a.shape.b_to_a, b.shape.b_to_a, 1e-10) << n << ' ' << k;
            EXPECT_NEAR(a.shape.c_to_a, b.shape.c_to_a, 1e-10) << n << ' ' << k;
            EXPECT_NEAR(std::abs(dot(a.shape.axis[0], b.shape.axis[0])), 1, 1e-10) << n << ' ' << k;
            EXPECT_EQ(b.shape.b_to_a, c.shape.b_to_a) << n << ' ' << k;
            EXPECT_EQ(b.shape.axis[2].z, c.shape.axis[2].z) << n << ' ' << k;
        }
    }
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(ShapesOfARecord);

}  // namespace
}  // namespace aureole::test
