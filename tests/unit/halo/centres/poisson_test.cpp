// The fast Poisson centre on each backend: against a slow solution of the same equations, and against the
// host where the grid's deepest point is hard to tell.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "halo/centres/centres.hpp"
#include "halo/centres/poisson/grid_loops.hpp"
#include "halo/centres/poisson/poisson_grids.hpp"
#include "halo/device_members.hpp"
#include "sim/core/memory/ledger.hpp"
#include "sim/core/spatial/ordered_bits.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/halo/reference_centres.hpp"
#include "tests/support/make_particles.hpp"
#include "tests/support/point_sets.hpp"

namespace aureole::test::poisson_test {
namespace {

using halo::Centre;
using halo::CentreConfig;
using halo::Centres;
using halo::Members;

constexpr std::size_t always = 1, never = 1000000000;

struct Groups {
    Points x;
    Members members;

    void add(const Points& group)
    {
        for (const auto& at : group) {
            members.particle.push_back(static_cast<Index>(x.size()));
            x.push_back(at);
        }
        members.begin.push_back(x.size());
    }
    /// Ids in an order of their own, masses that differ.
    Particles particles(bool equal_masses = false) const
    {
        Particles p = particles_at(x);
        Uniform u(5);
        for (std::size_t k = 0; k < x.size(); ++k) {
            if (!equal_masses) p.mass.host()[k] = 0.1 + u();
            p.id.host()[k] = 7919 * (k + 1) % 1000003;
        }
        return p;
    }
};

Points clump(std::size_t n, std::uint64_t seed, double middle, double size)
{
    Points x = clustered_points(n, seed);
    for (auto& at : x)
        for (double& c : at) c = middle + size * c;
    return x;
}

class PoissonCentres : public OnEachBackend {
protected:
    Centres there(const Particles& p, const Members& members, const CentreConfig& config, double side = 0)
    {
        Particles copy = p.copy_to(exec().backend);
        const halo::DeviceMembers lists(exec().backend, members);
        return finder_.find(exec(), copy.view(), lists.view(), Box{side}, config);
    }

    void expect_those_of_the_host(Particles& p, const Members& members, CentreConfig config, double side = 0)
    {
        config.method = Centre::poisson;
        config.tree_members = never;
        const Centres expected = halo::find_centres(p.view(), members, {side}, config);
        for (const std::size_t tree : {always, std::size_t{500}, never}) {
            config.tree_members = tree;
            const Centres found = there(p, members, config, side);
            ASSERT_EQ(found.particle, expected.particle)
                << "tree " << tree << " grid " << config.own.get<halo::PoissonConfig>().grid;
            EXPECT_EQ(found.value, expected.value)
                << "tree " << tree << " grid " << config.own.get<halo::PoissonConfig>().grid;
        }
    }

private:
    halo::CentreFinder finder_;
};

TEST_P(PoissonCentres, AreThoseOfTheHostOnGridsOfAnySize)
{
    Groups groups;
    groups.add(clump(3000, 1, 0, 1));
    groups.add(clump(1500, 2, 100, 1e-3));
    groups.add(uniform_points(1200, 3));
    for (std::size_t n = 1; n < 200; n += 17) groups.add(clump(n, n, -5, 0.5));
    Points line, two = clump(900, 7, 0, 0.1), other = clump(800, 8, 3, 0.1);
    for (int k = 0; k < 1100; ++k) line.push_back({0.001 * k * k, 0, 0});
    two.insert(two.end(), other.begin(), other.end());
    groups.add(line);
    groups.add(two);
    groups.add(Points(1300, {1, 2, 3}));  // without extent: all are searched
    Particles p = groups.particles();
    for (const unsigned grid : {2, 3, 16, 63})
        expect_those_of_the_host(
            p, groups.members,
            {.softening = 0.01, .own = on_grid({.grid = grid, .search_radius = 0.3, .least_members = 1})});
    for (const std::uint32_t least : {50u, 1000u, ~0u})
        expect_those_of_the_host(p, groups.members,
                                 {.softening = 0, .own = on_grid({.grid = 31, .least_members = least})});
}

TEST_P(PoissonCentres, AreThoseOfTheHostWhereManyPointsAreEquallyDeep)
{
    Groups groups;
    groups.add(lattice_points(12, 0.125));
    Points twins = clump(700, 3, 4, 0.25), shell;
    for (auto& at : twins)
        for (double& c : at) c = std::rint(c * 1024) / 1024;  // so that mirror images are exact
    for (std::size_t k = 0; k < 700; ++k) twins.push_back({-twins[k][0], twins[k][1], twins[k][2]});
    for (int axis = 0; axis < 3; ++axis)
        for (const double end : {-1.0, 1.0})
            for (int k = 0; k < 200; ++k) {
                std::array<double, 3> at{0, 0, 0};
                at[static_cast<std::size_t>(axis)] = end;
                shell.push_back(at);
            }
    groups.add(twins);
    groups.add(shell);
    Particles p = groups.particles(true);
    for (const unsigned grid : {3, 8, 17, 63})
        for (const double eps : {0.0, 0.1})
            expect_those_of_the_host(
                p, groups.members,
                {.softening = eps, .own = on_grid({.grid = grid, .search_radius = 0.7, .least_members = 1})});
}

TEST_P(PoissonCentres, AreThoseOfTheHostAcrossTheCornerOfABoxAndForAnyMasses)
{
    Groups groups;
    for (std::uint64_t seed = 1; seed < 4; ++seed) {
        Points x = clump(1500, seed, 0, 0.02);
        for (auto& at : x)
            for (double& c : at) c -= 0.01 + std::floor(c - 0.01);
        groups.add(x);
    }
    Particles p = groups.particles();
    for (double& m : p.mass.host().subspan(3000)) m = 0;
    const CentreConfig config{.own = on_grid({.grid = 31})};
    expect_those_of_the_host(p, groups.members, config, 1);
    CentreConfig poisson = config;
    poisson.method = Centre::poisson;
    const Centres usual = there(p, groups.members, poisson, 1);
    for (const int exponent : {-900, 900}) {
        Particles extreme = groups.particles();
        for (double& m : extreme.mass.host()) m = std::ldexp(m, exponent);
        for (double& m : extreme.mass.host().subspan(3000)) m = 0;
        EXPECT_EQ(there(extreme, groups.members, poisson, 1).particle, usual.particle) << exponent;
    }
}

TEST_P(PoissonCentres, DoNotDependOnTheOrderOfTheMembers)
{
    Groups groups;
    groups.add(clump(4000, 1, 0, 1));
    groups.add(lattice_points(10, 0.1));
    Particles p = groups.particles();
    const CentreConfig config{.method = Centre::poisson,
                              .own = on_grid({.grid = 20, .search_radius = 0.4, .least_members = 1})};
    const Centres expected = there(p, groups.members, config);
    std::mt19937 random(3);
    for (int repeat = 0; repeat < 3; ++repeat) {
        Members mixed = groups.members;
        for (std::size_t list = 0; list < mixed.size(); ++list)
            std::shuffle(mixed.particle.begin() + static_cast<std::ptrdiff_t>(mixed.begin[list]),
                         mixed.particle.begin() + static_cast<std::ptrdiff_t>(mixed.begin[list + 1]), random);
        const Centres found = there(p, mixed, config);
        EXPECT_EQ(found.particle, expected.particle);
        EXPECT_EQ(found.value, expected.value);
    }
}

TEST_P(PoissonCentres, OfMoreGroupsThanOneBatchHoldsAreThoseOfTheHost)
{
    Groups groups;
    for (std::uint64_t seed = 1; seed < 40; ++seed) groups.add(clump(40 + seed, seed, 0, 1));
    Particles p = groups.particles();
    ASSERT_LT(halo::poisson::PoissonGrids::grids_at_once(63, 39), 39u);
    const CentreConfig config{.method = Centre::poisson,
                              .own = on_grid({.search_radius = 0.2, .least_members = 1})};
    const Centres expected = halo::find_centres(p.view(), groups.members, {}, config);
    const std::size_t before = memory::held_bytes(exec().backend);
    memory::reset_peak(exec().backend);
    EXPECT_EQ(there(p, groups.members, config).particle, expected.particle);
    if (exec().backend == Backend::cuda) {
        EXPECT_LE(memory::peak_bytes(Backend::cuda) - before,
                  halo::poisson::PoissonGrids::device_bytes(63, 39) + 8000000);
    }
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(PoissonCentres);

class PoissonGridsOnEachBackend : public OnEachBackend {
protected:
    /// Of all members of all lists, on the backend.
    std::vector<std::uint8_t> near_there(const Groups& groups, const Particles& p, int points, double radius)
    {
        const Backend where = exec().backend;
        std::vector<halo::poisson::GridList> lists;
        std::vector<std::uint64_t> words;
        for (std::size_t g = 0; g < groups.members.size(); ++g) {
            const std::uint64_t first = groups.members.begin[g], n = groups.members.size(g);
            lists.push_back({first, n, 0, static_cast<Index>(g)});
            for (const bool low : {true, false})
                for (std::size_t axis = 0; axis < 3; ++axis) {
                    double end = groups.x[first][axis];
                    for (std::uint64_t k = first; k < first + n; ++k)
                        end = low ? std::min(end, groups.x[k][axis]) : std::max(end, groups.x[k][axis]);
                    words.push_back(ordered_bits(end));
                }
            const auto mass = p.mass.host().subspan(first, n);
            words.push_back(ordered_bits(*std::max_element(mass.begin(), mass.end())));
        }
        Particles copy = p.copy_to(where);
        const ParticlesView view = copy.view();
        const Buffer<std::uint64_t> extents(where, std::span<const std::uint64_t>(words));
        Buffer<std::uint8_t> near(where, std::vector<std::uint8_t>(p.size(), 7));
        const halo::poisson::PoissonGrids grids(where, points, radius);
        halo::poisson::GridScratch scratch;
        grids.mark_near(
            nullptr,
            {{view.position.x, view.position.y, view.position.z, view.mass, 1}, {extents.data(), 7}, lists},
            scratch, near.data());
        return near.to_vector();
    }
};

TEST_P(PoissonGridsOnEachBackend, MarkTheMembersThatTheHostFindsGroupByGroup)
{
    Groups groups;
    for (std::uint64_t seed = 1; seed < 34; ++seed) groups.add(clump(20 + 57 * seed, seed, 0, 1));
    groups.add(lattice_points(12, 0.125));
    groups.add(Points(130, {1, 2, 3}));
    Particles p = groups.particles();
    const ParticlesView view = p.view();
    const std::vector<std::pair<int, double>> cases{{2, 1.0}, {3, 0.2}, {16, 0.05}, {63, 2.0}};
    for (const auto& [points, radius] : cases) {
        const std::vector<std::uint8_t> near = near_there(groups, p, points, radius);
        EXPECT_EQ(near, near_there(groups, p, points, radius));
        const halo::poisson::PoissonGrids grids(Backend::cpu, points, radius);
        halo::poisson::GridScratch scratch;
        for (std::size_t g = 0; g < groups.members.size(); ++g) {
            const std::size_t first = groups.members.begin[g], n = groups.members.size(g);
            const halo::BodiesView bodies{n, view.position.x + first, view.position.y + first,
                                          view.position.z + first, view.mass + first};
            std::vector<std::uint8_t> expected(n, 0);
            for (const Index k : bodies_near(grids, bodies, scratch)) expected[k] = 1;
            EXPECT_TRUE(std::equal(expected.begin(), expected.end(),
                                   near.begin() + static_cast<std::ptrdiff_t>(first)))
                << "group " << g << " on " << points << " points";
        }
    }
}

TEST_P(PoissonGridsOnEachBackend, TakeTheFirstOfEquallyDeepPoints)
{
    constexpr int points = 5;
    constexpr std::size_t n = std::size_t{points} * points * points;
    std::vector<double> value(2 * n, -1);  // of two grids, interleaved
    const auto set = [&](std::size_t list, std::size_t point, double x) { value[2 * point + list] = x; };
    set(0, 40, -3);
    set(0, 17, -3 * (1 - 5e-11));  // as deep, to the rounding of any transform
    set(0, 90, -3 * (1 - 5e-11));
    set(0, 9, -3 * (1 - 2e-10));
    set(1, 100, -2);
    set(1, 99, -2 * (1 - 1e-8));
    std::vector<halo::poisson::ListGrid> grid(2);
    for (auto& one : grid) {
        one.deepest = ~std::uint64_t{0};
        one.point = ~Index{0};
    }
    Buffer<double> values(GetParam(), std::span<const double>(value));
    Buffer<halo::poisson::ListGrid> grids(GetParam(), std::span<const halo::poisson::ListGrid>(grid));
    halo::poisson::GridBatch batch{};
    batch.points = points;
    batch.n_lists = 2;
    batch.grids = grids.data();
    batch.values = values.data();
    halo::poisson::find_deepest({GetParam()}, batch);
    grid = grids.to_vector();
    EXPECT_EQ(grid[0].point, 17u);
    EXPECT_EQ(grid[1].point, 100u);
    EXPECT_EQ(from_ordered_bits(grid[0].deepest), -3);
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(PoissonGridsOnEachBackend);

/// The deepest point of the seven-point Poisson equation with zero walls, by many sweeps.
struct SlowGrid {
    int n;
    std::array<double, 3> low;
    double spacing;
    std::vector<double> density, potential;

    SlowGrid(const Points& x, std::span<const double> mass, int points) : n(points)
    {
        std::array<double, 3> high = low = x[0];
        for (const auto& at : x)
            for (std::size_t a = 0; a < 3; ++a) {
                low[a] = std::min(low[a], at[a]);
                high[a] = std::max(high[a], at[a]);
            }
        double longest = 0;
        for (std::size_t a = 0; a < 3; ++a) longest = std::max(longest, high[a] - low[a]);
        for (std::size_t a = 0; a < 3; ++a) low[a] = 0.5 * (low[a] + high[a]) - 0.5 * longest;
        spacing = longest / (n - 1);
        density.assign(static_cast<std::size_t>(n * n * n), 0);
        potential = density;
        for (std::size_t k = 0; k < x.size(); ++k) deposit(x[k], mass[k]);
        for (int sweep = 0; sweep < 3000; ++sweep) relax();
    }

    std::size_t index(int i, int j, int k) const { return static_cast<std::size_t>((i * n + j) * n + k); }

    void deposit(const std::array<double, 3>& x, double mass)
    {
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j)
                for (int k = 0; k < n; ++k) {
                    double share = mass;
                    const int at[3] = {i, j, k};
                    for (std::size_t a = 0; a < 3; ++a)
                        share *= std::max(0.0, 1 - std::abs((x[a] - low[a]) / spacing - at[a]));
                    density[index(i, j, k)] += share;
                }
    }

    double value(int i, int j, int k) const
    {
        const bool inside = std::min({i, j, k}) >= 0 && std::max({i, j, k}) < n;
        return inside ? potential[index(i, j, k)] : 0;
    }

    void relax()
    {
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j)
                for (int k = 0; k < n; ++k)
                    potential[index(i, j, k)] =
                        (value(i - 1, j, k) + value(i + 1, j, k) + value(i, j - 1, k) + value(i, j + 1, k) +
                         value(i, j, k - 1) + value(i, j, k + 1) - density[index(i, j, k)]) /
                        6;
    }

    std::array<double, 3> deepest() const
    {
        const auto at =
            static_cast<int>(std::min_element(potential.begin(), potential.end()) - potential.begin());
        return {low[0] + spacing * (at / (n * n)), low[1] + spacing * (at / n % n),
                low[2] + spacing * (at % n)};
    }
};

TEST(PoissonGrids, MarkMembersNearTheDeepestPointOfASlowSolution)
{
    const std::vector<std::pair<int, double>> cases{{2, 0.8}, {5, 0.8}, {9, 0.8}, {5, 0.02}, {9, 0.02}};
    for (const auto& [points, search_radius] : cases) {
        const halo::poisson::PoissonGrids grids(Backend::cpu, points, search_radius);
        for (std::uint64_t seed = 1; seed < 6; ++seed) {
            Groups groups;
            groups.add(clump(120, seed, 1, 3));
            Particles p = groups.particles();
            const SlowGrid slow(groups.x, p.mass.host(), points);
            const auto centre = slow.deepest();
            double radius = search_radius * slow.spacing;
            std::vector<Index> expected;
            for (; expected.empty(); radius *= 2)
                for (std::size_t k = 0; k < 120; ++k)
                    if (std::hypot(groups.x[k][0] - centre[0], groups.x[k][1] - centre[1],
                                   groups.x[k][2] - centre[2]) <= radius)
                        expected.push_back(static_cast<Index>(k));
            halo::poisson::GridScratch scratch;
            const ParticlesView view = p.view();
            const halo::BodiesView bodies{120, view.position.x, view.position.y, view.position.z, view.mass};
            EXPECT_EQ(bodies_near(grids, bodies, scratch), expected) << points << " points, seed " << seed;
        }
    }
}

}  // namespace
}  // namespace aureole::test::poisson_test
