// What fields of initial conditions take from files, and glasses that are made.
#include "sim/run/field_inputs.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "sim/core/error.hpp"
#include "sim/core/spatial/box.hpp"
#include "sim/io/snapshots/snapshot_writer.hpp"
#include "tests/support/files/byte_writer.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_folder.hpp"

namespace aureole::test {
namespace {

/// The number that stands for site (x, y, z).
double number_at(int x, int y, int z) { return x + 10 * y + 100 * z; }

void expect_numbers(const ics::WhiteNoise& noise, int n)
{
    ASSERT_EQ(noise.n, n);
    ASSERT_EQ(noise.values.size(), static_cast<std::size_t>(n * n * n));
    for (int site = 0; site < n * n * n; ++site)
        ASSERT_EQ(noise.values[static_cast<std::size_t>(site)],
                  number_at(site / (n * n), site / n % n, site % n));
}

/// GRAFIC's records, x fastest.
std::string grafic(int n, std::endian order)
{
    ByteWriter file{order, {}};
    for (const int word : {16, n, n, n, 42, 16}) file.put<std::int32_t>(word);
    for (int z = 0; z < n; ++z) {
        file.put<std::int32_t>(4 * n * n);
        for (int k = 0; k < n * n; ++k) file.put(static_cast<float>(number_at(k % n, k / n, z)));
        file.put<std::int32_t>(4 * n * n);
    }
    return file.bytes;
}

template <class T>
std::string plain(int n)
{
    ByteWriter file;
    for (int site = 0; site < n * n * n; ++site)
        file.put(static_cast<T>(number_at(site / (n * n), site / n % n, site % n)));
    return file.bytes;
}

TEST(WhiteNoiseFile, IsReadInEveryLayout)
{
    const TemporaryFolder folder;
    const auto read = [&](const std::string& bytes) {
        write_bytes(folder / "noise", bytes);
        return run::read_white_noise(folder / "noise");
    };
    for (const int n : {1, 2, 3, 5, 8}) {
        expect_numbers(read(plain<float>(n)), n);
        expect_numbers(read(plain<double>(n)), n);
        expect_numbers(read(grafic(n, std::endian::little)), n);
        expect_numbers(read(grafic(n, std::endian::big)), n);
    }
}

TEST(WhiteNoiseFile, IsRefusedWhereItIsNoCube)
{
    const TemporaryFolder folder;
    const auto refusal = [&](std::string bytes) {
        write_bytes(folder / "noise", bytes);
        return message_of<IoError>([&] { run::read_white_noise(folder / "noise"); });
    };
    EXPECT_NE(refusal("").find("has 0 bytes"), std::string::npos);
    EXPECT_NE(refusal(plain<float>(3) + "abcd").find("has 112 bytes"), std::string::npos);
    EXPECT_NE(refusal(grafic(4, std::endian::little).substr(0, 300)).find("has 300 bytes"),
              std::string::npos);
    std::string damaged = grafic(4, std::endian::little);
    damaged[24] = 1;
    EXPECT_NE(refusal(damaged).find("plane 0"), std::string::npos);
    ByteWriter not_finite;
    for (int k = 0; k < 8; ++k) not_finite.put(k == 5 ? std::nan("") : 1.0);
    EXPECT_NE(refusal(not_finite.bytes).find("number 5"), std::string::npos);
    EXPECT_THROW(run::read_white_noise(folder / "none"), IoError);
}

class Load : public testing::Test {
protected:
    /// Eight sites in a box of side 4, one of them a little outside.
    void write_sites(double box, double beyond = 0.1)
    {
        Particles p(Backend::cpu, 8);
        for (std::size_t i = 0; i < 8; ++i) {
            p.mass.host()[i] = 1;
            p.view().position.store(static_cast<Index>(i), {0.5 * static_cast<double>(i), 1, 2});
        }
        p.view().position.store(7, {4 + beyond, 1, 2});
        io::SnapshotContent content;
        content.header.box_size = box;
        io::write_snapshot(folder / "sites.hdf5", p, content);
    }
    std::string refusal(ics::CosmologicalField field)
    {
        field.load_file = folder / "sites.hdf5";
        return message_of<ConfigError>([&] { run::read_field_inputs(field, universe, notes); });
    }

    TemporaryFolder folder;
    ics::Universe universe{{}, cosmology::LinearSpectrum::power_law(0)};
    std::vector<std::string> notes;
};

TEST_F(Load, IsScaledToATileOfSideOne)
{
    write_sites(4);
    ics::CosmologicalField field{.grid = 6, .load = ics::Load::glass, .load_file = folder / "sites.hdf5"};
    run::read_field_inputs(field, universe, notes);
    EXPECT_EQ(universe.tile.count, 3);  // 27 tiles of 8 sites are 6^3
    EXPECT_EQ(field.sites, 216u);
    ASSERT_EQ(universe.tile.sites.size(), 8u);
    EXPECT_EQ(universe.tile.sites[3].x, 0.375);
    EXPECT_NEAR(universe.tile.sites[7].x, 0.025, 1e-6);
    field.load = ics::Load::file;
    run::read_field_inputs(field, universe, notes);
    EXPECT_EQ(universe.tile.count, 1);
    EXPECT_EQ(field.sites, 8u);
}

TEST_F(Load, IsRefusedWithoutABoxOrAPossibleNumber)
{
    write_sites(0);
    EXPECT_NE(refusal({.load = ics::Load::file}).find("states no box"), std::string::npos);
    write_sites(4, 2);
    EXPECT_NE(refusal({.load = ics::Load::file}).find("particle 7"), std::string::npos);
    write_sites(4);
    EXPECT_NE(refusal({.grid = 5, .load = ics::Load::glass}).find("the 5^3 of field.grid"),
              std::string::npos);
    ics::CosmologicalField field{
        .grid = 5, .load = ics::Load::glass, .load_file = folder / "sites.hdf5", .tiles = 2};
    run::read_field_inputs(field, universe, notes);
    EXPECT_EQ(field.sites, 64u);
}

TEST_F(Load, NoiseOfAnotherVarianceIsTold)
{
    ByteWriter file;
    for (int k = 0; k < 4096; ++k) file.put(k % 2 == 0 ? 2.0 : -2.0);
    write_bytes(folder / "noise", file.bytes);
    ics::CosmologicalField field{.phases = ics::Phases::file, .phases_file = folder / "noise"};
    run::read_field_inputs(field, universe, notes);
    ASSERT_EQ(notes.size(), 1u);
    EXPECT_NE(notes[0].find("the mean square 4"), std::string::npos);
}

/// Mean |delta_k|^2 N, which is 1 for random sites, of the waves of 1 to 3 along an axis.
double power(const std::vector<Vec3>& sites)
{
    double sum = 0;
    for (int m = 1; m <= 3; ++m)
        for (const Vec3 k : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}, Vec3{1, 1, 0}}) {
            std::complex<double> wave;
            for (const Vec3 x : sites) wave += std::polar(1.0, 2 * std::numbers::pi * m * dot(k, x));
            sum += std::norm(wave) / static_cast<double>(sites.size()) / 12;
        }
    return sum;
}

/// The smallest separation, in units of the mean one.
double nearest_pair(const std::vector<Vec3>& sites)
{
    const Box unit{1};
    double least = 1;
    for (std::size_t i = 0; i < sites.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
            const Vec3 d = unit.nearest(sites[i] - sites[j]);
            least = std::min(least, dot(d, d));
        }
    return std::sqrt(least) * std::cbrt(static_cast<double>(sites.size()));
}

TEST(Glass, HasNoPowerOnLargeScalesAndNoClosePairs)
{
    const std::vector<Vec3> random = run::make_glass(12, 3, 0), glass = run::make_glass(12, 3);
    ASSERT_EQ(glass.size(), 1728u);
    EXPECT_GT(power(random), 0.3);
    EXPECT_LT(power(glass), 1e-3);
    EXPECT_LT(nearest_pair(random), 0.2);
    EXPECT_GT(nearest_pair(glass), 0.6);
    for (const Vec3 x : glass) EXPECT_TRUE(x.x >= 0 && x.x < 1 && x.y >= 0 && x.y < 1 && x.z >= 0 && x.z < 1);
}

TEST(Glass, DoesNotDependOnThreadsAndChangesWithTheSeed)
{
    const int before = omp_get_max_threads();
    omp_set_num_threads(1);
    const std::vector<Vec3> one = run::make_glass(8, 3, 5), other = run::make_glass(8, 4, 5);
    omp_set_num_threads(3);
    const std::vector<Vec3> three = run::make_glass(8, 3, 5);
    omp_set_num_threads(before);
    for (std::size_t i = 0; i < one.size(); ++i) {
        ASSERT_EQ(one[i].x, three[i].x);
        ASSERT_EQ(one[i].z, three[i].z);
    }
    EXPECT_NE(one[0].x, other[0].x);
}

}  // namespace
}  // namespace aureole::test
