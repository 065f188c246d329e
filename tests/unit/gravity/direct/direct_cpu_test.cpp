// What only the CPU's direct sum has: threads, and one set of kernels per instruction set.
#include "gravity/direct/morton_order.hpp"
#include "tests/support/cpu_paths.hpp"
#include "tests/unit/gravity/direct/direct_fixture.hpp"

namespace aureole::test::direct_cpu_test {
namespace {

using gravity::Precision;

class DirectOnCpu : public OnEachCpuPath {};

std::vector<Body> typed_sphere(std::size_t n)
{
    auto bodies = plummer_bodies(n, 17);
    for (std::size_t i = 0; i < n; ++i) bodies[i].type = static_cast<int>(i % 3);
    return bodies;
}

TEST_P(DirectOnCpu, EveryKernelAgreesWithTheReference)
{
    const auto bodies = typed_sphere(600);
    for (const auto& lengths :
         {std::array{0.02, 0.02, 0.02, 0., 0., 0.}, std::array{0.01, 0.2, 0.05, 0., 0., 0.},
          std::array{0.0, 0.0, 0.0, 0., 0., 0.}})
        for (bool spline : {false, true})
            for (Precision precision : {Precision::mixed, Precision::double_precision}) {
                SCOPED_TRACE(testing::Message()
                             << "length " << lengths[0] << " " << lengths[1] << ", spline " << spline
                             << ", precision " << int(precision) << ", seed = 17");
                const ReferenceSoftening softening{spline, lengths};
                const auto found = direct_fields({}, bodies, softening, precision);
                expect_fields(found, bodies, softening, pairwise(precision));
                const auto forces_only = direct_fields({}, bodies, softening, precision, {});
                for (std::size_t i = 0; i < bodies.size(); ++i)
                    ASSERT_EQ(forces_only[i].acceleration, found[i].acceleration) << "particle " << i;
            }
}

TEST_P(DirectOnCpu, TheNumberOfThreadsDoesNotChangeABit)
{
    const auto bodies = typed_sphere(3000);
    for (Precision precision : {Precision::mixed, Precision::double_precision}) {
        omp_set_num_threads(1);
        const auto one = direct_fields({}, bodies, plummer_softening(0.01), precision);
        for (int threads : {2, 3}) {
            omp_set_num_threads(threads);
            expect_same_bits(one, direct_fields({}, bodies, plummer_softening(0.01), precision));
        }
    }
}

INSTANTIATE_TEST_SUITE_P(With, DirectOnCpu, testing::ValuesIn(available_cpu_paths()),
                         [](const auto& info) { return name_of(info.param); });

TEST(CpuPath, UnknownPathsAreRefusedWithTheKnownOnes)
{
    setenv("AUREOLE_SIMD", "abacus", 1);
    try {
        chosen_cpu_path();
        ADD_FAILURE() << "no error";
    } catch (const ConfigError& e) {
        EXPECT_NE(std::string(e.what()).find("baseline"), std::string::npos);
    }
    unsetenv("AUREOLE_SIMD");
    EXPECT_EQ(chosen_cpu_path(), available_cpu_paths().back());
}

TEST(MortonOrder, FollowsTheCurveAndBreaksTiesByIndex)
{
    std::vector<double> x{0.9, 0.1, 0.9, 0.1, 0.1}, y{0.1, 0.9, 0.1, 0.1, 0.1}, z{0.1, 0.1, 0.1, 0.9, 0.1};
    std::vector<gravity::MortonItem> items(10);
    std::vector<Index> order(5);
    gravity::morton_order({x.data(), y.data(), z.data()}, {0, 5}, {0, 0, 0}, 1, items.data(), order.data());
    EXPECT_EQ(order, (std::vector<Index>{4, 3, 1, 0, 2}));
}

// sizes around the sorted blocks of 2048 that are merged
TEST(MortonOrder, IsAPermutationSortedAlikeForAnyNumberOfThreads)
{
    for (std::size_t n : {1u, 2047u, 2048u, 2049u, 10000u}) {
        const auto bodies = random_bodies(n, 12);
        Particles particles = to_particles(bodies, Backend::cpu);
        std::vector<gravity::MortonItem> items(2 * n);
        std::vector<Index> one(n), many(n);
        const auto range = IndexRange{}.clipped(static_cast<Index>(n));
        const int threads = omp_get_max_threads();
        omp_set_num_threads(1);
        morton_order(particles.view().position, range, {0, 0, 0}, 1, items.data(), one.data());
        omp_set_num_threads(3);
        morton_order(particles.view().position, range, {0, 0, 0}, 1, items.data(), many.data());
        omp_set_num_threads(threads);
        EXPECT_EQ(one, many);
        for (std::size_t k = 1; k < n; ++k) {
            const auto octant = [&](Index i) {
                const auto& p = bodies[i].position;
                return 4 * (p[0] >= 0.5) + 2 * (p[1] >= 0.5) + (p[2] >= 0.5);
            };
            ASSERT_LE(octant(one[k - 1]), octant(one[k]));
        }
        std::ranges::sort(many);
        for (std::size_t k = 0; k < n; ++k) ASSERT_EQ(many[k], k);
    }
}

}  // namespace
}  // namespace aureole::test::direct_cpu_test
