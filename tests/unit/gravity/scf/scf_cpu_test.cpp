// What only the CPU's expansion has: threads, and one set of kernels per instruction set.
#include "tests/support/cpu_paths.hpp"
#include "tests/unit/gravity/scf/scf_fixture.hpp"

namespace aureole::test::scf_cpu_test {
namespace {

class ScfOnCpu : public OnEachCpuPath {};

// every shape of tile: one to several rows and columns, and what is left of them
TEST_P(ScfOnCpu, EveryTileAgreesWithTheReference)
{
    const auto bodies = plummer_bodies(3, 6);
    for (int n_max = 0; n_max <= 9; ++n_max)
        for (int l_max : {0, 1, 2, 5}) {
            SCOPED_TRACE(testing::Message() << "orders " << n_max << ", " << l_max);
            const Basis basis = basis_of(n_max, l_max);
            const auto terms = ReferenceScf::terms(reference_basis(basis), bodies);
            const std::vector<Field> expected{
                ReferenceScf::field(reference_basis(basis), terms, bodies[0].position)};
            for (Precision precision : {Precision::mixed, Precision::double_precision}) {
                const auto a = coefficients_of({}, bodies, basis, precision);
                expect_same_terms(basis, to_lowing(make_tables(basis), a), terms,
                                  expansion_tolerance(precision));
                expect_same_field(fields_at({}, {bodies[0].position}, basis, a, precision), expected,
                                  expansion_tolerance(precision));
            }
        }
}

TEST_P(ScfOnCpu, TheNumberOfThreadsDoesNotChangeABit)
{
    const auto bodies = plummer_bodies(5000, 7);
    const Basis basis = basis_of(6, 4);
    for (Precision precision : {Precision::mixed, Precision::double_precision}) {
        omp_set_num_threads(1);
        const auto a = coefficients_of({}, bodies, basis, precision, {}, 3);
        const auto one = fields_at({}, positions_of(bodies), basis, a, precision);
        for (int threads : {2, 3}) {
            omp_set_num_threads(threads);
            ASSERT_EQ(a, coefficients_of({}, bodies, basis, precision, {}, 3));
            const auto many = fields_at({}, positions_of(bodies), basis, a, precision);
            for (std::size_t i = 0; i < one.size(); ++i) {
                ASSERT_EQ(one[i].acceleration, many[i].acceleration);
                ASSERT_EQ(one[i].potential, many[i].potential);
            }
        }
    }
}

TEST_P(ScfOnCpu, NeighboursInABlockDoNotChangeABit)
{
    const auto bodies = plummer_bodies(300, 7);
    const auto all = positions_of(bodies);
    const Basis basis = basis_of(3, 4);
    for (Precision precision : {Precision::mixed, Precision::double_precision}) {
        const auto a = coefficients_of({}, bodies, basis, precision);
        const auto together = fields_at({}, all, basis, a, precision);
        for (std::size_t i : {0u, 15u, 16u, 255u, 299u}) {
            const auto alone = fields_at({}, {all[i]}, basis, a, precision)[0];
            EXPECT_EQ(alone.acceleration, together[i].acceleration);
            EXPECT_EQ(alone.potential, together[i].potential);
        }
    }
}

// enough particles for the larger number of pieces
TEST_P(ScfOnCpu, ManyParticlesAreSummedLikeFew)
{
    constexpr std::size_t copies = 6, n = 50000;
    const auto few = plummer_bodies(n, 8);
    std::vector<Body> many;
    for (std::size_t k = 0; k < copies; ++k) many.insert(many.end(), few.begin(), few.end());
    const Basis basis = basis_of(2, 2);
    const auto one = coefficients_of({}, few, basis), all = coefficients_of({}, many, basis);
    for (std::size_t k = 0; k < one.size(); ++k)
        EXPECT_TRUE(close_to(all[k] / copies, one[k], 1, {1e-14, "round-off"}));
}

// float squares neither 1e30 nor 1e-30
TEST_P(ScfOnCpu, DistancesBeyondTheReachOfFloatAreRight)
{
    const auto bodies = plummer_bodies(30, 9);
    for (Family family : {Family::hernquist_ostriker, Family::clutton_brock}) {
        const Basis basis = basis_of(6, 4, family);
        const auto terms = ReferenceScf::terms(reference_basis(basis), bodies);
        for (Precision precision : {Precision::mixed, Precision::double_precision}) {
            const auto a = coefficients_of({}, bodies, basis, precision);
            for (double r : {1e30, 1e100, 1e-30, 1e-100}) {
                const Positions at{{0.36 * r, 0.48 * r, -0.8 * r}};
                expect_same_field(fields_at({}, at, basis, a, precision),
                                  {ReferenceScf::field(reference_basis(basis), terms, at[0])},
                                  expansion_tolerance(precision), true);
            }
        }
    }
}

TEST_P(ScfOnCpu, MassesBeyondTheReachOfFloatAreWelcome)
{
    const Basis basis = basis_of(3, 3);
    const auto bodies = plummer_bodies(100, 10);
    const auto plain = coefficients_of({}, bodies, basis, Precision::mixed);
    const auto expected = fields_at({}, positions_of(bodies), basis, plain, Precision::mixed);
    for (double unit : {1e-60, 1e60}) {
        auto heavy = bodies;
        for (Body& body : heavy) body.mass *= unit;
        const auto a = coefficients_of({}, heavy, basis, Precision::mixed);
        auto found = fields_at({}, positions_of(bodies), basis, a, Precision::mixed);
        for (Field& f : found) {
            f.potential /= unit;
            for (double& component : f.acceleration) component /= unit;
        }
        expect_same_field(found, expected, {1e-6, "float"});
    }
}

INSTANTIATE_TEST_SUITE_P(With, ScfOnCpu, testing::ValuesIn(available_cpu_paths()),
                         [](const auto& info) { return name_of(info.param); });

}  // namespace
}  // namespace aureole::test::scf_cpu_test
