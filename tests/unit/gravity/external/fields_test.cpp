// External fields against published values, against differences, and in motion.
#include <fmt/format.h>
#include <omp.h>

#include <numbers>
#include <random>
#include <string_view>

#include "gravity/external/field_registry.hpp"
#include "gravity/external/potential_field.hpp"
#include "sim/core/error.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/gravity/field_values.hpp"
#include "tests/support/make_particles.hpp"
#include "tests/support/message_of.hpp"

namespace aureole::test::fields_test {
namespace {

using namespace gravity;

struct Case {
    const char* name;  ///< in the file of values
    FieldPotential potential;
};

ExponentialDiskPotential disk_of(const char* table, const char* profile = "exponential", double height = 0.2)
{
    gravity::FieldConfig config{"exponential_disk", {}, {}};
    for (const auto& row : field_settings(config.name)) {
        const auto set = [&](double value) { *std::get<std::optional<double>*>(row.edit(config)) = value; };
        if (row.path == "exponential_disk.mass" || row.path == "exponential_disk.scale_length") set(1);
        if (row.path == "exponential_disk.scale_height") set(height);
        if (row.path == "exponential_disk.profile") row.choose(config, profile);
        if (row.path == "exponential_disk.table") row.choose(config, table);
    }
    const auto field = make_field(config);
    return std::get<ExponentialDiskPotential>(
        dynamic_cast<const PotentialField&>(*field.front()).potential());
}

std::vector<Case> cases()
{
    const SpiralArmsPotential arms{2, 0.25, 1, 0.7, 0.18, 0.05, 1, 3};
    SpiralArmsPotential leading = arms;
    leading.sense = -1;
    return {{"NFW Ms=1 rs=2", NfwPotential{1, 2}},
            {"log v0=1 Rc=.3 q=.8", LogarithmicPotential{1, 0.3, 1, 0.8}},
            {"MN a=.9 b=.2", MiyamotoNagaiPotential{1, 0.9, 0.2}},
            {"isochrone b=.6", IsochronePotential{1, 0.6}},
            {"Hernquist a=.5", HernquistPotential{1, 0.5}},
            {"Plummer b=.4", PlummerPotential{1, 0.4}},
            {"MN3 exp Rd=1 hz=.2 table 1", disk_of("best")},
            {"MN3 exp Rd=1 hz=.2 table 2", disk_of("positive")},
            {"Long-Murali a=1.5 b=.3 c=.2", LongMuraliPotential{1, 1.5, 0.3, 0.2}},
            {"Dehnen bar A=.01 Rb=1", DehnenBarPotential{0.01, 1}},
            {"Dehnen bar A=.01 Rb=2", DehnenBarPotential{0.01, 2}},
            {"Cox-Gomez N=2 al=.25 r0=1 Rs=.7 H=.18 rho0=.05 three C s=+1", arms},
            {"Cox-Gomez N=2 al=.25 r0=1 Rs=.7 H=.18 rho0=.05 three C s=-1", leading}};
}

double size_of(Vec3 v) { return std::sqrt(dot(v, v)); }

Body body_at(Vec3 x) { return {1, {x.x, x.y, x.z}, {}}; }

class ExternalFields : public OnEachBackend {
protected:
    struct Result {
        std::vector<Vec3> acceleration;
        std::vector<double> potential;
    };

    Result evaluate(PotentialField& field, const std::vector<Body>& bodies, double time = 0)
    {
        Particles particles = to_particles(bodies, GetParam());
        const ParticlesView view = particles.view();
        Buffer<double> potential(GetParam(), std::vector<double>(bodies.size(), 0.0));
        field.add_acceleration(exec(), view, {}, time, view.acceleration);
        field.add_potential(exec(), view, {}, time, potential.data());
        const Particles host = particles.copy_to(Backend::cpu);
        Result result{{}, potential.to_vector()};
        for (std::size_t i = 0; i < bodies.size(); ++i)
            result.acceleration.push_back(host.acceleration.load(i));
        return result;
    }
};

TEST_P(ExternalFields, HaveTheValuesOfTheTableToTwelveDigits)
{
    ASSERT_EQ(std::size(field_values), 5 * cases().size());
    for (const Case& one : cases()) {
        PotentialField field(one.potential, {});
        std::size_t found = 0;
        for (const FieldValue& row : field_values) {
            if (row.field != std::string_view(one.name)) continue;
            ++found;
            const Result result = evaluate(field, {body_at(row.x)});
            EXPECT_NEAR(result.potential[0], row.potential, 1e-12 * std::abs(row.potential)) << one.name;
            EXPECT_LT(size_of(result.acceleration[0] - row.acceleration), 1e-12 * size_of(row.acceleration))
                << one.name;
        }
        EXPECT_EQ(found, 5U) << one.name;
    }
}

/// Three Miyamoto-Nagai disks of b / R_d = 0.659 h + 0.262 h^2 - 0.033 h^3 (Smith et al. 2015), in arithmetic
/// of 40 digits.
TEST_P(ExternalFields, ASech2LayerOfAnExponentialDiskHasAThicknessOfItsOwn)
{
    struct Expected {
        const char* table;
        double potential;
        Vec3 acceleration;
    };
    for (const Expected& e : {Expected{"best",
                                       -0.58271770359001784,
                                       {-0.14316435667439516, 0.091104590610978741, -0.21367392306223220}},
                              Expected{"positive",
                                       -0.60047692283300827,
                                       {-0.14309586181937570, 0.091061002975966359, -0.21428427592662140}}}) {
        PotentialField field(disk_of(e.table, "sech2"), {});
        const Result found = evaluate(field, {body_at({1.1, -0.7, 0.4})});
        EXPECT_NEAR(found.potential[0], e.potential, 1e-12) << e.table;
        EXPECT_LT(size_of(found.acceleration[0] - e.acceleration), 1e-12 * size_of(e.acceleration))
            << e.table;
    }
}

/// R and circular velocity of the disk sech^2(z / 0.1) with M_d = R_d = G = 1, by Hankel transforms and by
/// superposed layers, which agree to 1e-8.
TEST_P(ExternalFields, ThreeMiyamotoNagaiDisksRotateAsTheExponentialDiskToTheAccuracyOfTheFit)
{
    constexpr double disk[][2] = {{0.5, 0.34422883}, {1, 0.50433898}, {1.5, 0.57915963}, {2, 0.60626880},
                                  {2.5, 0.60602161}, {3, 0.59051203}, {4, 0.54044661},   {5, 0.48678750},
                                  {6, 0.43971717},   {8, 0.37036641}};
    for (const auto& [table, largest] : {std::pair{"best", 0.015}, std::pair{"positive", 0.038}}) {
        PotentialField field(disk_of(table, "sech2", 0.1), {});
        for (const auto& [r, velocity] : disk) {
            const Result found = evaluate(field, {body_at({r, 0, 0})});
            EXPECT_NEAR(std::sqrt(-r * found.acceleration[0].x), velocity, largest * velocity)
                << table << " " << r;
        }
    }
}

TEST(FieldDensities, HaveTheValuesOfTheTable)
{
    for (const FieldValue& row : field_values)
        for (const Case& one : cases()) {
            if (row.field != std::string_view(one.name)) continue;
            const double density =
                std::visit([&](const auto& p) { return density_of(p, row.x); }, one.potential);
            // three second derivatives cancel in it, which are of the size of a / r
            const double size =
                std::abs(row.density) + size_of(row.acceleration) / size_of(row.x) / (4 * std::numbers::pi);
            EXPECT_NEAR(density, row.density, 1e-12 * size) << one.name << " at x = " << row.x.x;
        }
}

/// Places where every field is smooth.
std::vector<Vec3> random_places(std::size_t n)
{
    std::mt19937_64 random(5);
    std::uniform_real_distribution<double> spread(-3, 3);
    std::vector<Vec3> places;
    while (places.size() < n) {
        const Vec3 x{spread(random), spread(random), spread(random)};
        if (x.x * x.x + x.y * x.y > 0.1) places.push_back(x);
    }
    return places;
}

TEST_P(ExternalFields, AreTheGradientsOfTheirPotentials)
{
    constexpr double h = 2e-4;
    for (const Case& one : cases()) {
        FieldPlacement placement;
        placement.centre = {0.1, -0.2, 0.05};
        placement.angle = 33;
        PotentialField field(one.potential, placement);
        std::vector<Body> bodies;
        const auto places = random_places(1000);
        for (const Vec3 x : places) {
            bodies.push_back(body_at(x));
            for (const Vec3 step : {Vec3{h, 0, 0}, Vec3{0, h, 0}, Vec3{0, 0, h}})
                for (const double by : {-2.0, -1.0, 1.0, 2.0}) bodies.push_back(body_at(x + by * step));
        }
        const Result result = evaluate(field, bodies);
        for (std::size_t k = 0; k < places.size(); ++k) {
            const double* const phi = &result.potential[13 * k + 1];
            const auto slope = [&](int axis) {  // of fourth order
                const double* const p = phi + 4 * axis;
                return (8 * (p[2] - p[1]) - (p[3] - p[0])) / (12 * h);
            };
            const Vec3 expected{-slope(0), -slope(1), -slope(2)};
            // rounding of phi over h, and h^4 times fifth derivatives, which arms have the most of
            ASSERT_LT(size_of(result.acceleration[13 * k] - expected),
                      1e-9 * (std::abs(phi[0]) + size_of(expected)) + 1e-9)
                << one.name << " " << k;
        }
    }
}

TEST(FieldDensities, AreTheDivergenceOfTheAcceleration)
{
    constexpr double h = 1e-3;
    for (const Case& one : cases())
        for (const Vec3 x : random_places(1000))
            std::visit(
                [&](const auto& p) {
                    double sum = 0, size = 0;
                    for (int axis = 0; axis < 3; ++axis) {
                        const auto slope = [&](double by) {
                            Vec3 y = x;
                            (axis == 0 ? y.x : axis == 1 ? y.y : y.z) += by * h;
                            const Vec3 g = gradient_of(p, y).slope;
                            return axis == 0 ? g.x : axis == 1 ? g.y : g.z;
                        };
                        const double part = (8 * (slope(1) - slope(-1)) - (slope(2) - slope(-2))) / (12 * h);
                        sum += part;
                        size += std::abs(part);
                    }
                    const bool at_seam =
                        std::holds_alternative<DehnenBarPotential>(one.potential) &&
                        (std::abs(size_of(x) - 1) < 3 * h || std::abs(size_of(x) - 2) < 3 * h);
                    if (!at_seam) {
                        ASSERT_NEAR(4 * std::numbers::pi * density_of(p, x), sum, 1e-6 * size + 1e-9)
                            << one.name;
                    }
                },
                one.potential);
}

TEST_P(ExternalFields, AreZeroAndFiniteAtTheCentre)
{
    for (const Case& one : cases()) {
        PotentialField field(one.potential, {});
        const Result result = evaluate(field, {body_at({0, 0, 0})});
        EXPECT_LT(size_of(result.acceleration[0]), 1e-15) << one.name;
        EXPECT_TRUE(std::isfinite(result.potential[0])) << one.name;
    }
}

TEST_P(ExternalFields, SumEnergiesAndTheirChange)
{
    FieldPlacement moving;
    moving.velocity = {0.3, -0.1, 0.2};
    moving.pattern_speed = 0.7;
    moving.growth_start = 0;
    moving.growth_end = 4;
    for (std::size_t n : {1, 2, 1023, 70000}) {
        PotentialField field(LongMuraliPotential{1, 1.5, 0.3, 0.2}, moving);
        const auto bodies = random_bodies(n, 3);
        Particles particles = to_particles(bodies, GetParam());
        const double time = 1.5, h = 1e-3;
        const auto energy_at = [&](double t) {
            const Result result = evaluate(field, bodies, t);
            long double sum = 0;
            for (std::size_t i = 0; i < n; ++i)
                sum += bodies[i].mass * static_cast<long double>(result.potential[i]);
            return static_cast<double>(sum);
        };
        const double expected = energy_at(time);
        EXPECT_NEAR(field.energy(exec(), particles.view(), time), expected, 1e-13 * std::abs(expected));
        const double rate = (8 * (energy_at(time + h) - energy_at(time - h)) -
                             (energy_at(time + 2 * h) - energy_at(time - 2 * h))) /
                            (12 * h);
        // fourth order in h, and rounding of the energies over h
        EXPECT_NEAR(field.power(exec(), particles.view(), time), rate, 1e-9 * std::abs(expected)) << n;
    }
}

TEST_P(ExternalFields, GiveTheSameBitsForAnyNumberOfThreads)
{
    FieldPlacement turning;
    turning.pattern_speed = 0.7;
    PotentialField field(DehnenBarPotential{0.01, 2}, turning);
    const auto bodies = random_bodies(50000, 9);
    Particles particles = to_particles(bodies, GetParam());
    const int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    const Result one = evaluate(field, bodies, 2);
    const double energy = field.energy(exec(), particles.view(), 2),
                 power = field.power(exec(), particles.view(), 2);
    omp_set_num_threads(3);
    const Result three = evaluate(field, bodies, 2);
    EXPECT_EQ(field.energy(exec(), particles.view(), 2), energy);
    EXPECT_EQ(field.power(exec(), particles.view(), 2), power);
    omp_set_num_threads(threads);
    EXPECT_EQ(one.potential, three.potential);
    for (std::size_t i = 0; i < bodies.size(); ++i) ASSERT_EQ(one.acceleration[i].x, three.acceleration[i].x);
}

TEST(FieldMotions, GrowWithTwoContinuousDerivatives)
{
    FieldPlacement growing;
    growing.growth_start = 2;
    growing.growth_end = 6;
    growing.growth_from = 0.5;
    growing.growth_to = 3;
    const FieldMotion motion(growing);
    EXPECT_EQ(motion.at(1.9).amplitude, 0.5);
    EXPECT_EQ(motion.at(6.1).amplitude, 3);
    EXPECT_DOUBLE_EQ(motion.at(4).amplitude, 1.75);
    for (const double seam : {2.0, 6.0})
        for (const double by : {-1e-4, 1e-4}) {  // the third derivative alone jumps
            EXPECT_NEAR(motion.at(seam + by).amplitude, motion.at(seam).amplitude, 3e-12);
            EXPECT_NEAR(motion.at(seam + by).amplitude_rate, 0, 1e-7);
        }
    const double h = 1e-4;
    for (const double t : {2.5, 3.7, 5.9})
        EXPECT_NEAR(motion.at(t).amplitude_rate,
                    (motion.at(t + h).amplitude - motion.at(t - h).amplitude) / (2 * h), 1e-7);
}

TEST(FieldMotions, FollowPathsLinesAndAngles)
{
    FieldPlacement line;
    line.centre = {1, 2, 3};
    line.velocity = {0.5, 0, -1};
    line.angle = 90;
    line.pattern_speed = 2;
    const FieldState at = FieldMotion(line).at(2);
    EXPECT_EQ(at.centre.x, 2);
    EXPECT_EQ(at.centre.z, 1);
    EXPECT_NEAR(at.cosine, std::cos(std::numbers::pi / 2 + 4), 1e-15);
    EXPECT_NEAR(at.sine, std::sin(std::numbers::pi / 2 + 4), 1e-15);

    FieldPlacement path;  // on a straight line a spline is exact, before and after too
    path.path_times = {0, 1, 3};
    path.path_positions = {0, 5, 0, 1, 5, 2, 3, 5, 6};
    const FieldMotion motion(path);
    for (const double t : {-1.0, 0.3, 2.0, 4.5}) {
        EXPECT_NEAR(motion.at(t).centre.x, t, 1e-15);
        EXPECT_NEAR(motion.at(t).centre.z, 2 * t, 1e-14);
        EXPECT_NEAR(motion.at(t).velocity.z, 2, 1e-14);
        EXPECT_EQ(motion.at(t).centre.y, 5);
    }
    EXPECT_TRUE(motion.changes());
}

TEST(FieldMotions, RefuseWhatIsNoMotion)
{
    const auto refusal = [](auto change) {
        FieldPlacement placement;
        change(placement);
        return message_of<ConfigError>([&] { FieldMotion motion(placement); });
    };
    EXPECT_TRUE(
        contains(refusal([](FieldPlacement& p) { p.growth_start = 1; }), "growth.start and growth.end"));
    EXPECT_TRUE(contains(refusal([](FieldPlacement& p) { p.growth_to = 2; }), "without growth.start"));
    EXPECT_TRUE(contains(refusal([](FieldPlacement& p) {
                             p.growth_start = 3;
                             p.growth_end = 2;
                         }),
                         "growth.end is 2, expected a time after growth.start, 3"));
    EXPECT_TRUE(contains(refusal([](FieldPlacement& p) { p.path_times = {1}; }), "path.times has 1 times"));
    EXPECT_TRUE(contains(refusal([](FieldPlacement& p) {
                             p.path_times = {1, 2};
                             p.path_positions = {0, 0, 0, 1, 1, 1};
                             p.velocity = {1, 0, 0};
                         }),
                         "path is given beside centre or velocity"));
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(ExternalFields);

}  // namespace
}  // namespace aureole::test::fields_test
