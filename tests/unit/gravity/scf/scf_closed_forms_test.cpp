// The basis expansion of spheres whose coefficients are known in closed form, its noise, its density.
#include <numbers>

#include "sim/core/random.hpp"
#include "tests/support/files/gzip_text.hpp"
#include "tests/support/quadrature.hpp"
#include "tests/support/test_data.hpp"
#include "tests/unit/gravity/scf/scf_fixture.hpp"

namespace aureole::test::scf_closed_forms_test {
namespace {

class ScfClosedForms : public OnEachBackend {};

constexpr Family families[] = {Family::hernquist_ostriker, Family::clutton_brock};
const std::vector<Body> one_direction{{1, {0.48, 0.6, 0.64}}};

/// S_n00 of a sphere against what is expected, the rest zero.
void expect_radial(Exec exec, const std::vector<Body>& bodies, const std::vector<double>& expected,
                   const Basis& basis, Tolerance tolerance)
{
    const auto found = lowing_of(exec, bodies, basis);
    for (int n = 0; n <= basis.n_max; ++n) {
        const auto k = static_cast<std::size_t>(n);
        EXPECT_TRUE(close_to(found[basis.index(n, 0)], k < expected.size() ? expected[k] : 0, 1, tolerance))
            << "n = " << n;
    }
}

TEST_P(ScfClosedForms, LowestCoefficientIsASumOverParticles)
{
    const auto bodies = plummer_bodies(1000, 5);
    double sum = 0;
    for (const Body& body : bodies)
        sum += 3 * body.mass / (1 + std::hypot(body.position[0], body.position[1], body.position[2]));
    EXPECT_TRUE(close_to(lowing_of(exec(), bodies, basis_of(0, 0))[0], sum, sum, {1e-14, "round-off"}));
}

// Phi_111 of a single particle, all factors by hand
TEST_P(ScfClosedForms, OneParticleIsOneTerm)
{
    constexpr double pi = std::numbers::pi;
    const Basis basis = basis_of(1, 1);
    const double x = 0.3, y = -0.4, z = 1.2, r = 1.3, mass = 0.7;
    const double gegenbauer = 7 * (r - 1) / (r + 1);  // C_1^(7/2)
    const double phi_11 = -std::sqrt(4 * pi) * r / std::pow(1 + r, 3) * gegenbauer;
    const double y_11 = -std::sqrt(3 / (4 * pi) / 2) * std::hypot(x, y) / r;
    // K = (1 + 3)(1 + 4) / 2 = 10; Gamma(8) / (1! 4.5 Gamma(3.5)^2)
    const double i_11 = -10 * 4 * pi / std::pow(2, 14) * 5040 / (4.5 * std::pow(15 * std::sqrt(pi) / 8, 2));
    const double amount = 2 / i_11 * mass * phi_11 * y_11;
    const auto found = lowing_of(exec(), {{mass, {x, y, z}}}, basis);
    EXPECT_TRUE(close_to(found[basis.index(1, slot_of(1, 1, false))], amount * x / std::hypot(x, y),
                         std::abs(amount), {1e-14, "round-off"}));
    EXPECT_TRUE(close_to(found[basis.index(1, slot_of(1, 1, true))], amount * y / std::hypot(x, y),
                         std::abs(amount), {1e-14, "round-off"}));
}

TEST_P(ScfClosedForms, SpheresHaveTheirExactCoefficients)
{
    const Basis basis = basis_of(6, 0);
    const auto sphere = [](auto slope) { return shells(slope, 120, one_direction); };
    const auto hernquist = [](double b) { return [b](double r) { return 2 * b * r / std::pow(r + b, 3); }; };
    const Tolerance tight{1e-12, "Gauss nodes integrate to round-off"};
    const auto scaled = [](double b) { return 3 * (1 - b * b + 2 * b * std::log(b)) / std::pow(1 - b, 3); };
    expect_radial(exec(), sphere(hernquist(1)), {1}, basis, tight);
    for (double b : {1.0 / 3, 2.0})
        expect_radial(exec(), sphere(hernquist(b)), {scaled(b)}, basis_of(0, 0), tight);
    EXPECT_NEAR(scaled(2), 0.682234, 1e-6);
    expect_radial(exec(), sphere([](double r) { return 3 * r * r / std::pow(1 + r, 4); }), {0.75, 1.0 / 12},
                  basis, tight);
    expect_radial(exec(), sphere([](double r) { return 1 / ((r + 1) * (r + 1)); }),
                  {3.0 / 2, -5.0 / 18, 7.0 / 72, -9.0 / 200, 11.0 / 450}, basis_of(4, 0), tight);
    expect_radial(exec(), sphere([](double r) { return 3 * r * r / std::pow(1 + r * r, 2.5); }),
                  {1.304513580631, 0, -0.063784500192, 0, 0.006409502623, 0, -0.000778973649}, basis,
                  {1e-12, "as many digits are known"});
}

TEST_P(ScfClosedForms, PlummersSphereIsTheLowestMemberOfItsFamily)
{
    for (double a : {1.0, 2.5}) {
        auto bodies =
            shells([](double r) { return 3 * r * r / std::pow(1 + r * r, 2.5); }, 120, directions(8));
        for (Body& body : bodies)
            for (double& x : body.position) x *= a;
        const Basis basis = basis_of(5, 4, Family::clutton_brock, a);
        const auto found = lowing_of(exec(), bodies, basis);
        for (std::size_t k = 0; k < found.size(); ++k)
            EXPECT_TRUE(close_to(found[k], k == 0 ? 1 : 0, 1, {1e-11, "quadrature to round-off"})) << k;
    }
}

// each density expanded in all functions gives itself alone; masses have both signs
TEST_P(ScfClosedForms, DensitiesAndPotentialsAreBiorthogonal)
{
    const auto sphere = directions(8);
    for (Family family : families) {
        const Basis basis = basis_of(4, 4, family);
        const ReferenceBasis reference = reference_basis(basis);
        for (const auto& [n, l, m] :
             {std::array{0, 0, 0}, {3, 0, 0}, {1, 1, 0}, {2, 2, 1}, {4, 3, 3}, {0, 4, 2}}) {
            const double four_pi = 4 * std::numbers::pi;
            auto bodies = shells(
                [&, n = n, l = l](double r) {
                    return four_pi * r * r * double(ReferenceScf::density(reference, n, l, r));
                },
                60, sphere);
            for (Body& body : bodies) {
                const ReferenceScf::Spherical at(body.position, {});
                body.mass *= double(ReferenceScf::harmonic_norm(l, m) *
                                    ReferenceScf::legendre(l, m, at.cos_theta) * std::cos(m * at.phi));
            }
            const auto found = lowing_of(exec(), bodies, basis);
            for (std::size_t k = 0; k < found.size(); ++k)
                EXPECT_TRUE(close_to(found[k], k == basis.index(n, slot_of(l, m, false)) ? 1 : 0, 1,
                                     {1e-10, "quadrature to round-off"}))
                    << k;
        }
    }
}

/// A unit Hernquist sphere around `distance` * u, by quadrature about its own centre that is fine towards the
/// origin, where the functions have an edge.
std::vector<Body> shifted_hernquist(double distance, Vec3 u)
{
    const Vec3 side = (1 / std::hypot(u.y, u.z)) * Vec3{0, -u.z, u.y}, third = cross(u, side);
    std::vector<Body> bodies;
    constexpr int around = 14, polar = 60, radial = 60;
    const auto add_shell = [&](double q, double mass) {
        for (const auto& [t, weight] : gauss_legendre(polar, 0, 1))  // 1 + cos = 2 t^2
            for (int k = 0; k < around; ++k) {
                const double c = 2 * t * t - 1, s = std::sqrt(1 - c * c);
                const double phi = 2 * std::numbers::pi * k / around;
                const Vec3 x =
                    (distance + q * c) * u + q * s * (std::cos(phi) * side + std::sin(phi) * third);
                bodies.push_back({mass * weight * 2 * t / around, {x.x, x.y, x.z}});
            }
    };
    const auto density = [](double q) { return 2 * q / std::pow(1 + q, 3); };
    for (const auto& [y, weight] : gauss_legendre(radial, 0, 1)) {
        add_shell(distance * (1 - y * y), weight * 2 * distance * y * density(distance * (1 - y * y)));
        const double out = y * y / (1 - y), slope = (2 * y * (1 - y) + y * y) / ((1 - y) * (1 - y));
        add_shell(distance + out, weight * slope * density(distance + out));
    }
    return bodies;
}

TEST_P(ScfClosedForms, ShiftedSphereHasTheCoefficientsOfItsDirection)
{
    AUREOLE_TEST_DATA_OR_SKIP(path, "scf/shifted_hernquist_z0.5_Snl0.txt");
    const Table along_z = read_table(path, 7);
    ASSERT_EQ(along_z.size(), 7u);
    const Basis basis = basis_of(6, 6);
    const Vec3 u{0.48, 0.6, 0.64};
    const auto found = lowing_of(exec(), shifted_hernquist(0.5, u), basis);
    const double phi = std::atan2(u.y, u.x);
    for (int n = 0; n <= 6; ++n)
        for (int l = 0; l <= 6; ++l)
            for (int m = 0; m <= l; ++m) {
                const double amount =
                    (m == 0 ? 1 : 2) * std::sqrt(4 * std::numbers::pi / (2 * l + 1)) *
                    double(ReferenceScf::harmonic_norm(l, m) * ReferenceScf::legendre(l, m, u.z)) *
                    along_z[static_cast<std::size_t>(n)][static_cast<std::size_t>(l)];
                const Tolerance tolerance{1e-6, "quadrature across an edge"};
                EXPECT_TRUE(close_to(found[basis.index(n, slot_of(l, m, false))], amount * std::cos(m * phi),
                                     1, tolerance))
                    << n << " " << l << " " << m;
                if (m == 0) continue;
                EXPECT_TRUE(close_to(found[basis.index(n, slot_of(l, m, true))], amount * std::sin(m * phi),
                                     1, tolerance))
                    << n << " " << l << " " << m;
            }
}

TEST_P(ScfClosedForms, NoiseOfASampledSphereIsWhatTheoryPredicts)
{
    constexpr std::uint64_t seed = 11;
    constexpr std::size_t n_bodies = 100000;
    const std::vector<std::vector<double>> sigma{{.707, .304, .127, .067, .040, .0265},
                                                 {.986, .254, .093, .042},
                                                 {1.755, .411, .135, .054},
                                                 {4.05, .866, .259},
                                                 {10.7, 2.11, .581}};
    std::vector<Body> bodies;
    for (std::size_t i = 0; i < n_bodies; ++i) {
        Random random(seed, i, 0);
        const double root = std::sqrt(random.uniform());
        const Vec3 x = root / (1 - root) * random.direction();
        bodies.push_back({1.0 / n_bodies, {x.x, x.y, x.z}});
    }
    const Basis basis = basis_of(5, 4);
    for (Precision precision : {Precision::mixed, Precision::double_precision}) {
        const auto found = lowing_of(exec(), bodies, basis, precision);
        double sum = 0;
        int terms = 0;
        for (int l = 0; l <= 4; ++l)
            for (std::size_t n = 0; n < sigma[static_cast<std::size_t>(l)].size(); ++n, ++terms) {
                const double exact = l == 0 && n == 0 ? 1 : 0;
                const double deviation = (found[basis.index(int(n), slot_of(l, 0, false))] - exact) *
                                         std::sqrt(double(n_bodies)) / sigma[static_cast<std::size_t>(l)][n];
                EXPECT_LT(std::abs(deviation), 5) << n << " " << l << ", seed " << seed;
                sum += deviation * deviation;
            }
        EXPECT_GT(sum / terms, 0.25) << "noise far below the theory's";
    }
}

TEST_P(ScfClosedForms, DensityIsThatOfTheTextbook)
{
    const auto bodies = plummer_bodies(20, 8);
    for (Family family : families) {
        const Basis basis = basis_of(5, 4, family, 1.7);
        const auto terms = ReferenceScf::terms(reference_basis(basis), bodies);
        const auto a = coefficients_of(exec(), bodies, basis);
        Positions at;
        for (double r : {1e-6, 0.01, 0.5, 1.0, 3.0, 100.0}) at.push_back({0.36 * r, 0.48 * r, -0.8 * r});
        const auto found = fields_at(exec(), at, basis, density_coefficients(make_tables(basis), a));
        for (std::size_t i = 0; i < at.size(); ++i) {
            const double expected = ReferenceScf::density(reference_basis(basis), terms, at[i]);
            EXPECT_TRUE(close_to(density(basis, length_of(at[i]), found[i].potential), expected,
                                 std::abs(expected), {1e-10, "terms of both signs"}))
                << "r = " << length_of(at[i]);
        }
    }
}

TEST_P(ScfClosedForms, DensityAndAccelerationObeyPoissonsEquation)
{
    constexpr double h = 1e-4;
    const auto bodies = plummer_bodies(20, 9);
    for (Family family : families) {
        const Basis basis = basis_of(5, 4, family);
        const auto a = coefficients_of(exec(), bodies, basis);
        for (const std::array<double, 3>& x : Positions{{0.5, 0.2, -0.7}, {0, 0, 1.3}, {-2, 0.001, 0}}) {
            Positions around{x};
            for (int k = 0; k < 3; ++k)
                for (double step : {-h, h}) {
                    around.push_back(x);
                    around.back()[k] += step;
                }
            const auto fields = fields_at(exec(), around, basis, a);
            double divergence = 0;
            for (int k = 0; k < 3; ++k)
                divergence +=
                    (fields[2 + 2 * k].acceleration[k] - fields[1 + 2 * k].acceleration[k]) / (2 * h);
            const auto potential =
                fields_at(exec(), {x}, basis, density_coefficients(make_tables(basis), a))[0].potential;
            EXPECT_NEAR(-divergence / (4 * std::numbers::pi), density(basis, length_of(x), potential), 1e-6);
        }
    }
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(ScfClosedForms);

}  // namespace
}  // namespace aureole::test::scf_closed_forms_test
