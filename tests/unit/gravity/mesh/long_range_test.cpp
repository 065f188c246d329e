// The mesh with all pairs of the short range against the periodic direct sum.
#include "gravity/mesh/long_range.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "gravity/solver.hpp"
#include "gravity/solver_config.hpp"
#include "sim/core/error.hpp"
#include "sim/core/particles.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/point_sets.hpp"

namespace aureole::test::long_range_test {
namespace {

using gravity::LongRangeConfig;
using mesh::Assignment;

struct Field {
    std::vector<Vec3> acceleration;
    std::vector<double> potential;
};

Field field_of(const Particles& p)
{
    Field field;
    const ParticlesView view = const_cast<Particles&>(p).view();
    for (Index i = 0; i < view.n; ++i) {
        field.acceleration.push_back(view.acceleration.load(i));
        field.potential.push_back(view.potential[i]);
    }
    return field;
}

Field exact_field(const Particles& p, double side)
{
    Particles copy = p.copy_to(Backend::cpu);
    gravity::Config config;
    config.solver = "direct";
    gravity::ForceRequest request;
    request.potential = true;
    request.box.side = side;
    gravity::accelerate(*gravity::make_solver(config), {}, copy.view(), request);
    return field_of(copy);
}

/// What a pair adds beside the clouds of the mesh.
gravity::ShortRange pair_beside(const LongRangeConfig& config, double r)
{
    if (config.cut == 0) return gravity::short_range(r, config.split);
    const gravity::CompactSplit clouds(config.split, config.cut);
    return {1 / (r * r * r) - clouds.force(r * r), clouds.potential(r * r) - 1 / r};
}

/// Pairs of nearest images within `cut`.
void add_short_range(const Particles& p, double side, const LongRangeConfig& config, double cut, Field& field)
{
    const Box box{side};
    const ParticlesView view = const_cast<Particles&>(p).view();
    for (Index i = 0; i < view.n; ++i)
        for (Index j = 0; j < view.n; ++j) {
            if (i == j) continue;
            const Vec3 d = box.nearest(view.position.load(j) - view.position.load(i));
            const double r = std::sqrt(dot(d, d));
            if (r > cut) continue;
            const gravity::ShortRange pair = pair_beside(config, r);
            field.acceleration[i] = field.acceleration[i] + view.mass[j] * pair.acceleration * d;
            field.potential[i] += view.mass[j] * pair.potential;
        }
}

template <class Real>
Field mesh_field(Backend where, const Particles& p, const LongRangeConfig& config)
{
    Particles copy = p.copy_to(where);
    gravity::LongRange<Real> mesh(where, config);
    mesh.set_sources(nullptr, copy.view());
    const ParticlesView view = copy.view();
    mesh.add_field(nullptr, view, {}, {view.acceleration, view.potential});
    return field_of(copy.copy_to(Backend::cpu));
}

/// 99 % of the errors of accelerations, each over the length of its own, are at most this.
double error_99(const Field& found, const Field& exact)
{
    std::vector<double> error;
    for (std::size_t i = 0; i < exact.acceleration.size(); ++i)
        error.push_back(length(found.acceleration[i] - exact.acceleration[i]) /
                        length(exact.acceleration[i]));
    const auto at = error.begin() + static_cast<std::ptrdiff_t>(0.99 * static_cast<double>(error.size()));
    std::nth_element(error.begin(), at, error.end());
    return *at;
}

Particles clustered_box(std::size_t n, double side)
{
    Particles p = particles_at(clustered_points(n, 7));
    Uniform u(4);
    for (double& m : p.mass.host()) m = 0.5 + u();
    for (auto* x : {&p.position.x, &p.position.y, &p.position.z})
        for (double& c : x->host()) c *= side;
    std::fill(p.potential.host().begin(), p.potential.host().end(), 0.0);
    return p;
}

class LongRangeField : public OnEachBackend {};

TEST_P(LongRangeField, WithThePairsOfTheShortRangeIsThatOfEwald)
{
    const double side = 3;
    const Particles p = clustered_box(600, side);
    const Field exact = exact_field(p, side);
    struct Case {
        Assignment assignment;
        bool interlaced;
        double split, cut;  // in cells, in splits
        double error;
        bool ends = false;  // clouds end at the cut
    };
    // mesh of 24: 2.8 cells a mean spacing; figures of COSMOLOGY's table for 2 cells, with room for the
    // sample
    const Case cases[] = {{Assignment::tsc, false, 1.25, 5.6, 4e-3},
                          {Assignment::tsc, true, 1.25, 5.6, 1e-3},
                          {Assignment::pcs, false, 1.25, 5.6, 1e-3},
                          {Assignment::pcs, true, 1.25, 7, 1e-4},
                          {Assignment::pcs, true, 1.6, 7, 3e-5},
                          {Assignment::cic, true, 2, 7, 4e-3},
                          {Assignment::pcs, false, 1.12, 4.47, 1e-3, true},
                          {Assignment::pcs, true, 1.6, 4.9, 3e-5, true}};
    for (const Case& c : cases) {
        LongRangeConfig config{24, side, c.split * side / 24, c.assignment, c.interlaced};
        if (c.ends) config.cut = c.cut * config.split;
        Field found = mesh_field<double>(exec().backend, p, config);
        const Field in_float = mesh_field<float>(exec().backend, p, config);
        add_short_range(p, side, config, std::min(c.cut * config.split, 0.5 * side), found);
        const double error = error_99(found, exact);
        EXPECT_LE(error, c.error) << static_cast<int>(c.assignment) << c.interlaced << ' ' << c.split;
        double potential = 0, rms = 0, momentum = 0;
        Vec3 force{};
        for (std::size_t i = 0; i < p.size(); ++i) {
            potential = std::max(potential, std::abs(found.potential[i] - exact.potential[i]));
            rms += exact.potential[i] * exact.potential[i] / static_cast<double>(p.size());
            force = force + p.mass.host()[i] * in_float.acceleration[i];
            momentum += p.mass.host()[i] * length(in_float.acceleration[i]);
        }
        EXPECT_LE(potential, c.error * std::sqrt(rms));
        EXPECT_LE(length(force) / momentum, 1e-5);  // of float
    }
}

TEST_P(LongRangeField, OfAPlaneWaveIsThatOfItsModes)
{
    // a lattice with a sinusoidal displacement: the mesh sees one wave
    const int n = 16;
    const double side = 2, amplitude = 1e-4, k = 2 * std::numbers::pi / side;
    Points x = lattice_points(n, side / n);
    Particles p = particles_at(x);
    for (std::size_t i = 0; i < x.size(); ++i) {
        p.position.x.host()[i] = x[i][0] + amplitude * std::sin(k * x[i][0]);
        p.mass.host()[i] = 1.0 / static_cast<double>(x.size());
    }
    std::fill(p.potential.host().begin(), p.potential.host().end(), 0.0);
    const LongRangeConfig config{32, side, 0.1, Assignment::pcs, true};
    const Field found = mesh_field<double>(exec().backend, p, config);
    const double density = 1 / (side * side * side);
    const double expected = 4 * std::numbers::pi * density * amplitude * std::exp(-k * k * 0.01);
    for (std::size_t i = 0; i < x.size(); ++i) {
        EXPECT_NEAR(found.acceleration[i].x, expected * std::sin(k * x[i][0]), 1e-3 * expected);
        EXPECT_NEAR(found.acceleration[i].y, 0, 1e-3 * expected);
    }
}

TEST_P(LongRangeField, HasEqualBitsForRepeatsThreadsAndAnyOrder)
{
    const Particles p = clustered_box(500, 1);
    const LongRangeConfig config{20, 1, 0.06, Assignment::tsc, true};
    const Field once = mesh_field<float>(exec().backend, p, config);
    const int threads = omp_get_max_threads();
    for (const int t : {1, 3}) {
        omp_set_num_threads(t);
        const Field again = mesh_field<float>(exec().backend, p, config);
        for (std::size_t i = 0; i < p.size(); ++i) {
            ASSERT_EQ(again.acceleration[i].x, once.acceleration[i].x);
            ASSERT_EQ(again.potential[i], once.potential[i]);
        }
    }
    omp_set_num_threads(threads);
    std::vector<Index> order;
    for (Index i = 0; i < p.size(); ++i) order.push_back(static_cast<Index>(p.size()) - 1 - i);
    const Field reversed = mesh_field<float>(exec().backend, p.gathered(order), config);
    for (std::size_t i = 0; i < p.size(); ++i)
        ASSERT_EQ(reversed.acceleration[order[i]].z, once.acceleration[i].z);
}

TEST_P(LongRangeField, IsAddedToSomeTargetsAlone)
{
    const Particles p = clustered_box(100, 1);
    const LongRangeConfig config{12, 1, 0.1, Assignment::cic, false};
    const Field all = mesh_field<double>(exec().backend, p, config);
    Particles copy = p.copy_to(exec().backend);
    gravity::LongRange<double> mesh(exec().backend, config);
    mesh.set_sources(nullptr, copy.view());
    const ParticlesView view = copy.view();
    mesh.add_field(nullptr, view, gravity::Selection(30, 60), {view.acceleration, nullptr});
    mesh.add_field(nullptr, view, gravity::Selection(50, 60), {view.acceleration, nullptr});
    const Field some = field_of(copy.copy_to(Backend::cpu));
    for (std::size_t i = 0; i < 100; ++i) {
        const double times = i < 30 || i >= 60 ? 0 : i < 50 ? 1 : 2;
        EXPECT_EQ(some.acceleration[i].x, times * all.acceleration[i].x);
        EXPECT_EQ(some.potential[i], 0);
    }
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(LongRangeField);

TEST(LongRange, RefusesMeshesAndSplitsOutOfRange)
{
    for (const LongRangeConfig& config :
         {LongRangeConfig{8, 1, 0.1, Assignment::pcs, false, 0.05},
          LongRangeConfig{8, 1, 0.1, Assignment::pcs, false, -1}, LongRangeConfig{1, 1, 0.1},
          LongRangeConfig{4096, 1, 0.1}, LongRangeConfig{8, 0, 0.1}, LongRangeConfig{8, 1, 0},
          LongRangeConfig{8, 1, 1}, LongRangeConfig{8, NAN, 0.1}})
        EXPECT_THROW(gravity::LongRange<double>(Backend::cpu, config), ArgumentError);
}

TEST(ShortRange, IsNewtonNearbyAndNothingFarAway)
{
    const gravity::ShortRange near = gravity::short_range(1e-3, 1), far = gravity::short_range(7, 1);
    EXPECT_NEAR(near.acceleration, 1e9, 1);
    EXPECT_NEAR(near.potential, -1e3, 1);
    EXPECT_LT(far.acceleration * 343, 2.1e-5);  // the page's s(7 r_s) is 2.0e-5
    const double h = 1e-5;
    const double slope =
        (gravity::short_range(2 + h, 1).potential - gravity::short_range(2 - h, 1).potential) / (2 * h);
    EXPECT_NEAR(gravity::short_range(2, 1).acceleration * 2, slope, 1e-9);
}

}  // namespace
}  // namespace aureole::test::long_range_test
