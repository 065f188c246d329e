// Overdensities and tidal radii of subhalos: a case with an analytic answer, and slow sums.
#include "halo/catalogue/subhalo_spheres.hpp"

#include "halo/device_members.hpp"
#include "sim/core/error.hpp"
#include "sim/core/memory/ledger.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/close_to.hpp"
#include "tests/support/halo/overdensity_reference.hpp"
#include "tests/support/point_sets.hpp"

namespace aureole::test::subhalo_spheres_test {
namespace {

constexpr Tolerance rounding{1e-12, "sums of some thousand masses in another order"};

/// A parent and a satellite at `distance`, each with equal masses at equal steps of radius, so that M(<r) / r
/// is constant: 1 for the parent out to 10, `slope` for the satellite out to 2. The centre counts no mass.
struct Isothermal {
    static constexpr int n_parent = 10000, n_satellite = 4000;
    Particles p{Backend::cpu, n_parent + n_satellite};
    halo::Subhalos subhalos;
    std::vector<halo::HaloProperties> rows{2};
    Box box;

    Isothermal(double distance, double slope, Vec3 at = {}, Box in = {}) : box(in)
    {
        rows[0].centre = box.wrap(at);
        rows[1].centre = box.wrap(at + Vec3{0, distance, 0});
        place(0, n_parent, 10, 10, 0);
        place(n_parent, n_satellite, 2, 2 * slope, 1);
        subhalos.group = {0, 0};
        subhalos.rank = {0, 1};
        subhalos.parent = {-1, 0};
    }

    void place(int first, int n, double extent, double mass, std::size_t row)
    {
        for (int k = 0; k < n; ++k) {
            const double r = extent * (k + 1) / n, turn = 2.4 * k, z = std::sin(1.7 * k);
            const double side = std::sqrt(1 - z * z);
            const Vec3 x{r * side * std::cos(turn), r * side * std::sin(turn), r * z};
            const auto i = static_cast<Index>(first + k);
            p.view().position.store(i, box.wrap(rows[row].centre + x));
            p.view().mass[i] = mass / n;
            subhalos.members.particle.push_back(i);
        }
        subhalos.members.begin.push_back(subhalos.members.particle.size());
    }
    halo::SubhaloSpheres spheres(std::span<const halo::DensityThreshold> thresholds = {},
                                 Exec exec = {}) const
    {
        const Particles there = p.copy_to(exec.backend);
        const halo::DeviceMembers lists(exec.backend, subhalos.members);
        return halo::subhalo_spheres(exec, {.particles = there.reading_view(),
                                            .members = lists.view(),
                                            .parent = subhalos.parent,
                                            .rows = rows,
                                            .thresholds = thresholds,
                                            .box = box});
    }
};

TEST(TidalRadius, IsTheAnalyticOneOfIsothermalSpheres)
{
    // m = c r in M = D with d ln M / d ln D = 1: c / r_t^2 = 2 / D^2
    for (const double slope : {0.01, 0.1}) {
        const double distance = 4, expected = distance * std::sqrt(slope / 2);
        const auto found = Isothermal(distance, slope).spheres();
        EXPECT_TRUE(std::isnan(found.tidal_radius[0])) << "no parent, no tide";
        EXPECT_NEAR(found.tidal_radius[1], expected, 2e-3 * expected);
        const auto wrapped = Isothermal(distance, slope, {39, 38, 1}, Box{40}).spheres();
        EXPECT_NEAR(wrapped.tidal_radius[1], expected, 2e-3 * expected) << "across the corner of a box";
    }
    EXPECT_NEAR(Isothermal(4, 1).spheres().tidal_radius[1], 2, 1e-12) << "no farther than its members";
}

TEST(TidalRadius, TakesTheSlopeOfTheMassBetweenFourFifthsAndFiveFourthsOfTheDistance)
{
    // the parent ends at 10, so that M is 6.8 at 8.5 / 1.25 and 10 at 8.5 * 1.25
    const double distance = 8.5, slope = std::log(10 / 6.8) / std::log(1.25 * 1.25), satellite = 0.01;
    const double expected = distance * std::sqrt(satellite / (3 - slope));
    EXPECT_NEAR(Isothermal(distance, satellite).spheres().tidal_radius[1], expected, 2e-3 * expected);
}

TEST(TidalRadius, IsUnknownWhereTheParentHasNoMassInside)
{
    const Isothermal at_the_centre(0, 0.1);
    EXPECT_TRUE(std::isnan(at_the_centre.spheres().tidal_radius[1]));
    Isothermal hollow(0.0005, 0.1);  // nearer than the parent's first member
    EXPECT_TRUE(std::isnan(hollow.spheres().tidal_radius[1]));
    const Isothermal edge(0.0011,
                          0.1);  // no member within 0.00088, one at 0.001: the mass rises faster than r^3
    EXPECT_TRUE(std::isnan(edge.spheres().tidal_radius[1]));
}

TEST(SubhaloSpheres, AreThoseOfTheMembersAlone)
{
    const Isothermal pair(4, 0.1, {39, 38, 1}, Box{40});
    std::vector<halo::DensityThreshold> thresholds{
        {"a", 0.5, "a"}, {"b", 1e-2, "b"}, {"c", 1e9, "c"}, {"d", 1e-5, "d"}, {"e", NAN, "e"}};
    const auto found = pair.spheres(thresholds).sphere;
    ASSERT_EQ(found.size(), 10u);
    for (std::size_t row = 0; row < 2; ++row) {
        std::vector<Index> members(pair.subhalos.members.of(row).begin(),
                                   pair.subhalos.members.of(row).end());
        const Particles alone = pair.p.gathered(members);
        const OverdensityReference slow(alone, pair.rows[row].centre, pair.box.side);
        for (std::size_t t = 0; t < 4; ++t) {
            const auto expected = slow.sphere(thresholds[t].density);
            const auto is = found[row * 5 + t];
            if (std::isnan(expected.mass)) {
                EXPECT_TRUE(std::isnan(is.mass) && std::isnan(is.radius)) << row << ' ' << t;
                continue;
            }
            EXPECT_TRUE(close_to(is.mass, expected.mass, 1, rounding)) << row << ' ' << t;
            EXPECT_TRUE(close_to(is.radius, expected.radius, 1, rounding)) << row << ' ' << t;
        }
        EXPECT_TRUE(std::isnan(found[row * 5 + 4].mass)) << "a density that is not known";
    }
    EXPECT_TRUE(std::isnan(found[3].radius)) << "wider than the box";
}

TEST(SubhaloSpheres, AreUnknownBeyondHalfTheBox)
{
    const Isothermal pair(4, 0.1, {39, 38, 1}, Box{40});
    const auto density_at = [](double radius) { return 10 / (unit_sphere * radius * radius * radius); };
    const std::vector<halo::DensityThreshold> thresholds{{"a", density_at(19.9), "a"},
                                                         {"b", density_at(20.1), "b"}};
    const auto found = pair.spheres(thresholds).sphere;
    EXPECT_NEAR(found[0].radius, 19.9, 1e-9);
    EXPECT_TRUE(std::isnan(found[1].radius) && std::isnan(found[1].mass));
}

TEST(SubhaloSpheres, RowsOfOthersAreRefused)
{
    Isothermal pair(4, 0.1);
    pair.rows.pop_back();
    EXPECT_THROW(pair.spheres(), Error);
    Isothermal family(4, 0.1);
    family.subhalos.parent[1] = 2;
    EXPECT_THROW(family.spheres(), Error) << "a parent of another catalogue";
}

class SubhaloSpheresOnEachBackend : public OnEachBackend {};
AUREOLE_INSTANTIATE_ON_EACH_BACKEND(SubhaloSpheresOnEachBackend);

TEST_P(SubhaloSpheresOnEachBackend, AreTheHostsToTheBitAndTakeTheMemoryThatIsForecast)
{
    const Isothermal pair(4, 0.1, {39, 38, 1}, Box{40});
    const std::vector<halo::DensityThreshold> thresholds{{"a", 0.5, "a"}, {"b", 1e-2, "b"}, {"c", NAN, "c"}};
    const auto expected = pair.spheres(thresholds);
    const Particles there = pair.p.copy_to(GetParam());
    const halo::DeviceMembers lists(GetParam(), pair.subhalos.members);
    const std::size_t before = memory::held_bytes(GetParam());
    memory::reset_peak(GetParam());
    const auto found = halo::subhalo_spheres(exec(), {.particles = there.reading_view(),
                                                      .members = lists.view(),
                                                      .parent = pair.subhalos.parent,
                                                      .rows = pair.rows,
                                                      .thresholds = thresholds,
                                                      .box = pair.box});
    EXPECT_LE(memory::peak_bytes(GetParam()) - before,
              std::max(std::size_t{1} << 20,
                       halo::subhalo_spheres_bytes(GetParam(), pair.subhalos.members.particle.size())));
    EXPECT_EQ(found.tidal_radius[1], expected.tidal_radius[1]);
    EXPECT_TRUE(std::isnan(found.tidal_radius[0]));
    for (std::size_t k : {0u, 1u, 3u, 4u}) {
        EXPECT_EQ(found.sphere[k].mass, expected.sphere[k].mass) << k;
        EXPECT_EQ(found.sphere[k].radius, expected.sphere[k].radius) << k;
    }
    EXPECT_TRUE(std::isnan(found.sphere[2].mass) && std::isnan(found.sphere[5].radius));
}

}  // namespace
}  // namespace aureole::test::subhalo_spheres_test
