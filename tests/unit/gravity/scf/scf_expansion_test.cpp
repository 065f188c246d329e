// The basis expansion against the textbook reference, and what must hold for any particles.
#include <random>

#include "tests/unit/gravity/scf/scf_fixture.hpp"

namespace aureole::test::scf_expansion_test {
namespace {

class ScfExpansion : public OnEachBackend {};

constexpr Family families[] = {Family::hernquist_ostriker, Family::clutton_brock};
constexpr Precision precisions[] = {Precision::mixed, Precision::double_precision};

/// Plummer's sphere, flattened, turned and off centre, with unequal masses.
std::vector<Body> lopsided_bodies(std::size_t n, unsigned seed = 3)
{
    auto bodies = plummer_bodies(n, seed);
    for (std::size_t i = 0; i < n; ++i) {
        auto& [x, y, z] = bodies[i].position;
        z = 0.4 * z + 0.3 * x - 0.2;
        y = 0.8 * y + 0.1;
        bodies[i].mass *= 0.5 + static_cast<double>(i % 7) / 6;
    }
    return bodies;
}

TEST_P(ScfExpansion, AgreesWithTheTextbookAtEveryOrder)
{
    // the usual ones; then those that just fill, or just do not, the fragments of a matrix product
    constexpr int orders[][2] = {{0, 0},   {3, 3},   {3, 4},  {5, 5},  {6, 4},  {8, 8}, {10, 6},
                                 {1, 0},   {0, 1},   {7, 2},  {2, 9},  {8, 7},  {0, 8}, {15, 10},
                                 {16, 11}, {20, 12}, {23, 0}, {0, 12}, {24, 2}, {2, 13}};
    const auto bodies = lopsided_bodies(12);
    for (const auto& [n_max, l_max] : orders)
        for (Family family : families) {
            SCOPED_TRACE(testing::Message() << n_max << ", " << l_max << " of family " << int(family));
            const Basis basis = basis_of(n_max, l_max, family);
            const auto terms = ReferenceScf::terms(reference_basis(basis), bodies);
            std::vector<Field> expected;
            for (std::size_t i = 0; i < 4; ++i)
                expected.push_back(ReferenceScf::field(reference_basis(basis), terms, bodies[i].position));
            for (Precision precision : precisions) {
                SCOPED_TRACE(testing::Message() << "precision " << int(precision));
                const auto a = coefficients_of(exec(), bodies, basis, precision);
                expect_same_terms(basis, to_lowing(make_tables(basis), a), terms,
                                  expansion_tolerance(precision));
                auto found = fields_at(exec(), positions_of(bodies), basis, a, precision);
                found.resize(expected.size());
                expect_same_field(found, expected, expansion_tolerance(precision));
            }
        }
}

TEST_P(ScfExpansion, MixedPrecisionHoldsForManyParticlesAtHighOrders)
{
    const Basis basis = basis_of(20, 12);
    const auto bodies = lopsided_bodies(40000);
    const auto mixed = coefficients_of(exec(), bodies, basis, Precision::mixed),
               exact = coefficients_of(exec(), bodies, basis);
    double largest = 0;
    for (double x : exact) largest = std::max(largest, std::abs(x));
    for (std::size_t k = 0; k < exact.size(); ++k)
        ASSERT_TRUE(close_to(mixed[k], exact[k], largest, {1e-7, "float functions, 1e-8 measured"}))
            << "coefficient " << k;
}

TEST_P(ScfExpansion, HoldsAtHighOrders)
{
    const Basis basis = basis_of(36, 24);
    const auto bodies = lopsided_bodies(3);
    const auto terms = ReferenceScf::terms(reference_basis(basis), bodies);
    const auto a = coefficients_of(exec(), bodies, basis);
    expect_same_terms(basis, to_lowing(make_tables(basis), a), terms,
                      expansion_tolerance(Precision::double_precision));
    const std::vector<Field> expected{ReferenceScf::field(reference_basis(basis), terms, {0.4, -0.3, 0.7})};
    expect_same_field(fields_at(exec(), {{0.4, -0.3, 0.7}}, basis, a), expected,
                      {1e-10, "many terms of both signs"});
}

TEST_P(ScfExpansion, LargestOrdersAreFiniteAndConsistent)
{
    const Basis basis = basis_of(gravity::scf::largest_n, gravity::scf::largest_l);
    const auto bodies = lopsided_bodies(2);
    for (Precision precision : precisions) {
        const auto a = coefficients_of(exec(), bodies, basis, precision);
        double from_particles = 0;
        const auto fields = fields_at(exec(), positions_of(bodies), basis, a, precision);
        for (std::size_t i = 0; i < bodies.size(); ++i)
            from_particles += 0.5 * bodies[i].mass * fields[i].potential;
        const double energy = potential_energy(basis, a);
        EXPECT_TRUE(close_to(from_particles, energy, std::abs(energy), expansion_tolerance(precision)));
    }
}

TEST_P(ScfExpansion, ScaleRadiusAndCentreMoveTheBasis)
{
    const auto bodies = lopsided_bodies(9);
    const Vec3 centre{0.1, -0.2, 0.3};
    for (Family family : families) {
        const Basis basis = basis_of(4, 3, family, 2.5);
        const auto terms =
            ReferenceScf::terms(reference_basis(basis), bodies, {centre.x, centre.y, centre.z});
        const auto a = coefficients_of(exec(), bodies, basis, Precision::double_precision, centre);
        expect_same_terms(basis, to_lowing(make_tables(basis), a), terms,
                          expansion_tolerance(Precision::double_precision));
        std::vector<Field> expected;
        for (const Body& body : bodies)
            expected.push_back(ReferenceScf::field(reference_basis(basis), terms, body.position,
                                                   {centre.x, centre.y, centre.z}));
        expect_same_field(
            fields_at(exec(), positions_of(bodies), basis, a, Precision::double_precision, centre), expected,
            expansion_tolerance(Precision::double_precision));
    }
}

TEST_P(ScfExpansion, EnergyOfTheCoefficientsIsThatOfTheParticles)
{
    const auto bodies = lopsided_bodies(3000);
    for (Family family : families) {
        const Basis basis = basis_of(6, 4, family, 1.5);
        const auto a = coefficients_of(exec(), bodies, basis);
        const auto fields = fields_at(exec(), positions_of(bodies), basis, a);
        double sum = 0;
        for (std::size_t i = 0; i < bodies.size(); ++i) sum += 0.5 * bodies[i].mass * fields[i].potential;
        EXPECT_TRUE(close_to(potential_energy(basis, a), sum, std::abs(sum), {1e-13, "round-off"}));
    }
}

TEST_P(ScfExpansion, AccelerationIsTheGradientOfThePotential)
{
    const auto bodies = lopsided_bodies(50);
    constexpr double h = 1e-4;
    for (Family family : families) {
        const Basis basis = basis_of(8, 8, family);
        const auto a = coefficients_of(exec(), bodies, basis);
        for (const std::array<double, 3>& at : Positions{{0.5, 0.2, -0.7}, {0, 0, 1.3}, {-2, 0.001, 0}}) {
            Positions around{at};
            for (int k = 0; k < 3; ++k)
                for (double step : {-h, h}) {
                    around.push_back(at);
                    around.back()[k] += step;
                }
            const auto fields = fields_at(exec(), around, basis, a);
            for (int k = 0; k < 3; ++k)
                EXPECT_TRUE(close_to((fields[1 + 2 * k].potential - fields[2 + 2 * k].potential) / (2 * h),
                                     fields[0].acceleration[k], 1, {1e-6, "second-order differences"}));
        }
    }
}

TEST_P(ScfExpansion, ExtremeDistancesAreFiniteAndRight)
{
    const auto bodies = lopsided_bodies(40);
    for (Family family : families) {
        const Basis basis = basis_of(6, 4, family);
        const auto terms = ReferenceScf::terms(reference_basis(basis), bodies);
        for (Precision precision : precisions) {
            const auto a = coefficients_of(exec(), bodies, basis, precision);
            Positions far, near;
            for (double r : {1e4, 1e6, 1e12}) far.push_back({0.36 * r, 0.48 * r, 0.8 * r});
            for (double r : {1e-9, 1e-12, 1e-18}) near.push_back({0.36 * r, 0.48 * r, -0.8 * r});
            std::vector<Field> expected;
            for (const auto& x : far)
                expected.push_back(ReferenceScf::field(reference_basis(basis), terms, x));
            expect_same_field(fields_at(exec(), far, basis, a, precision), expected,
                              expansion_tolerance(precision), true);
            expected.clear();
            for (const auto& x : near)
                expected.push_back(ReferenceScf::field(reference_basis(basis), terms, x));
            expect_same_field(fields_at(exec(), near, basis, a, precision), expected,
                              expansion_tolerance(precision), true);
            for (const Field& f :
                 fields_at(exec(), {{0, 0, 0}, {5e-324, 0, 0}, {0, 0, -1e-310}, {1e-40, 0, 1}, {0, 1e300, 0}},
                           basis, a, precision))
                ASSERT_TRUE(std::isfinite(f.potential + length_of(f.acceleration)));
        }
    }
}

TEST_P(ScfExpansion, FarAndCentralParticlesCountAsTheyShould)
{
    const std::vector<Body> bodies{{1, {0.36e30, 0.48e30, 0.8e30}}, {2, {0.36e7, -0.48e7, 0.8e7}}};
    for (const Basis& basis : {basis_of(6, 4), basis_of(7, 5)}) {
        const auto terms = ReferenceScf::terms(reference_basis(basis), bodies);
        for (Precision precision : precisions) {
            expect_same_terms(basis, lowing_of(exec(), bodies, basis, precision), terms,
                              expansion_tolerance(precision));
            const auto central = lowing_of(exec(), {{3, {0, 0, 0}}, {4, {1e-200, 0, 0}}}, basis, precision);
            EXPECT_TRUE(close_to(central[0], 3 * 7, 21, expansion_tolerance(precision)));
            for (int l = 1; l <= basis.l_max; ++l)
                EXPECT_NEAR(central[basis.index(0, slot_of(l, 0, false))], 0, 1e-12);
        }
    }
}

TEST_P(ScfExpansion, MassesOfAnyUnitAreWelcome)
{
    const Basis basis = basis_of(3, 3);
    auto bodies = lopsided_bodies(100);
    const auto plain = coefficients_of(exec(), bodies, basis, Precision::mixed);
    const auto fields = fields_at(exec(), positions_of(bodies), basis, plain, Precision::mixed);
    for (double unit : {1e-20, 1e20}) {
        for (Body& body : bodies) body.mass *= unit;
        auto a = coefficients_of(exec(), bodies, basis, Precision::mixed);
        auto found = fields_at(exec(), positions_of(bodies), basis, a, Precision::mixed);
        for (Body& body : bodies) body.mass /= unit;
        for (Field& f : found) {
            f.potential /= unit;
            for (double& component : f.acceleration) component /= unit;
        }
        expect_same_field(found, fields, {1e-6, "float"});
    }
}

TEST_P(ScfExpansion, NoParticlesMakeNoField)
{
    const Basis basis = basis_of(3, 4);
    for (Precision precision : precisions) {
        const auto a = coefficients_of(exec(), {}, basis, precision);
        ASSERT_EQ(a.size(), basis.size());
        for (double x : a) ASSERT_EQ(x, 0);
        EXPECT_TRUE(fields_at(exec(), {}, basis, a, precision).empty());
        ASSERT_EQ(fields_at(exec(), {{1, 2, 3}}, basis, a, precision)[0].potential, 0);
    }
}

TEST_P(ScfExpansion, EveryNumberOfParticlesIsTheSumOfItsParticles)
{
    const Basis basis = basis_of(2, 2);
    const auto all = lopsided_bodies(520);
    std::vector<double> sum(basis.size(), 0);
    std::size_t n = 0;
    const auto a_of = [&](std::size_t from, std::size_t to, Precision precision) {
        return coefficients_of(exec(), {all.begin() + std::ptrdiff_t(from), all.begin() + std::ptrdiff_t(to)},
                               basis, precision);
    };
    for (std::size_t next :
         {1u, 2u, 15u, 16u, 17u, 63u, 64u, 65u, 127u, 128u, 129u, 255u, 256u, 257u, 520u}) {
        const auto part = a_of(n, next, Precision::double_precision);
        for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += part[k];
        n = next;
        for (Precision precision : precisions) {
            const auto whole = a_of(0, n, precision);
            for (std::size_t k = 0; k < sum.size(); ++k)
                ASSERT_TRUE(close_to(whole[k], sum[k], 1,
                                     {precision == Precision::double_precision ? 1e-14 : 1e-6, "round-off"}))
                    << n << " particles, coefficient " << k;
        }
    }
}

TEST_P(ScfExpansion, OneComponentIsExpandedAlone)
{
    const Basis basis = basis_of(5, 3);
    const auto bodies = lopsided_bodies(2000);
    std::vector<Body> odd;
    Particles particles = to_particles(bodies, Backend::cpu);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        particles.component.host()[i] = static_cast<Component>(i % 3 == 1 ? 7 : i % 3);
        if (i % 3 == 1 && i >= 100 && i < 1900) odd.push_back(bodies[i]);
    }
    particles = particles.copy_to(exec().backend);
    for (Precision precision : precisions) {
        gravity::scf::Expansion expansion(basis, precision);
        Buffer<double> a;
        expansion.expand(exec(), particles.view(), {{100, 1900}, 7}, {}, a);
        const auto found = a.to_vector(), expected = coefficients_of(exec(), odd, basis);
        for (std::size_t k = 0; k < expected.size(); ++k)
            ASSERT_TRUE(close_to(found[k], expected[k], 0.3,
                                 {precision == Precision::double_precision ? 1e-13 : 1e-6, "round-off"}));
        expansion.expand(exec(), particles.view(), {{}, 9}, {}, a);
        for (double x : a.to_vector()) ASSERT_EQ(x, 0);
    }
}

TEST_P(ScfExpansion, SamplesSumToTheWholeAndNoneIsEmpty)
{
    const Basis basis = basis_of(3, 2);
    const auto bodies = lopsided_bodies(5000);
    const auto whole = coefficients_of(exec(), bodies, basis);
    for (int samples : {2, 7, 16}) {
        const auto parts = coefficients_of(exec(), bodies, basis, Precision::double_precision, {}, samples);
        ASSERT_EQ(parts.size(), static_cast<std::size_t>(samples) * basis.size());
        std::vector<double> sum(basis.size(), 0);
        for (std::size_t k = 0; k < parts.size(); ++k) sum[k % basis.size()] += parts[k];
        for (std::size_t k = 0; k < sum.size(); ++k)
            ASSERT_TRUE(close_to(sum[k], whole[k], 1, {1e-13, "round-off"}));
        for (int sample = 0; sample < samples; ++sample)
            EXPECT_GT(parts[static_cast<std::size_t>(sample) * basis.size()] / whole[0] * samples, 0.5);
    }
}

TEST_P(ScfExpansion, OrderOfParticlesDoesNotMatter)
{
    const Basis basis = basis_of(6, 4);
    auto bodies = lopsided_bodies(3000);
    std::vector<std::vector<double>> before;
    for (Precision precision : precisions)
        before.push_back(coefficients_of(exec(), bodies, basis, precision));
    std::shuffle(bodies.begin(), bodies.end(), std::mt19937(4));
    for (Precision precision : precisions) {
        const auto after = coefficients_of(exec(), bodies, basis, precision);
        for (std::size_t k = 0; k < after.size(); ++k)
            ASSERT_TRUE(close_to(after[k], before[precision == Precision::mixed ? 0 : 1][k], 1,
                                 {precision == Precision::double_precision ? 1e-14 : 1e-7, "round-off"}));
    }
}

TEST_P(ScfExpansion, EqualInputGivesEqualBits)
{
    const Basis basis = basis_of(10, 6), high = basis_of(20, 12);
    const auto bodies = lopsided_bodies(3000);
    for (Precision precision : precisions) {
        ASSERT_EQ(coefficients_of(exec(), bodies, high, precision),
                  coefficients_of(exec(), bodies, high, precision));
        const auto a = coefficients_of(exec(), bodies, basis, precision);
        ASSERT_EQ(a, coefficients_of(exec(), bodies, basis, precision));
        const auto one = fields_at(exec(), positions_of(bodies), basis, a, precision),
                   two = fields_at(exec(), positions_of(bodies), basis, a, precision);
        for (std::size_t i = 0; i < one.size(); ++i) {
            ASSERT_EQ(one[i].acceleration, two[i].acceleration);
            ASSERT_EQ(one[i].potential, two[i].potential);
        }
    }
}

TEST_P(ScfExpansion, FieldTouchesItsTargetsAndAddsWhenAsked)
{
    const Basis basis = basis_of(3, 3);
    const auto bodies = lopsided_bodies(700);
    const auto a = coefficients_of(exec(), bodies, basis);
    const auto expected = fields_at(exec(), positions_of(bodies), basis, a);
    const Buffer<double> coefficients =
        Buffer<double>(Backend::cpu, std::span<const double>(a)).copy_to(exec().backend);
    Particles particles = to_particles(bodies, Backend::cpu);
    for (double& x : particles.acceleration.x.host()) x = 10;
    for (double& x : particles.potential.host()) x = 20;
    particles = particles.copy_to(exec().backend);
    gravity::scf::Expansion expansion(basis, Precision::double_precision);
    const auto ask = [&](bool potential, bool add) {
        expansion.field(exec(), particles.view(), {{130, 600}, potential, add}, {}, coefficients);
    };
    ask(true, true);
    ask(false, false);
    ask(false, true);
    const auto x = particles.acceleration.x.to_vector(), potential = particles.potential.to_vector();
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const bool target = i >= 130 && i < 600;
        ASSERT_NEAR(x[i], target ? 2 * expected[i].acceleration[0] : 10, 1e-12) << i;
        ASSERT_NEAR(potential[i], target ? 20 + expected[i].potential : 20, 1e-12) << i;
    }
}

TEST_P(ScfExpansion, SymmetryKeepsTheFunctionsItNames)
{
    const Basis basis = basis_of(2, 4);
    const auto bodies = lopsided_bodies(300);
    const auto all = coefficients_of(exec(), bodies, basis);
    Particles particles = to_particles(bodies, exec().backend);
    for (int bits = 0; bits < 16; ++bits) {
        const gravity::scf::Symmetry symmetry{(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0,
                                              (bits & 8) != 0};
        gravity::scf::Expansion expansion(basis, Precision::double_precision, symmetry);
        Buffer<double> buffer;
        expansion.expand(exec(), particles.view(), {}, {}, buffer);
        const auto a = buffer.to_vector();
        for (int l = 0; l <= 4; ++l)
            for (int slot = 0; slot <= 2 * l; ++slot)
                for (int n = 0; n <= 2; ++n) {
                    const int m = (slot + 1) / 2;
                    const bool kept = !(symmetry.even_l && l % 2 == 1) && !(symmetry.even_m && m % 2 == 1) &&
                                      !(symmetry.axisymmetric && m > 0) && !(symmetry.spherical && l > 0);
                    const auto k = basis.index(n, l * l + slot);
                    ASSERT_EQ(a[k], kept ? all[k] : 0) << l << " " << m << " bits " << bits;
                }
    }
}

TEST_P(ScfExpansion, ScratchDoesNotGrowWithParticles)
{
    gravity::scf::Expansion expansion(basis_of(6, 4), Precision::mixed);
    const std::size_t before = expansion.scratch_bytes(exec().backend);
    Particles particles = to_particles(lopsided_bodies(5000), exec().backend);
    Buffer<double> a;
    expansion.expand(exec(), particles.view(), {}, {}, a);
    EXPECT_EQ(expansion.scratch_bytes(exec().backend), before);
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(ScfExpansion);

}  // namespace
}  // namespace aureole::test::scf_expansion_test
