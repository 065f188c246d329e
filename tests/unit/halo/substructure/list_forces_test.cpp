// Potentials for unbinding, against sums over all pairs in double.
#include "halo/substructure/list_forces.hpp"

#include <gtest/gtest.h>

#include <bit>

#include "sim/core/spatial/curve_keys.hpp"
#include "tests/support/cpu_paths.hpp"
#include "tests/support/halo/mock_halos.hpp"

namespace aureole::test::list_forces_test {
namespace {

using halo::ForceBody;

/// Spheres of several sizes, each along its curve.
struct Lists {
    std::vector<std::uint64_t> begin{0};
    std::vector<ForceBody> body;
    std::vector<float> eps2;

    void add(std::uint64_t n, float softening)
    {
        const Particles p = make_mock(n, {nfw_halo(n, 1, 0.5, 9)});
        std::vector<std::pair<std::uint64_t, ForceBody>> order;
        for (Index i = 0; i < p.size(); ++i) {
            const Vec3 x = p.reading_view().position.load(i);
            std::uint32_t cell[3] = {cell_number(4096 * (x.x + 1), 13), cell_number(4096 * (x.y + 1), 13),
                                     cell_number(4096 * (x.z + 1), 13)};
            order.emplace_back(hilbert_key(cell, 13),
                               ForceBody{static_cast<float>(x.x), static_cast<float>(x.y),
                                         static_cast<float>(x.z), static_cast<float>(1.0 / double(n))});
        }
        std::ranges::stable_sort(order, {}, [](const auto& o) { return o.first; });
        for (const auto& [key, b] : order) body.push_back(b);
        begin.push_back(body.size());
        eps2.push_back(softening * softening);
    }

    halo::ForceBodies bodies() const
    {
        return {{static_cast<Index>(eps2.size()), body.size(), nullptr, begin.data()}, body.data()};
    }

    /// What `sources` give, taken off where they are not renewed.
    void add_potentials(const Lists& sources, const std::uint8_t* renewed,
                        std::vector<float>& potential) const
    {
        std::uint64_t longest = 0;
        for (std::size_t l = 0; l < eps2.size(); ++l)
            longest = std::max(longest, sources.begin[l + 1] - sources.begin[l]);
        halo::ForceLists lists{bodies(), sources.bodies(), renewed, eps2.data(), potential.data()};
        halo::Arena arena(Backend::cpu);
        halo::take_force_nodes(lists, longest, arena);
        halo::find_potentials({}, lists);
    }

    std::vector<float> potentials() const
    {
        std::vector<float> result(body.size(), std::nanf(""));
        add_potentials(*this, nullptr, result);
        return result;
    }

    /// The entries for which `wanted` is true.
    template <class Wanted>
    Lists part(Wanted wanted) const
    {
        Lists result;
        result.eps2 = eps2;
        for (std::size_t l = 0; l < eps2.size(); ++l) {
            for (std::uint64_t k = begin[l]; k < begin[l + 1]; ++k)
                if (wanted(l, k)) result.body.push_back(body[k]);
            result.begin.push_back(result.body.size());
        }
        return result;
    }

    double slow_potential(std::size_t list, std::size_t k) const
    {
        double sum = 0;
        for (std::uint64_t j = begin[list]; j < begin[list + 1]; ++j) {
            const double dx = double{body[k].x} - body[j].x, dy = double{body[k].y} - body[j].y,
                         dz = double{body[k].z} - body[j].z,
                         d2 = dx * dx + dy * dy + dz * dz + double{eps2[list]};
            if (j != k && d2 > 0) sum += body[j].mass / std::sqrt(d2);
        }
        return sum;
    }
};

class ListForcesOnCpu : public OnEachCpuPath {};
INSTANTIATE_TEST_SUITE_P(With, ListForcesOnCpu, testing::ValuesIn(available_cpu_paths()),
                         [](const auto& path) { return std::string(name_of(path.param)); });

TEST_P(ListForcesOnCpu, AreThoseOfAllPairs)
{
    Lists lists;
    for (const std::uint64_t n : {1u, 2u, 31u, 32u, 33u, 512u, 513u, 5000u, 40000u}) lists.add(n, 0.002f);
    lists.add(700, 0);
    const std::vector<float> found = lists.potentials();
    for (std::size_t l = 0; l < lists.eps2.size(); ++l) {
        const std::uint64_t n = lists.begin[l + 1] - lists.begin[l];
        std::vector<double> error;
        for (std::uint64_t k = lists.begin[l]; k < lists.begin[l + 1]; k += 1 + n / 1000) {
            const double expected = lists.slow_potential(l, k);
            error.push_back(n > 1 ? std::abs(found[k] / expected - 1) : std::abs(found[k]));
            ASSERT_TRUE(std::isfinite(error.back())) << n;
        }
        std::ranges::sort(error);
        const double median = error[error.size() / 2], high = error[error.size() * 99 / 100];
        std::cout << n << ": median " << median << ", 99 % " << high << '\n';
        // float sums of 512 terms; the tree's acceptance criterion
        EXPECT_LE(median, n <= 512 ? 1e-6 : 4e-4) << n;
        EXPECT_LE(high, n <= 512 ? 3e-6 : 1e-2) << n;
    }
}

TEST_P(ListForcesOnCpu, AreThoseOfEveryOtherPathToTheBit)
{
    Lists lists;
    for (const std::uint64_t n : {40u, 3000u}) lists.add(n, 0.002f);
    const std::vector<float> found = lists.potentials();
    setenv("AUREOLE_SIMD", name_of(CpuPath::baseline), 1);
    const std::vector<float> expected = lists.potentials();
    for (std::size_t k = 0; k < found.size(); ++k)
        ASSERT_EQ(std::bit_cast<std::uint32_t>(found[k]), std::bit_cast<std::uint32_t>(expected[k])) << k;
}

/// A longer list has more levels. The farthest members see even a node that holds them all as one mass.
TEST_P(ListForcesOnCpu, DoNotDependOnOtherListsToTheBit)
{
    Lists alone;
    alone.add(600, 0.002f);
    for (std::size_t k = 0; k < 64; ++k) alone.body[k].x += 300;
    Lists among = alone;
    among.add(20000, 0.002f);
    const std::vector<float> expected = alone.potentials(), found = among.potentials();
    for (std::size_t k = 0; k < expected.size(); ++k)
        ASSERT_EQ(std::bit_cast<std::uint32_t>(found[k]), std::bit_cast<std::uint32_t>(expected[k])) << k;
}

/// Of lists of the same lengths as in AreThoseOfAllPairs, one in seven members leaves, or in some lists all
/// potentials are summed anew.
TEST_P(ListForcesOnCpu, AreThoseOfTheRestOnceWhatLeftIsTakenOff)
{
    Lists lists;
    for (const std::uint64_t n : {8u, 40u, 600u, 5000u, 20000u}) lists.add(n, 0.002f);
    lists.add(700, 0);
    const auto leaves = [](std::size_t, std::uint64_t k) { return k % 7 == 3; };
    const std::uint8_t renewed[6] = {0, 1, 0, 0, 0, 1};
    const Lists rest = lists.part([&](std::size_t l, std::uint64_t k) { return !leaves(l, k); });
    const Lists sources =
        lists.part([&](std::size_t l, std::uint64_t k) { return leaves(l, k) != (renewed[l] != 0); });
    const std::vector<float> before = lists.potentials();
    std::vector<float> found;
    for (std::size_t k = 0; k < before.size(); ++k)
        if (!leaves(0, k)) found.push_back(before[k]);
    rest.add_potentials(sources, renewed, found);
    for (std::size_t l = 0; l < rest.eps2.size(); ++l) {
        const std::uint64_t n = rest.begin[l + 1] - rest.begin[l];
        std::vector<double> error;
        for (std::uint64_t k = rest.begin[l]; k < rest.begin[l + 1]; k += 1 + n / 1000) {
            error.push_back(std::abs(found[k] / rest.slow_potential(l, k) - 1));
            ASSERT_TRUE(std::isfinite(error.back())) << n;
        }
        std::ranges::sort(error);
        // as above; 600 members have a tree before some of them leave
        EXPECT_LE(error[error.size() / 2], n <= 500 ? 1e-6 : 4e-4) << n;
        EXPECT_LE(error[error.size() * 99 / 100], n <= 500 ? 4e-6 : 1e-2) << n;
    }
}

TEST(ListForces, ParticlesAtOnePlaceWithoutSofteningDoNotCount)
{
    Lists lists;
    lists.body.assign(600, {0.25f, 0.5f, 0, 1});
    lists.body.push_back({0.25f, 1.5f, 0, 1});
    lists.begin.push_back(601);
    lists.eps2.push_back(0);
    const std::vector<float> found = lists.potentials();
    EXPECT_NEAR(found[0], 1, 1e-5);
    EXPECT_NEAR(found[600], 600, 1e-3);
}

}  // namespace
}  // namespace aureole::test::list_forces_test
