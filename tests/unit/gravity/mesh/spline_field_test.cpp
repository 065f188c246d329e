// The CPU's mesh with all pairs of the short range against the periodic direct sum.
#include "gravity/mesh/spline_field.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>

#include "gravity/solver.hpp"
#include "gravity/solver_config.hpp"
#include "sim/core/error.hpp"
#include "sim/core/particles.hpp"
#include "sim/core/random.hpp"
#include "sim/core/spatial/box.hpp"

namespace aureole::test::spline_field_test {
namespace {

using gravity::CompactSplit;
using gravity::SplineField;

constexpr double side = 1.7;

/// A clump at a corner, and particles everywhere, of different masses.
Particles clump_and_field(Index n)
{
    Particles p(Backend::cpu, n);
    for (Index i = 0; i < n; ++i) {
        Random random(4, i, 1);
        Vec3 x = side * Vec3{random.uniform(), random.uniform(), random.uniform()};
        if (i % 2 == 0) x = 0.15 * random.uniform() * random.direction();
        p.view().position.store(i, Box{side}.wrap(x));
        p.view().mass[i] = 0.5 + random.uniform();
    }
    return p;
}

void add_mesh_field(Particles& p, const CompactSplit& split, int n)
{
    SplineField mesh(n, side, split);
    mesh.set_sources(p.view());
    mesh.add_field(p.view(), {}, {p.view().acceleration, p.view().potential});
}

/// What pairs of nearest images within the cut add.
void add_pairs(Particles& p, const CompactSplit& split)
{
    const ParticlesView view = p.view();
    for (Index i = 0; i < view.n; ++i)
        for (Index j = 0; j < view.n; ++j) {
            const Vec3 d = Box{side}.nearest(view.position.load(j) - view.position.load(i));
            const double r2 = dot(d, d), r = std::sqrt(r2);
            if (i == j || r >= split.cut()) continue;
            const Vec3 a = view.mass[j] * (1 / (r2 * r) - split.force(r2)) * d;
            view.acceleration.store(i, view.acceleration.load(i) + a);
            view.potential[i] -= view.mass[j] * (1 / r - split.potential(r2));
        }
}

struct Errors {
    double acceleration_99, potential;  ///< over the deepest
};
Errors errors_of(const Particles& found, const Particles& exact)
{
    std::vector<double> errors;
    double worst = 0, deepest = 0;
    for (Index i = 0; i < found.size(); ++i) {
        errors.push_back(length(found.acceleration.load(i) - exact.acceleration.load(i)) /
                         length(exact.acceleration.load(i)));
        const double potential = exact.potential.host()[i];
        worst = std::max(worst, std::abs(found.potential.host()[i] - potential));
        deepest = std::max(deepest, std::abs(potential));
    }
    std::ranges::sort(errors);
    return {errors[errors.size() * 99 / 100], worst / deepest};
}

TEST(SplineField, IsTheDirectSumWithThePairsOfItsSplit)
{
    Particles exact = clump_and_field(300);
    gravity::Config config;
    config.solver = "direct";
    gravity::accelerate(*gravity::make_solver(config), {}, exact.view(), {.potential = true, .box = {side}});
    struct Case {
        int n;
        double scale, cut, tolerance;
    };
    for (const Case& c : {Case{16, 1.12, 4.25, 1e-3}, Case{20, 1.6, 4.9, 1e-4}, Case{27, 1.6, 4.9, 1e-4}}) {
        Particles found = clump_and_field(300);
        const CompactSplit split(c.scale * side / c.n, c.scale * c.cut * side / c.n);
        for (Index i = 0; i < 300; ++i) found.view().acceleration.store(i, {}), found.view().potential[i] = 0;
        add_mesh_field(found, split, c.n);
        add_pairs(found, split);
        const Errors errors = errors_of(found, exact);
        EXPECT_LT(errors.acceleration_99, c.tolerance) << c.n;
        EXPECT_LT(errors.potential, c.tolerance) << c.n;
        EXPECT_GT(errors.acceleration_99, 1e-3 * c.tolerance) << c.n;
    }
}

/// 40 points have four columns of each colour along an axis, 12 have one column.
TEST(SplineField, HasEqualBitsForAnyOrderAndNumberOfThreads)
{
    const int threads = omp_get_max_threads();
    for (const int n : {12, 40}) {
        const CompactSplit split(1.12 * side / n, 4.76 * side / n);
        const auto fields = [&](int count, bool reversed) {
            omp_set_num_threads(count);
            Particles p = clump_and_field(3000), turned = clump_and_field(3000);
            for (Index i = 0; reversed && i < 3000; ++i) {
                turned.view().position.store(i, p.position.load(2999 - i));
                turned.view().mass[i] = p.view().mass[2999 - i];
            }
            for (Index i = 0; i < 3000; ++i)
                turned.view().acceleration.store(i, {}), turned.view().potential[i] = 0;
            add_mesh_field(turned, split, n);
            std::vector<double> result;
            for (Index i = 0; i < 3000; ++i) {
                const Index k = reversed ? 2999 - i : i;
                const Vec3 a = turned.acceleration.load(k);
                result.insert(result.end(), {a.x, a.y, a.z, turned.view().potential[k]});
            }
            return result;
        };
        const auto one = fields(1, false);
        EXPECT_EQ(fields(3, false), one);
        EXPECT_EQ(fields(2, true), one);
    }
    omp_set_num_threads(threads);
}

TEST(SplineField, FindsParticlesOutsideTheBoxInside)
{
    const CompactSplit split(1.12 * side / 20, 4.76 * side / 20);
    Particles inside(Backend::cpu, 2), outside(Backend::cpu, 2);
    for (Index i = 0; i < 2; ++i) {
        inside.view().mass[i] = outside.view().mass[i] = 1 + i;
        for (Particles* p : {&inside, &outside})
            p->view().acceleration.store(i, {}), p->view().potential[i] = 0;
    }
    inside.view().position.store(0, {0.25, 0.5, 1.5});
    outside.view().position.store(0, {0.25 - side, 0.5 + 2 * side, 1.5 - 3 * side});
    inside.view().position.store(1, {0, 0, std::nextafter(side, 0.0)});
    outside.view().position.store(1, {side, -side, -1e-17});
    add_mesh_field(inside, split, 20);
    add_mesh_field(outside, split, 20);
    for (Index i = 0; i < 2; ++i)
        EXPECT_LT(length(inside.acceleration.load(i) - outside.acceleration.load(i)), 1e-12);
}

TEST(SplineField, RefusesMeshesAndBoxesThatAreNone)
{
    EXPECT_THROW(SplineField(7, 1, {0.1, 0.4}), ArgumentError);
    EXPECT_THROW(SplineField(4096, 1, {0.1, 0.4}), ArgumentError);
    EXPECT_THROW(SplineField(16, 0, {0.1, 0.4}), ArgumentError);
}

}  // namespace
}  // namespace aureole::test::spline_field_test
