// The model `disk` as a component: what it makes, what it refuses, what it says of itself.
#include <gtest/gtest.h>
#include <omp.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "ics/check_config.hpp"
#include "ics/disk/disk_tilt.hpp"
#include "ics/model.hpp"
#include "ics/sphere.hpp"
#include "sim/core/error.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/models/model_s.hpp"

namespace aureole::test::disk_model_test {
namespace {

using ics::Config;
using ics::DiskConfig;
using ics::make_initial_conditions;

std::uint64_t fingerprint(const Particles& p)
{
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const Vec3Buffer* vectors : {&p.position, &p.velocity})
        for (const Buffer<double>* values : {&vectors->x, &vectors->y, &vectors->z})
            for (double value : values->host())
                hash = (hash ^ std::bit_cast<std::uint64_t>(value)) * 0x100000001b3;
    return hash;
}

DiskConfig& disk_of(Config& config) { return config.components[0].own.get<DiskConfig>(); }

/// Both shapes and both methods, with a thick disk beside a thin one.
Config two_disks()
{
    Config config = model_s(2000, 1, 500);
    config.components[1] = model_s_disk(2000);
    DiskConfig& thick = config.components[1].own.get<DiskConfig>();
    thick.scale_height = 0.3;
    thick.profile = ics::VerticalShape::exponential;
    thick.method = ics::DiskMethod::moments;
    config.components[1].mass = 0.1;
    return config;
}

TEST(Disk, IsTheSameForAnyNumberOfThreadsAndOnEveryMachine)
{
    const int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    const std::uint64_t one = fingerprint(make_initial_conditions(two_disks()));
    omp_set_num_threads(3);
    const std::uint64_t three = fingerprint(make_initial_conditions(two_disks()));
    omp_set_num_threads(threads);
    EXPECT_EQ(one, three);
    EXPECT_EQ(one, 65283962750433577u);  // recorded once
}

TEST(Disk, SharesItsMassAndRotatesAboutZ)
{
    Config config = model_s(1000);
    config.components.resize(1);
    const Particles p = make_initial_conditions(config);
    double momentum = 0;
    for (std::size_t i = 0; i < 1000; ++i) {
        EXPECT_DOUBLE_EQ(p.mass.host()[i], 1e-3);
        momentum += p.mass.host()[i] * (p.position.x.host()[i] * p.velocity.y.host()[i] -
                                        p.position.y.host()[i] * p.velocity.x.host()[i]);
    }
    EXPECT_GT(momentum, 0.8);  // a mean radius of 2, speeds up to 0.61
    EXPECT_LT(momentum, 1.2);
}

TEST(Disk, IsTurnedAsItsOrbitIsSeenFromIt)
{
    // by -90 degrees about x, then by -90 about z: the spin goes from z to y to x
    Config config = model_s(200);
    config.components.resize(1);
    disk_of(config).method = ics::DiskMethod::moments;
    const Particles flat = make_initial_conditions(config);
    ics::DiskTilt& tilt = config.components[0].own.get<ics::DiskTilt>();
    tilt = {.inclination = 90, .argument_of_pericentre = 90};
    const Particles turned = make_initial_conditions(config);
    for (std::size_t i = 0; i < 200; ++i) {
        EXPECT_NEAR(turned.position.x.host()[i], flat.position.z.host()[i], 1e-12);
        EXPECT_NEAR(turned.position.y.host()[i], -flat.position.x.host()[i], 1e-12);
        EXPECT_NEAR(turned.position.z.host()[i], -flat.position.y.host()[i], 1e-12);
        EXPECT_NEAR(turned.velocity.z.host()[i], -flat.velocity.y.host()[i], 1e-12);
    }
    tilt.inclination = 180;  // retrograde
    const Particles back = make_initial_conditions(config);
    for (std::size_t i = 0; i < 200; ++i)
        EXPECT_NEAR(back.position.z.host()[i], -flat.position.z.host()[i], 1e-12);
}

TEST(Disk, AndSpheresAboutItFeelEachOther)
{
    Config config = model_s(10);
    EXPECT_EQ(ics::companions(config, 0), (std::vector<std::size_t>{1, 2}));
    EXPECT_EQ(ics::companions(config, 1), (std::vector<std::size_t>{0, 2}));
    config.components[0].position.x = 1;
    EXPECT_EQ(ics::companions(config, 1), (std::vector<std::size_t>{2}));
}

TEST(Disk, ReportsWhatCameOut)
{
    const Config config = model_s(10);
    const ics::Report report = make_model(config.components[0])->report(config, 0);
    const auto column = [&](const char* name) {
        return std::get<std::vector<double>>(report.table.find(name)->values);
    };
    ASSERT_EQ(report.table.rows, 8u);
    EXPECT_EQ(column("R")[4], 2.5);
    EXPECT_NEAR(column("v_c")[4], 0.89675603, 1e-6);
    EXPECT_NEAR(column("Q")[4], 1.5, 0.05);
    EXPECT_NEAR(column("X2")[4], 4.171639, 0.1);
    EXPECT_NEAR(column("sigma_z")[4], 0.06814375, 2e-4);
    EXPECT_NEAR(column("height")[4], 0.0549306, 1e-6);
    ASSERT_GE(report.notes.size(), 2u);
    EXPECT_TRUE(contains(report.notes[0], "the disk makes 0.470 of v_c^2"));
    for (const std::string& note : report.notes)
        EXPECT_EQ(note.find("scale_height"), std::string::npos) << note;
}

TEST(Disk, TellsWhatItReportsWhenItIsMade)
{
    Config config = model_s(10);
    config.components.erase(config.components.begin() + 1);
    disk_of(config).method = ics::DiskMethod::moments;
    std::vector<std::size_t> heard;
    make_initial_conditions(config, [&](std::size_t k, const ics::Report& report) {
        heard.push_back(k);
        EXPECT_EQ(report.table.rows, k == 0 ? 8u : 0u);
        if (k > 0) return;
        const ics::Report alone = make_model(config.components[k])->report(config, k);
        EXPECT_EQ(report.notes, alone.notes);
        for (std::size_t c = 0; c < report.table.columns.size(); ++c)
            EXPECT_EQ(report.table.columns[c].values, alone.table.columns[c].values);
    });
    EXPECT_EQ(heard, (std::vector<std::size_t>{0, 1}));
}

TEST(Disk, ThatIsThickOrColdIsWarnedOf)
{
    Config config = model_s(10);
    disk_of(config).scale_height = 0.25;
    disk_of(config).q = 0.8;
    std::string all;
    for (const std::string& note : make_model(config.components[0])->report(config, 0).notes)
        all += note + '\n';
    EXPECT_TRUE(contains(all, "scale_height is 0.25 of scale_length"));
    EXPECT_TRUE(contains(all, "Q is below 1"));
}

struct BadDisk {
    const char* names;  ///< what the message must contain
    void (*spoil)(Config&);
};

class BadDisks : public testing::TestWithParam<BadDisk> {};

TEST_P(BadDisks, AreRefusedByComponentAndKey)
{
    Config config = model_s(10, 10, 10);
    GetParam().spoil(config);
    const std::string message = message_of<ConfigError>([&] { make_initial_conditions(config); });
    EXPECT_TRUE(contains(message, GetParam().names));
    EXPECT_TRUE(contains(message, "component"));
}

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

INSTANTIATE_TEST_SUITE_P(
    Each, BadDisks,
    testing::Values(
        BadDisk{"component 0 (disk): has no disk.profile", [](Config& c) { disk_of(c).profile.reset(); }},
        BadDisk{"exactly one of disk.q and disk.sigma_0", [](Config& c) { disk_of(c).sigma_0 = 0.4; }},
        BadDisk{"exactly one of disk.q and disk.sigma_0", [](Config& c) { disk_of(c).q.reset(); }},
        BadDisk{"disk.q is -1", [](Config& c) { disk_of(c).q = -1; }},
        BadDisk{"disk.sigma_0 is nan",
                [](Config& c) {
                    disk_of(c).q.reset();
                    disk_of(c).q_radius.reset();
                    disk_of(c).sigma_0 = nan;
                }},
        BadDisk{"disk.q_radius is set, expected disk.q",
                [](Config& c) {
                    disk_of(c).q.reset();
                    disk_of(c).sigma_0 = 0.4;
                }},
        BadDisk{"disk.q_radius is 16, expected 0.001 to 9.2", [](Config& c) { disk_of(c).q_radius = 16; }},
        BadDisk{"disk.q_radius is nan, expected 0.001 to 9.2", [](Config& c) { disk_of(c).q_radius = nan; }},
        BadDisk{"disk.scale_length is 0", [](Config& c) { disk_of(c).scale_length = 0; }},
        BadDisk{"disk.scale_height is -0.1", [](Config& c) { disk_of(c).scale_height = -0.1; }},
        BadDisk{"expected at most disk.scale_length", [](Config& c) { disk_of(c).scale_height = 1.5; }},
        BadDisk{"expected at least 0.001 of", [](Config& c) { disk_of(c).scale_height = 1e-4; }},
        BadDisk{"disk.inclination is nan",
                [](Config& c) { c.components[0].own.get<ics::DiskTilt>().inclination = nan; }},
        BadDisk{"about the same centre are 0 and 0: expected one plane",
                [](Config& c) {
                    c.components[1] = model_s_disk(10);
                    c.components[0].own.get<ics::DiskTilt>().inclination = 30;
                }},
        BadDisk{"mass is 0", [](Config& c) { c.components[0].mass = 0; }},
        BadDisk{"particles is 0", [](Config& c) { c.components[0].particles = 0; }},
        BadDisk{"a disk has disk.scale_length", [](Config& c) { c.components[0].scale_radius = 2; }},
        BadDisk{"truncation_radius is set", [](Config& c) { c.components[0].truncation_radius = 2; }},
        BadDisk{"truncation_width is set", [](Config& c) { c.components[0].truncation_width = 2; }},
        BadDisk{"anisotropy_radius is set", [](Config& c) { c.components[0].anisotropy_radius = 2; }},
        BadDisk{"potential: own is set", [](Config& c) { c.components[0].potential = ics::Potential::own; }},
        BadDisk{"velocities: cold is set",
                [](Config& c) { c.components[0].velocities = ics::Velocities::cold; }},
        BadDisk{"component 1 (hernquist): shares its centre with component 0 (disk)",
                [](Config& c) {
                    c.components.pop_back();
                    c.components[1].potential.reset();
                }},
        BadDisk{"a gaussian tail has the truncation_radius alone",
                [](Config& c) { c.components[2].truncation_width = 3; }},
        BadDisk{"has no truncation_radius", [](Config& c) { c.components[2].truncation_radius.reset(); }}));

TEST(Disk, ThatIsHeavyInACoreHasNoPlummerSphereAboutIt)
{
    Config config;
    config.components = {model_s_disk(10),
                         {.model = ics::Model::plummer,
                          .particles = 10,
                          .mass = 0.5,
                          .scale_radius = 3,
                          .potential = ics::Potential::total}};
    const std::string message = message_of<ConfigError>([&] { make_initial_conditions(config); });
    EXPECT_TRUE(contains(message, "component 1 (plummer)"));
    EXPECT_TRUE(contains(message, "negative at the energy of a body at rest at radius"));
}

}  // namespace
}  // namespace aureole::test::disk_model_test
