// Orbits in external fields: periods, conserved quantities, the stability of Lagrange points, friction. The
// particles have no mass where nothing but the fields is to act.
#include <complex>
#include <numbers>

#include "sim/run/simulation.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/make_particles.hpp"

namespace aureole::test::external_fields_test {
namespace {

constexpr double pi = std::numbers::pi;

struct State {
    Vec3 x, v;
};

class OrbitsInFields : public OnEachBackend {
protected:
    static run::Config config(const std::string& fields)
    {
        return run::parse_config("precision: double\ngravity: {external: {fields: [" + fields + "]}}", "test",
                                 {});
    }

    /// The states at the start and after every `stride` steps of dt.
    std::vector<State> orbit(const std::string& fields, State start, double dt, int steps, int stride = 1,
                             double mass = 0)
    {
        const Body body{mass, {start.x.x, start.x.y, start.x.z}, {start.v.x, start.v.y, start.v.z}};
        run::Simulation simulation(exec(), to_particles({body}, Backend::cpu), 0, config(fields), timers_);
        std::vector<State> states{start};
        for (int k = 1; k <= steps; ++k) {
            simulation.step(dt, k * dt, false);
            if (k % stride == 0)
                states.push_back({simulation.host().position.load(0), simulation.host().velocity.load(0)});
        }
        return states;
    }

    run::Timers timers_;
};

double radius(Vec3 x) { return std::hypot(x.x, x.y); }

/// The first time at which a falling quantity passes zero upwards: of parabolas through three samples.
double period_of_radius(const std::vector<State>& states, double dt)
{
    for (std::size_t k = 2; k + 1 < states.size(); ++k) {
        const double a = length(states[k - 1].x), b = length(states[k].x), c = length(states[k + 1].x);
        if (b <= a && b < c && k > 2) return dt * (static_cast<double>(k) + 0.5 * (a - c) / (a - 2 * b + c));
    }
    return 0;
}

TEST_P(OrbitsInFields, ACircleClosesAfterItsPeriod)
{
    const struct {
        const char* field;
        double speed2;  ///< R dPhi/dR at R = 2, by hand
    } fields[] = {
        {"{plummer: {mass: 1, scale_radius: 0.4}}", 4 / std::pow(4.16, 1.5)},
        {"{hernquist: {mass: 1, scale_radius: 0.5}}", 2 / 6.25},
        {"{nfw: {mass: 1, scale_radius: 2}}", (std::log(2.0) - 0.5) / 2},
        {"{logarithmic: {velocity: 1, core_radius: 0.3, flattening: 0.8}}", 4 / 4.09},
        {"{miyamoto_nagai: {mass: 1, scale_length: 0.9, scale_height: 0.2}}", 4 / std::pow(4 + 1.21, 1.5)},
        {"{isochrone: {mass: 1, scale_radius: 0.6}}",
         4 / (std::sqrt(4.36) * std::pow(0.6 + std::sqrt(4.36), 2))},
    };
    for (const auto& one : fields) {
        const double v = std::sqrt(one.speed2), period = 2 * pi * 2 / v;
        const int steps = 40000;
        const auto states = orbit(one.field, {{2, 0, 0}, {0, v, 0}}, period / steps, steps, steps / 100);
        // the leapfrog errs by about (Omega dt)^2 / 4 in each radian of the phase: 8e-8 in this turn
        for (const State& s : states) ASSERT_NEAR(radius(s.x), 2, 1e-7) << one.field;
        EXPECT_LT(length(states.back().x - Vec3{2, 0, 0}), 3e-7) << one.field;
    }
}

TEST_P(OrbitsInFields, TheIsochroneHasItsRadialPeriodAndPrecession)
{
    const double b = 0.6, r = 2, v = 0.35;
    const double energy = v * v / 2 - 1 / (b + std::sqrt(r * r + b * b)), spin = r * v;
    const double period = 2 * pi / std::pow(-2 * energy, 1.5);
    const double step_of_azimuth = pi * (1 + spin / std::sqrt(spin * spin + 4 * b));
    const int steps = 40000;
    const auto states =
        orbit("{isochrone: {mass: 1, scale_radius: 0.6}}", {{r, 0, 0}, {0, v, 0}}, period / steps, steps);
    // it starts at apocentre: after a period it is there again, turned by the step
    const State end = states.back();
    EXPECT_NEAR(length(end.x), r, 1e-7);
    EXPECT_NEAR(std::cos(std::atan2(end.x.y, end.x.x) - step_of_azimuth), 1, 1e-12);
    EXPECT_NEAR(period_of_radius(states, period / steps), period / 2, 1e-4 * period);
}

TEST_P(OrbitsInFields, TheErrorOfTheEnergyFallsWithTheSquareOfTheStep)
{
    const std::string field = "{miyamoto_nagai: {mass: 1, scale_length: 0.9, scale_height: 0.2}}";
    const auto error = [&](int steps) {
        const auto states = orbit(field, {{1, 0, 0.3}, {0, 0.5, 0.1}}, 4.0 / steps, steps);
        const auto energy = [](const State& s) {
            const double h = 0.9 + std::sqrt(s.x.z * s.x.z + 0.04);
            return dot(s.v, s.v) / 2 - 1 / std::sqrt(s.x.x * s.x.x + s.x.y * s.x.y + h * h);
        };
        return std::abs(energy(states.back()) - energy(states.front()));
    };
    EXPECT_NEAR(error(400) / error(800), 4, 0.1);
}

constexpr char rotating_oval[] =
    "{logarithmic: {velocity: 1, core_radius: 0.1, axis_ratio: %s}, pattern_speed: 1}";

std::string oval(const char* axis_ratio)
{
    std::string text = rotating_oval;
    return text.replace(text.find("%s"), 2, axis_ratio);
}

TEST_P(OrbitsInFields, ARotatingBarKeepsTheJacobiIntegralAndNotTheEnergy)
{
    const auto states = orbit(oval("0.8"), {{0.5, 0, 0}, {0, 0.7, 0}}, 1e-3, 20000, 100);
    double least = 1e9, largest = -1e9, first = 0, drift = 0;
    for (std::size_t k = 0; k < states.size(); ++k) {
        const State& s = states[k];
        const double t = 0.1 * static_cast<double>(k);
        const double x = std::cos(t) * s.x.x + std::sin(t) * s.x.y,
                     y = std::cos(t) * s.x.y - std::sin(t) * s.x.x;
        const double energy = dot(s.v, s.v) / 2 + 0.5 * std::log(0.01 + x * x + y * y / 0.64);
        const double jacobi = energy - (s.x.x * s.v.y - s.x.y * s.v.x);
        if (k == 0) first = jacobi;
        least = std::min(least, energy);
        largest = std::max(largest, energy);
        drift = std::max(drift, std::abs(jacobi - first));
    }
    EXPECT_GT(largest - least, 1e-2);
    EXPECT_LT(drift, 1e-4 * (largest - least)) << "of the second order in the step";
}

/// The exponents of a sum of four exponentials exp(+-a t), exp(+-b t), from samples at equal intervals: they
/// obey y[n+2] + y[n-2] + (2 + B) y[n] = A (y[n+1] + y[n-1]), which is solved by least squares.
std::array<std::complex<double>, 2> exponents_of(const std::vector<double>& y, double interval)
{
    long double pp = 0, pq = 0, qq = 0, pr = 0, qr = 0;
    for (std::size_t n = 2; n + 2 < y.size(); ++n) {
        const long double p = y[n + 1] + y[n - 1], q = -y[n], r = y[n + 2] + y[n - 2] + 2 * y[n];
        pp += p * p;
        pq += p * q;
        qq += q * q;
        pr += p * r;
        qr += q * r;
    }
    const long double determinant = pp * qq - pq * pq;
    const auto a = static_cast<double>((pr * qq - qr * pq) / determinant);
    const auto b = static_cast<double>((pp * qr - pq * pr) / determinant);
    const std::complex<double> root = std::sqrt(std::complex<double>(a * a / 4 - b));
    return {std::acosh((a / 2 + root) / 2.0) / interval, std::acosh((a / 2 - root) / 2.0) / interval};
}

class LagrangePoints : public OrbitsInFields {
protected:
    /// Exponents of the displacement along the bar from a point at rest in the frame of the bar.
    std::array<std::complex<double>, 2> exponents(const char* axis_ratio, Vec3 point, double push,
                                                  double time)
    {
        const double dt = 0.0025;
        const int stride = 100;
        const Vec3 x = point + Vec3{push, 2 * push, 0};
        const auto states =
            orbit(oval(axis_ratio), {x, {-x.y, x.x, 0}}, dt, static_cast<int>(time / dt), stride);
        std::vector<double> displacement;
        for (std::size_t k = 0; k < states.size(); ++k) {
            const double t = dt * stride * static_cast<double>(k);
            displacement.push_back(std::cos(t) * states[k].x.x + std::sin(t) * states[k].x.y - point.x);
        }
        return exponents_of(displacement, dt * stride);
    }
};

TEST_P(LagrangePoints, OnTheBarAreSaddles)
{
    const auto found = exponents("0.8", {0.99498743710662, 0, 0}, 1e-6, 8);
    const double growth = std::max(std::abs(found[0].real()), std::abs(found[1].real()));
    EXPECT_NEAR(growth, 0.613519363, 1e-2 * 0.613519363);
}

TEST_P(LagrangePoints, BesideAStrongBarSpiralOutwards)
{
    for (const auto exponent : exponents("0.8", {0, 0.99679486355017, 0}, 1e-8, 40)) {
        EXPECT_NEAR(std::abs(exponent.real()), 0.09851012, 1e-2 * 0.09851012);
        EXPECT_NEAR(std::abs(exponent.imag()), 0.91438736, 1e-4);
    }
}

TEST_P(LagrangePoints, BesideAWeakBarOscillateWithTwoFrequencies)
{
    const auto found = exponents("0.9", {0, 0.995941765365827, 0}, 1e-8, 60);
    const double one = std::abs(found[0].imag()), two = std::abs(found[1].imag());
    EXPECT_NEAR(std::max(one, two), 1.26055215, 1e-4);
    EXPECT_NEAR(std::min(one, two), 0.48704033, 1e-4);
    EXPECT_LT(std::abs(found[0].real()) + std::abs(found[1].real()), 1e-4);
}

TEST_P(OrbitsInFields, AMovingCentreIsARestingOneSeenFromAMovingFrame)
{
    const State start{{0.7, 0.1, 0.2}, {0.1, 0.6, -0.2}};
    const Vec3 u{0.25, -0.5, 0.125};
    const auto rest = orbit("{plummer: {mass: 1, scale_radius: 0.4}}", start, 1.0 / 128, 1280);
    const auto moving = orbit("{plummer: {mass: 1, scale_radius: 0.4}, velocity: [0.25, -0.5, 0.125]}",
                              {start.x, start.v + u}, 1.0 / 128, 1280);
    for (std::size_t k = 0; k < rest.size(); ++k)
        ASSERT_LT(length(moving[k].x - (static_cast<double>(k) / 128) * u - rest[k].x), 1e-12) << k;
}

TEST_P(OrbitsInFields, FrictionOnACircleLetsTheSquareOfTheRadiusFallLinearly)
{
    // r^2 = r_0^2 - 2 B G M ln L t / v_c with B = 0.42759330: half of it is left after t (Chandrasekhar 1943,
    // for the isothermal sphere of a flat rotation curve)
    const double mass = 4e-4, logarithm = 5, end = 0.5 / (2 * 0.42759330 * mass * logarithm);
    const double inward = 0.42759330 * mass * logarithm;  // of the spiral: without it, it has an epicycle too
    const int steps = 30000;
    const auto states =
        orbit("{logarithmic: {velocity: 1}, friction: {types: [1], logarithm: constant, value: 5}}",
              {{1, 0, 0}, {-inward, 1, 0}}, end / steps, steps, steps / 10, mass);
    for (std::size_t k = 0; k < states.size(); ++k) {
        const double r = length(states[k].x), expected = 1 - 0.05 * static_cast<double>(k);
        EXPECT_NEAR(r * r, expected, 1e-3 * expected) << k;
    }
}

/// Massive particles in a field that turns and grows: what the book of a run says of the energy.
TEST_P(OrbitsInFields, TheBookOfTheEnergyClosesInChangingFields)
{
    const auto drift = [&](const std::string& fields, int steps) {
        std::vector<Body> bodies = plummer_bodies(200, 4);
        for (Body& body : bodies) body.mass *= 1e-3;
        run::Simulation simulation(exec(), to_particles(bodies, Backend::cpu), 0, config(fields), timers_);
        const auto total = [&] {
            const run::EnergyBalance& balance = simulation.energy_balance();
            const Particles& p = simulation.host();
            double sum = balance.terms.fixed_field - balance.external_work;
            for (std::size_t i = 0; i < p.size(); ++i) {
                const Vec3 v = p.velocity.load(i);
                sum += p.mass.host()[i] * (dot(v, v) + p.potential.host()[i]) / 2;
            }
            return sum;
        };
        const double first = total();
        for (int k = 1; k <= steps; ++k) simulation.step(2.0 / steps, 2.0 * k / steps, k == steps);
        return std::abs((total() - first) / first);
    };
    const std::string turning =
        "{long_murali_bar: {mass: 1, half_length: 1, y_scale: 0.4, z_scale: 0.3}, pattern_speed: 0.8}, "
        "{nfw: {mass: 1, scale_radius: 2}, velocity: [0.1, 0, 0]}, "
        "{dehnen_bar: {strength: 0.02, radius: 2}, growth: {start: 0.2, end: 1.7}}, "
        "{plummer: {mass: 1, scale_radius: 1}, friction: {types: [1], logarithm: petts, half_mass_radius: "
        "0}}";
    EXPECT_LT(drift(turning, 1600), 2e-6);
    EXPECT_NEAR(drift(turning, 400) / drift(turning, 800), 4, 0.4) << "it is of second order";
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(OrbitsInFields);
AUREOLE_INSTANTIATE_ON_EACH_BACKEND(LagrangePoints);

}  // namespace
}  // namespace aureole::test::external_fields_test
