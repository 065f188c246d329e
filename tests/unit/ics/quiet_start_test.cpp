// Quiet starts and contracted halos.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>

#include "ics/contraction.hpp"
#include "ics/disk/adaptation.hpp"
#include "ics/quiet_start.hpp"
#include "ics/sphere.hpp"
#include "sim/core/error.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/models/model_s.hpp"

namespace aureole::test::quiet_start_test {
namespace {

/// Disk and halo of model S.
ics::Config quiet_galaxy(int copies)
{
    ics::Config config = model_s(4000, 1, 2000);
    config.components.erase(config.components.begin() + 1);
    config.components[0].own.get<ics::DiskConfig>().method = ics::DiskMethod::moments;
    for (ics::Component& c : config.components) c.own.get<ics::QuietConfig>().copies = copies;
    return config;
}

void expect_no_momentum_and_no_harmonics(const ConstParticlesView& p)
{
    double x = 0, v = 0, z = 0;
    std::array<std::complex<double>, 6> harmonics{};
    for (Index i = 0; i < 4000; ++i) {
        const Vec3 at = p.position.load(i), speed = p.velocity.load(i);
        x += at.x;
        v += speed.y + speed.z;
        z += at.z;
        if (std::hypot(at.x, at.y) > 1) continue;
        for (int m = 1; m < 6; ++m) harmonics[m] += std::polar(1e-3, m * std::atan2(at.y, at.x));
    }
    EXPECT_NEAR(x, 0, 1e-9);
    EXPECT_NEAR(v, 0, 1e-9);
    EXPECT_NEAR(z, 0, 1e-9);
    for (int m = 1; m < 5; ++m) EXPECT_LT(std::abs(harmonics[m]), 1e-9) << m;
    EXPECT_GT(std::abs(harmonics[5]), 1e-4) << "five copies";
}

void expect_profile(const ConstParticlesView& p)
{
    int disk = 0, above = 0, halo = 0;
    double rotation = 0;
    for (Index i = 0; i < 4000; ++i) {
        const Vec3 at = p.position.load(i), v = p.velocity.load(i);
        const double radius = std::hypot(at.x, at.y);
        disk += radius < 2;
        above += std::abs(at.z) < 0.0549306;
        rotation += (at.x * v.y - at.y * v.x) / radius / 4000;
    }
    const auto mass = ics::make_mass_model(model_s_halo(1));
    for (Index i = 4000; i < 6000; ++i) {
        const Vec3 at = p.position.load(i);
        halo += std::sqrt(dot(at, at)) < 20;
    }
    // independent draws scatter by 31, 32 and 22; of 400 and 200 orbits, ten images each
    EXPECT_NEAR(disk, 4000 * (1 - 3 * std::exp(-2.0)), 11);
    EXPECT_NEAR(above, 2000, 40);
    EXPECT_NEAR(halo, 2000 * mass->enclosed_mass(20) / 25.9099048078, 11);
    EXPECT_GT(rotation, 0.6);
}

TEST(QuietStart, HasNoMomentumFewHarmonicsAndTheProfileWithLessNoise)
{
    // and who makes the conditions hears of spheres that are to settle
    ics::Config config = quiet_galaxy(5);
    config.components[0].own.get<ics::DiskConfig>().adapt = true;
    std::vector<std::string> notes;
    std::size_t moved = 0;
    const Particles p = make_initial_conditions(
        config,
        [&](std::size_t k, const ics::Report& report) {
            if (k == 1) notes.insert(notes.end(), report.notes.begin(), report.notes.end());
        },
        [&](const ParticlesView&, const ics::AdaptationTask& task) {
            moved = task.spheres.at(0).slot.n;
            EXPECT_NEAR(task.period, 16.394, 1e-3);  // of v_c^2 = 0.887326^2 - 0.276385^2, without the bulge
            return std::vector<std::string>{"settled"};
        });
    EXPECT_EQ(moved, 2000u);
    EXPECT_EQ(notes, std::vector<std::string>{"settled"});
    expect_no_momentum_and_no_harmonics(p.view());
    expect_profile(p.view());
}

TEST(QuietStart, RefusesOneCopy)
{
    EXPECT_NE(message_of<ConfigError>([] {
                  make_initial_conditions(quiet_galaxy(1));
              }).find("quiet is 1, expected 2 to 64"),
              std::string::npos);
}

/// Model S whose halo contracts, as made.
ics::Config contracting(ics::Contraction kind)
{
    ics::Config config = model_s(10, 10, 10);
    config.components[2].own.get<ics::ContractionConfig>().contraction = kind;
    return config;
}

TEST(Contraction, KeepsRadiusTimesMassOfEachShell)
{
    const auto before = ics::make_mass_model(model_s_halo(10));
    for (const auto kind : {ics::Contraction::blumenthal, ics::Contraction::gnedin}) {
        const auto mean = [kind](double r) {
            return kind == ics::Contraction::gnedin ? 0.85 * 80 * std::pow(r / 80, 0.8) : r;
        };
        // bulge by its formula, disk by the integral of Sigma tanh(sqrt(r^2 - R^2) / z_d) over its area
        const auto others = [](double r) {
            double disk = 0;
            constexpr int n = 4000;
            for (int k = 0; k < n; ++k) {
                const double radius = r * (k + 0.5) / n;
                disk +=
                    radius * std::exp(-radius) * std::tanh(std::sqrt(r * r - radius * radius) / 0.1) * r / n;
            }
            return disk + 0.2 * r * r / ((r + 0.2) * (r + 0.2));
        };
        const ics::Config config = ics::contracted(contracting(kind));
        ASSERT_EQ(config.components[2].model, ics::Model::table);
        const auto after = ics::make_mass_model(config.components[2]);
        for (const double r : {0.3, 1.0, 4.0, 30.0}) {  // of the contracted halo
            const double was = before->radius_enclosing(after->enclosed_mass(r));
            EXPECT_GT(was, r);
            const double inside = before->enclosed_mass(mean(was));
            EXPECT_NEAR(r * (others(mean(r)) + inside) / (was * inside * (1 + 1.2 / 25.9099048078)), 1, 1e-5)
                << r;
        }
        EXPECT_NEAR(after->enclosed_mass(1e4), 25.9099048078, 1e-6);
        EXPECT_TRUE(ics::make_sphere(config, 2));  // there is a distribution function
    }
}

TEST(Contraction, IsRefusedAloneAndForSpheresWithoutAnEnd)
{
    ics::Config config = contracting(ics::Contraction::blumenthal);
    config.components.erase(config.components.begin(), config.components.begin() + 2);
    EXPECT_NE(
        message_of<ConfigError>([&] { make_initial_conditions(config); }).find("nothing shares its centre"),
        std::string::npos);
    config = contracting(ics::Contraction::none);
    config.components[1].own.get<ics::ContractionConfig>().contraction = ics::Contraction::blumenthal;
    EXPECT_NE(
        message_of<ConfigError>([&] { make_initial_conditions(config); }).find("expected a nfw, einasto"),
        std::string::npos);
}

}  // namespace
}  // namespace aureole::test::quiet_start_test
