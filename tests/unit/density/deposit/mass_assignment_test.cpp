// NGP, CIC and TSC on each backend: against a slow sum over all particles and images, bit for bit against the
// CPU, in chunks, in any order, and at the edges.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "tests/support/backends.hpp"
#include "tests/unit/density/sheets.hpp"

namespace aureole::test::mass_assignment_test {
namespace {

constexpr Method cloud_methods[] = {Method::nearest_grid_point, Method::cloud_in_cell,
                                    Method::triangular_shaped_cloud};
constexpr Fields all_moments{.velocity = true, .dispersion = true};

/// Some of them outside the box, as files have them, with masses between 0 and 1.
Particles random_particles(std::size_t n)
{
    std::mt19937_64 engine(17);
    std::uniform_real_distribution<double> uniform(0, 1);
    Particles host(Backend::cpu, n);
    const ParticlesView p = host.view();
    for (Index i = 0; i < p.n; ++i) {
        p.id[i] = i;
        p.mass[i] = uniform(engine);
        p.position.store(i,
                         {side * (3 * uniform(engine) - 1), side * uniform(engine), side * uniform(engine)});
        p.velocity.store(i, {uniform(engine) - 0.5, 3 * uniform(engine) - 2, uniform(engine)});
    }
    return host;
}

Grid across_the_edge()
{
    Grid grid = whole_box(12);
    grid.axis[0] = {7.5, 12.25, 9};
    grid.axis[1] = {-1, 3, 7};
    return grid;
}

Grid in_open_space()
{
    Grid grid = across_the_edge();
    grid.box.side = 0;
    return grid;
}

void expect_same_bits(DensityGrid& found, DensityGrid& expected)
{
    const std::int64_t n = expected.grid().n_cells() * (expected.fields().moments() ? 5 : 1);
    for (std::int64_t s = 0; s < n; ++s) {
        ASSERT_EQ(found.sums()[s].low, expected.sums()[s].low) << "sum " << s;
        ASSERT_EQ(found.sums()[s].high, expected.sums()[s].high) << "sum " << s;
    }
}

class MassAssignmentOnEachBackend : public OnEachBackend {
protected:
    void expect_bits_of_the_cpu(Particles& host, const DepositConfig& config)
    {
        DensityGrid found = deposit(exec(), host.view(), config), expected = deposit({}, host.view(), config);
        expect_same_bits(found, expected);
    }
};

/// Hockney & Eastwood (1988), figure 5-3: of the cell's centre at a distance of d cells.
long double share(Method method, long double d)
{
    d = std::abs(d);
    if (method == Method::nearest_grid_point) return d < 0.5L ? 1 : 0;
    if (method == Method::cloud_in_cell) return std::max(0.0L, 1 - d);
    if (d < 0.5L) return 0.75L - d * d;
    return d < 1.5L ? (1.5L - d) * (1.5L - d) / 2 : 0;
}

/// Summed over all images that are near.
long double share(Method method, const Grid& grid, int a, std::int64_t cell, double x)
{
    const GridAxis& axis = grid.axis[a];
    long double sum = 0;
    for (int image = -3; image <= 3; ++image) {
        if (image != 0 && !grid.box.periodic()) continue;
        const long double distance =
            axis.centre(cell) - (x + image * static_cast<long double>(grid.box.side));
        sum += share(method, distance / axis.cell_size());
    }
    return sum;
}

TEST_P(MassAssignmentOnEachBackend, CellsHaveWhatASlowSumOverAllParticlesGivesThem)
{
    Particles host = random_particles(40);
    const ParticlesView p = host.view();
    for (const Grid& grid : {whole_box(6), across_the_edge(), in_open_space()})
        for (const Method method : cloud_methods) {
            const DensityGrid found = deposit(exec(), p, config_of(grid, {.velocity = true}, method));
            for (std::int64_t c = 0; c < grid.n_cells(); ++c) {
                const std::int64_t at[3] = {c / (grid.axis[1].cells * grid.axis[2].cells),
                                            c / grid.axis[2].cells % grid.axis[1].cells,
                                            c % grid.axis[2].cells};
                long double mass = 0, momentum = 0;
                for (Index i = 0; i < p.n; ++i) {
                    long double part = p.mass[i];
                    for (int a = 0; a < 3; ++a)
                        part *= share(method, grid, a, at[a], component(p.position.load(i), a));
                    mass += part;
                    momentum += part * p.velocity.y[i];
                }
                ASSERT_NEAR(found.mass(c), static_cast<double>(mass), 1e-12) << name_of(method);
                ASSERT_NEAR(found.momentum(c).y, static_cast<double>(momentum), 1e-12) << name_of(method);
            }
        }
}

TEST_P(MassAssignmentOnEachBackend, HaveTheBitsOfTheCpu)
{
    Particles host = random_particles(5000);
    for (const Grid& grid : {whole_box(13), across_the_edge(), in_open_space()})
        for (const Method method : cloud_methods)
            for (const Fields& fields : {Fields{}, all_moments})
                expect_bits_of_the_cpu(host, config_of(grid, fields, method));
}

TEST_P(MassAssignmentOnEachBackend, ManyChunksAddUpToAllParticles)
{
    for (const std::size_t n : {std::size_t{1} << 18, (std::size_t{5} << 17) + 3}) {
        Particles host = random_particles(n);
        std::vector<double> told;
        DepositConfig config = config_of(whole_box(8), {.velocity = true}, Method::nearest_grid_point);
        DensityGrid expected = deposit({}, host.view(), config);
        config.progress.report = [&told](double fraction, std::string_view) { told.push_back(fraction); };
        DensityGrid found = deposit(exec(), host.view(), config);
        expect_same_bits(found, expected);
        EXPECT_NEAR(found.total_mass() / total_mass(host), 1, 1e-12);
        EXPECT_TRUE(std::ranges::is_sorted(told));
        EXPECT_EQ(told.back(), 1);
    }
}

TEST_P(MassAssignmentOnEachBackend, BitsRepeatInAnyOrderOfTheParticles)
{
    Particles host = random_particles(3000);
    std::vector<Index> order(host.size());
    std::iota(order.begin(), order.end(), Index{0});
    std::ranges::shuffle(order, std::mt19937_64(3));
    Particles shuffled = host.gathered(order);
    for (const Method method : cloud_methods) {
        const DepositConfig config = config_of(whole_box(5), all_moments, method);
        DensityGrid first = deposit(exec(), host.view(), config),
                    again = deposit(exec(), host.view(), config),
                    other = deposit(exec(), shuffled.view(), config);
        expect_same_bits(again, first);
        expect_same_bits(other, first);
    }
}

TEST_P(MassAssignmentOnEachBackend, NoneOneAndManyOnOnePoint)
{
    for (const Method method : cloud_methods) {
        const DepositConfig config = config_of(whole_box(4), all_moments, method);
        Particles none(Backend::cpu, 0);
        EXPECT_EQ(deposit(exec(), none.view(), config).total_mass(), 0);
        Particles one = random_particles(1);
        EXPECT_NEAR(deposit(exec(), one.view(), config).total_mass(), one.mass.host()[0], 1e-15);
        Particles many = random_particles(2000);
        for (Index i = 0; i < 2000; ++i)
            many.view().position.store(i, {0, side, 7.5});  // a corner of the box
        const DensityGrid found = deposit(exec(), many.view(), config);
        EXPECT_NEAR(found.total_mass() / total_mass(many), 1, 1e-13);
        const double here = method == Method::nearest_grid_point ? 1 : 0.125;
        if (method != Method::triangular_shaped_cloud) {
            EXPECT_NEAR(found.mass(config.grid.index(0, 0, 3)) / total_mass(many), here, 1e-13);
        }
        expect_bits_of_the_cpu(many, config);
    }
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(MassAssignmentOnEachBackend);

}  // namespace
}  // namespace aureole::test::mass_assignment_test
