// Spherical overdensities over parts have the bits of one rank.
#include "halo/ranks/spheres_over_parts.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <limits>

#include "sim/core/error.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/point_sets.hpp"
#include "tests/support/ranks/fof_over_parts.hpp"
#include "tests/support/ranks/thread_ranks.hpp"

namespace aureole::test::spheres_over_parts_test {
namespace {

using halo::OverdensitySphere;

struct Case {
    Particles particles;
    Box box{};
    std::vector<Vec3> centre;
    std::vector<double> density;

    std::vector<OverdensitySphere> of_one_rank() const
    {
        return halo::overdensity_spheres({particles, box, centre, density});
    }

    /// About every centre, each of which part c % number of parts asks for.
    void expect_of_parts(comm::Communicator& ranks, int per_rank, Spread spread) const
    {
        comm::Parts parts(ranks, per_rank);
        const auto V = static_cast<std::size_t>(parts.size()),
                   first = static_cast<std::size_t>(parts.first());
        SCOPED_TRACE(testing::Message() << V << " parts, spread " << static_cast<int>(spread));
        std::vector<Share> shares;
        std::vector<std::vector<Vec3>> centres(static_cast<std::size_t>(per_rank));
        std::vector<halo::PartParticles> held;
        for (std::size_t k = 0; k < centres.size(); ++k) {
            shares.push_back(share_of(particles, spread, first + k, V));
            for (std::size_t c = first + k; c < centre.size(); c += V) centres[k].push_back(centre[c]);
        }
        for (const Share& share : shares) held.push_back({share.particles.view(), nullptr});
        const auto found = halo::spheres_over_parts(parts, held, box, density, centres);
        const std::vector<OverdensitySphere> expected = of_one_rank();
        const auto bits = [](double x) { return std::bit_cast<std::uint64_t>(x); };
        for (std::size_t k = 0; k < centres.size(); ++k) {
            ASSERT_EQ(found[k].size(), centres[k].size() * density.size());
            for (std::size_t at = 0; at < found[k].size(); ++at) {
                const std::size_t c = first + k + at / density.size() * V, d = at % density.size();
                const OverdensitySphere& one = expected[c * density.size() + d];
                EXPECT_EQ(bits(found[k][at].mass), bits(one.mass))
                    << "centre " << c << ", density " << density[d] << ": mass " << found[k][at].mass
                    << ", expected " << one.mass;
                EXPECT_EQ(bits(found[k][at].radius), bits(one.radius)) << "centre " << c;
            }
        }
    }

    void expect_of_any_number_of_parts(std::initializer_list<int> numbers = {1, 2, 3, 4, 7, 64}) const
    {
        const auto one = comm::one_process();
        for (const int V : numbers) expect_of_parts(*one, V, static_cast<Spread>(V % 3));
    }
};

Particles unit_masses(const Points& points)
{
    Particles particles = particles_at(points);
    for (double& mass : particles.mass.host()) mass = 1;
    return particles;
}

/// Clustered points of unequal masses, some without, and centres on some of them.
Case clustered(std::size_t n, double side, std::size_t n_centres)
{
    Case all{particles_at(clustered_points(n, 21)), {side}, {}, {}};
    for (Index i = 0; i < n; ++i)
        all.particles.mass.host()[i] = i % 11 == 0 ? 0 : 0.3 + 1e-3 * static_cast<double>(i % 1000);
    for (std::size_t c = 0; c < n_centres; ++c) all.centre.push_back(all.particles.position.load(c * 97 % n));
    const double mean = static_cast<double>(n);
    all.density = {200 * mean, std::numeric_limits<double>::quiet_NaN(), 5 * mean, 1000 * mean, 1e7 * mean};
    return all;
}

TEST(SpheresOverParts, HasTheBitsOfOneRankInABoxAndInOpenSpace)
{
    for (const double side : {0.0, 1.0}) {
        SCOPED_TRACE(testing::Message() << "side " << side);
        clustered(8000, side, 60).expect_of_any_number_of_parts();
    }
}

TEST(SpheresOverParts, LooksAgainIntoBinsOfManyPoints)
{
    constexpr Index n = 30000;
    Points points = uniform_points(n, 4);
    for (Index i = 0; i < n / 2; ++i) {  // a steep heap, some hundred points at the centre itself
        const double r = i < 700 ? 0 : 0.4 * static_cast<double>(i) / n;
        for (double& x : points[i]) x = 0.5 + r * (x - 0.5);
    }
    Case heap{unit_masses(points), {}, {{0.5, 0.5, 0.5}, {0.1, 0.2, 0.9}}, {}};
    for (double density = 2e4; density < 1e13; density *= 2.3) heap.density.push_back(density);
    heap.expect_of_any_number_of_parts({1, 3, 64});
    EXPECT_GT(heap.of_one_rank()[0].mass, 20000) << "so many that bins are looked at again";
}

TEST(SpheresOverParts, TakesParticlesAtOneDistanceTogether)
{
    Case lattice{unit_masses(lattice_points(9, 1)), {9}, {{4, 4, 4}, {0, 0, 0}, {4.5, 4.5, 4.5}}, {}};
    lattice.density = {0.5, 0.9, 1, 1.1, 2, 10};
    lattice.expect_of_any_number_of_parts({1, 2, 7});
    lattice.box = {};
    lattice.expect_of_any_number_of_parts({2, 7});
}

TEST(SpheresOverParts, DoesNotKnowSpheresWiderThanTheBox)
{
    Case wide = clustered(2000, 1, 12);
    wide.density = {1e-3, 1.0, 900.0};
    wide.expect_of_any_number_of_parts({1, 4});
    EXPECT_TRUE(std::isnan(wide.of_one_rank()[0].mass));
}

TEST(SpheresOverParts, BearsEmptyPartsAndParticlesWithoutMass)
{
    for (const std::size_t n : {0u, 1u, 3u}) {
        Case few{unit_masses(uniform_points(n, 2)), {1}, {{0.5, 0.5, 0.5}, {0, 0, 0}}, {1, 100}};
        few.expect_of_any_number_of_parts({1, 3});
        for (double& mass : few.particles.mass.host()) mass = 0;
        few.expect_of_any_number_of_parts({3});
    }
    Case none = clustered(100, 1, 0);
    none.expect_of_any_number_of_parts({1, 3});
}

TEST(SpheresOverParts, WorksOnSeveralRanksOfSeveralParts)
{
    const Case all = clustered(3000, 1, 20);
    on_thread_ranks([&](comm::Communicator& ranks) {
        all.expect_of_parts(ranks, 2, Spread::runs);
        all.expect_of_parts(ranks, 1, Spread::first);
    });
}

TEST(SpheresOverParts, RefusesWhatOneRankRefuses)
{
    const auto refusal = [](const Case& wrong) {
        return message_of<Error>([&] {
            const auto one = comm::one_process();
            wrong.expect_of_parts(*one, 2, Spread::runs);
        });
    };
    Case wrong = clustered(50, 1, 3);
    wrong.density = {0};
    EXPECT_TRUE(contains(refusal(wrong), "threshold density 0 is 0"));
    wrong = clustered(50, 1, 3);
    wrong.particles.mass.host()[7] = std::numeric_limits<double>::infinity();
    EXPECT_TRUE(contains(refusal(wrong), "the largest mass is inf"));
    wrong = clustered(50, 1, 3);
    wrong.centre[1].y = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(contains(refusal(wrong), "is not finite"));
}

TEST(SpheresOverParts, RefusesDensitiesOnAllRanksAlike)
{
    const Case all = clustered(100, 1, 3);
    on_thread_ranks([&](comm::Communicator& ranks) {
        comm::Parts parts(ranks, 1);
        const std::vector<double> density{200, -1};
        EXPECT_THROW(
            halo::spheres_over_parts(parts, std::vector<halo::PartParticles>{{all.particles.view(), nullptr}},
                                     all.box, density, {all.centre}),
            ArgumentError);
        EXPECT_EQ(ranks.common_faults(), 1u) << "so that the job goes on";
    });
}

}  // namespace
}  // namespace aureole::test::spheres_over_parts_test
