// Potentials of long lists by the tree: against all pairs, on both backends, and their bits.
#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "halo/centres/centres.hpp"
#include "halo/centres/member_potentials.hpp"
#include "halo/device_members.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/cpu_paths.hpp"
#include "tests/support/halo/reference_centres.hpp"
#include "tests/support/make_particles.hpp"
#include "tests/support/point_sets.hpp"

namespace aureole::test::tree_potentials_test {
namespace {

using halo::Members;
using halo::PotentialConfig;

constexpr std::size_t always = 1, never = 1000000000;

/// A Hernquist sphere of scale radius 1 out to 50.
Points sphere(std::size_t n, std::uint64_t seed)
{
    Uniform u(seed);
    Points x;
    for (std::size_t k = 0; k < n; ++k) {
        const double root = std::sqrt(0.96 * u()), r = root / (1 - root);
        const double z = 2 * u() - 1, phi = 6.283185307179586 * u(), across = std::sqrt(1 - z * z);
        x.push_back({r * across * std::cos(phi), r * across * std::sin(phi), r * z});
    }
    return x;
}

/// Lists one after the other, of particles with various masses.
struct Sample {
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
    Particles particles() const
    {
        Particles p = particles_at(x);
        Uniform u(5);
        for (double& mass : p.mass.host()) mass = 0.1 + u();
        return p;
    }
};

Sample lists_of_many_lengths()
{
    Sample s;
    s.add(sphere(3000, 1));
    for (const std::size_t n : {1, 2, 7, 8, 9, 31, 32, 33, 63, 64, 65, 257}) s.add(clustered_points(n, n));
    s.add({});
    s.add(uniform_points(2500, 3));
    s.add(Points(700, {0.25, 0.5, 0.75}));
    s.add(lattice_points(10, 0.125));
    return s;
}

/// |found / expected - 1|, in rising order.
std::vector<double> relative_errors(const std::vector<double>& found, const std::vector<double>& expected)
{
    std::vector<double> error;
    for (std::size_t k = 0; k < found.size(); ++k) error.push_back(std::abs(found[k] / expected[k] - 1));
    std::ranges::sort(error);
    return error;
}

class TreePotentialsOnEachBackend : public OnEachBackend {
protected:
    std::vector<double> there(const Particles& p, const Members& members, const PotentialConfig& config,
                              Box box = {})
    {
        Particles copy = p.copy_to(exec().backend);
        const halo::DeviceMembers lists(exec().backend, members);
        Buffer<double> found(exec().backend, members.particle.size());
        halo::member_potentials(exec(), copy.view(), lists.view(), config, box, found.data());
        return found.to_vector();
    }
};
AUREOLE_INSTANTIATE_ON_EACH_BACKEND(TreePotentialsOnEachBackend);

TEST_P(TreePotentialsOnEachBackend, AreNearThoseOfASlowSum)
{
    Sample sample;
    sample.add(sphere(6000, 2));
    Particles p = sample.particles();
    for (const double eps : {0.0, 0.05, 3.0}) {
        const std::vector<double> expected = reference_potentials(p, sample.members.of(0), eps);
        const std::vector<double> error = relative_errors(there(p, sample.members, {eps, always}), expected);
        EXPECT_LT(error[error.size() / 2], 4e-4) << eps;
        EXPECT_LT(error.back(), 5e-2) << eps << ": a member far outside, with neighbours as far";
        EXPECT_GT(error.back(), 1e-8) << "all pairs were summed";
    }
}

TEST_P(TreePotentialsOnEachBackend, AreThoseOfTheHostToTheRoundingOfSums)
{
    const Sample sample = lists_of_many_lengths();
    Particles p = sample.particles();
    for (const double side : {0.0, 1.0})
        for (const double eps : {0.0, 0.01, 30.0}) {
            if (side > 0)
                for (auto* axis : {&p.position.x, &p.position.y, &p.position.z})
                    for (double& x : axis->host()) x -= std::floor(x);
            const PotentialConfig config{eps, always};
            const std::vector<double> expected =
                halo::member_potentials(p.view(), sample.members, config, {side});
            const std::vector<double> found = there(p, sample.members, config, {side});
            for (std::size_t k = 0; k < found.size(); ++k)
                ASSERT_NEAR(found[k], expected[k], 1e-12 * std::abs(expected[k])) << eps << " " << k;
            EXPECT_EQ(there(p, sample.members, config, {side}), found) << "bits repeat";
        }
}

/// Lists that share a GPU badly: some are long, or there are many, or all leaves are near.
Sample uneven_lists(bool many)
{
    Sample s;
    if (many) {
        for (std::size_t k = 0; k < 2500; ++k) s.add(clustered_points(30 + k % 7, k));
        return s;
    }
    s.add(sphere(40, 7));
    s.add(sphere(60000, 8));
    s.add(Points(3000, {0.25, 0.5, 0.75}));
    s.add(lattice_points(16, 0.0625));
    s.add(sphere(33, 9));
    return s;
}

TEST_P(TreePotentialsOnEachBackend, AreThoseOfTheHostInListsOfVeryDifferentLengths)
{
    if (GetParam() == Backend::cpu) GTEST_SKIP() << "on the CPU this compares the host with itself";
    // one node that is opened on one backend alone changes potentials by far more than 1e-12
    for (const bool many : {false, true})
        for (const double side : {0.0, 200.0})
            for (const bool some_massless : {false, true}) {
                const Sample sample = uneven_lists(many);
                Particles p = sample.particles();
                for (double& x : p.position.x.host()) x -= side > 0 ? side * std::floor(x / side) : 0;
                if (some_massless)
                    for (std::size_t k = 0; k < p.size(); k += 3) p.mass.host()[k] = 0;
                const PotentialConfig config{many ? 0.001 : 0, 33};
                const std::vector<double> found = there(p, sample.members, config, {side});
                const std::vector<double> expected =
                    halo::member_potentials(p.view(), sample.members, config, {side});
                for (std::size_t k = 0; k < found.size(); ++k)
                    ASSERT_NEAR(found[k], expected[k], 1e-12 * std::abs(expected[k]))
                        << many << some_massless << " box " << side << " entry " << k;
            }
}

TEST_P(TreePotentialsOnEachBackend, AreThoseOfTheHostInALongList)
{
    if (GetParam() == Backend::cpu) GTEST_SKIP() << "on the CPU this compares the host with itself";
    Sample sample;
    sample.add(sphere(200000, 10));
    const Particles p = sample.particles();
    const PotentialConfig config{0.01};
    const std::vector<double> expected = halo::member_potentials(p.view(), sample.members, config, {});
    const std::vector<double> found = there(p, sample.members, config);
    EXPECT_LT(relative_errors(found, expected).back(), 1e-12);
    EXPECT_EQ(there(p, sample.members, config), found) << "bits repeat";
}

TEST_P(TreePotentialsOnEachBackend, AreLeftByASearchForCentres)
{
    Sample sample;
    for (const std::size_t n : {100, 5000, 30, 3000, 7}) sample.add(sphere(n, n));
    const Particles p = sample.particles(), copy = p.copy_to(exec().backend);
    const halo::DeviceMembers lists(exec().backend, sample.members);
    halo::CentreFinder finder;
    for (const halo::Centre method :
         {halo::Centre::most_bound, halo::Centre::most_bound_energy, halo::Centre::mass}) {
        Buffer<double> found(exec().backend, p.size());
        const halo::CentreConfig config{.method = method, .softening = 0.01};
        const halo::Centres centres =
            finder.find(exec(), copy.view(), lists.view(), {}, config, {}, {found.data(), 1000});
        EXPECT_EQ(found.to_vector(), there(p, sample.members, {0.01, 1000}));
        EXPECT_EQ(centres.value.size(), sample.members.size());
        EXPECT_GT(finder.times().potentials, 0);
    }
}

TEST_P(TreePotentialsOnEachBackend, AreSummedByPairsInShorterLists)
{
    const Sample sample = lists_of_many_lengths();
    const Particles p = sample.particles();
    const std::vector<double> pairs = there(p, sample.members, {0.01, never}),
                              mixed = there(p, sample.members, {0.01, 2500});
    const auto& begin = sample.members.begin;
    std::size_t n_by_tree = 0;
    for (std::size_t list = 0; list < sample.members.size(); ++list)
        for (std::uint64_t k = begin[list]; k < begin[list + 1]; ++k)
            if (sample.members.size(list) < 2500)
                ASSERT_EQ(mixed[k], pairs[k]) << list;
            else
                n_by_tree += mixed[k] != pairs[k];
    EXPECT_GT(n_by_tree, 5000u);
}

TEST_P(TreePotentialsOnEachBackend, CountMembersWithoutMassAlikeAndHeapsNotForThemselves)
{
    Sample sample;
    sample.add(sphere(500, 4));
    sample.add(Points(300, {1, 2, 3}));
    Particles p = sample.particles();
    std::ranges::fill(p.mass.host(), 0.0);
    const std::vector<double> found = there(p, sample.members, {0, always});
    const std::vector<double> pairs = there(p, sample.members, {0, never});
    for (std::size_t k = 0; k < 500; ++k) ASSERT_NEAR(found[k], pairs[k], 5e-2 * std::abs(pairs[k]));
    for (std::size_t k = 500; k < 800; ++k) ASSERT_EQ(found[k], 0);
    const std::vector<double> softened = there(p, sample.members, {0.5, always});
    for (std::size_t k = 500; k < 800; ++k) ASSERT_NEAR(softened[k], -299 / 0.5, 1e-9);
}

TEST_P(TreePotentialsOnEachBackend, TakeUnitsOfAnySize)
{
    Sample sample;
    sample.add(sphere(1500, 6));
    Particles p = sample.particles(), large = sample.particles();
    const std::vector<double> plain = there(p, sample.members, {0.125, always});
    for (double& mass : large.mass.host()) mass *= 0x1p500;
    for (auto* axis : {&large.position.x, &large.position.y, &large.position.z})
        for (double& x : axis->host()) x *= 0x1p-300;
    const std::vector<double> scaled = there(large, sample.members, {0.125 * 0x1p-300, always});
    for (std::size_t k = 0; k < plain.size(); ++k) ASSERT_EQ(scaled[k], plain[k] * 0x1p800);
}

class TreePotentialsOnEachCpuPath : public OnEachCpuPath {};
INSTANTIATE_TEST_SUITE_P(With, TreePotentialsOnEachCpuPath, testing::ValuesIn(available_cpu_paths()),
                         [](const auto& path) { return std::string(name_of(path.param)); });

TEST_P(TreePotentialsOnEachCpuPath, HaveTheSameBitsOnEveryPathAndForAnyNumberOfThreads)
{
    const Sample sample = lists_of_many_lengths();
    Particles p = sample.particles();
    const PotentialConfig config{0.01, 100};
    const std::vector<double> found = halo::member_potentials(p.view(), sample.members, config, {});
    const int threads = omp_get_max_threads();
    for (const int n : {1, 3}) {
        omp_set_num_threads(n);
        EXPECT_EQ(halo::member_potentials(p.view(), sample.members, config, {}), found) << n;
    }
    omp_set_num_threads(threads);
    setenv("AUREOLE_SIMD", "baseline", 1);
    EXPECT_EQ(halo::member_potentials(p.view(), sample.members, config, {}), found);
    setenv("AUREOLE_SIMD", name_of(GetParam()), 1);
}

}  // namespace
}  // namespace aureole::test::tree_potentials_test
