#include "sim/io/fields/coefficient_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <limits>
#include <random>
#include <sstream>

#include "sim/core/error.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_folder.hpp"

namespace aureole::test {
namespace {

using io::CoefficientFile;
using io::Hdf5File;

/// Every number differs; two moments, variances in both.
CoefficientFile sample(int n_max = 2, int l_max = 2)
{
    CoefficientFile file;
    file.name = "a galaxy";
    file.n_max = n_max;
    file.l_max = l_max;
    file.scale = 2.5;
    file.units = galactic_units;
    file.gravitational_constant = galactic_units.gravitational_constant();
    file.config = "n_max: 2\nl_max: 2\n";
    file.provenance = {{"Version", "0.1"}, {"Mass", 0.75}, {"Particles", std::int64_t{12}}};
    for (int k = 0; k < 2; ++k) {
        io::CoefficientMoment moment{0.1 + k, {1.0 + k, 2, 3}, {}, {}};
        for (std::size_t i = 0; i < file.size(); ++i) {
            const double x = 1.0 / (3.0 + static_cast<double>(i) + 100 * k);
            moment.values.emplace_back(x, -2 * x);
            moment.variances.emplace_back(x * x, 4 * x * x);
        }
        file.moments.push_back(moment);
    }
    return file;
}

void expect_equal(const CoefficientFile& a, const CoefficientFile& b)
{
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.basis, b.basis);
    EXPECT_EQ(a.eta, b.eta);
    EXPECT_EQ(a.n_max, b.n_max);
    EXPECT_EQ(a.l_max, b.l_max);
    EXPECT_EQ(a.scale, b.scale);
    EXPECT_EQ(a.units, b.units);
    EXPECT_EQ(a.gravitational_constant, b.gravitational_constant);
    ASSERT_EQ(a.moments.size(), b.moments.size());
    for (std::size_t k = 0; k < a.moments.size(); ++k) {
        EXPECT_EQ(a.moments[k].time, b.moments[k].time);
        EXPECT_EQ(a.moments[k].centre.x, b.moments[k].centre.x);
        EXPECT_EQ(a.moments[k].centre.z, b.moments[k].centre.z);
        EXPECT_EQ(a.moments[k].values, b.moments[k].values);
        EXPECT_EQ(a.moments[k].variances, b.moments[k].variances);
    }
}

TEST(CoefficientFile, ComesBackAsItWasFromBothLayouts)
{
    const TemporaryFolder folder;
    CoefficientFile plain = sample(0, 3);
    plain.basis = "clutton-brock";
    plain.eta = 0.5;
    plain.units.reset();
    plain.gravitational_constant = 1;
    for (auto& moment : plain.moments) moment.variances.clear();
    for (const char* name : {"c.hdf5", "c.txt"})
        for (const CoefficientFile& file : {sample(), plain}) {
            SCOPED_TRACE(name);
            io::write_coefficients(folder / name, file);
            EXPECT_TRUE(io::is_coefficient_file(folder / name));
            expect_equal(io::read_coefficients(folder / name), file);
        }
    io::write_coefficients(folder / "c.hdf5", sample());
    EXPECT_EQ(io::read_coefficients(folder / "c.hdf5").config, sample().config);
    auto provenance = io::read_coefficients(folder / "c.hdf5").provenance;
    std::ranges::sort(provenance);
    auto expected = sample().provenance;
    std::ranges::sort(expected);
    EXPECT_EQ(provenance, expected);
}

TEST(CoefficientFile, HasTheLayoutOfExp)
{
    const TemporaryFolder folder;
    io::write_coefficients(folder / "c.hdf5", sample());
    const auto file = Hdf5File::open(folder / "c.hdf5");
    EXPECT_EQ(
        file.attribute_names("/"),
        (std::vector<std::string>{"CoefficientOutputVersion", "G", "a", "basis", "config", "eta", "forceID",
                                  "geometry", "lmax", "name", "nmax", "normalisation", "scale"}));
    EXPECT_EQ(file.text("/", "geometry"), "sphere");
    EXPECT_EQ(file.number("/", "nmax"), 3);  // radial functions, not the largest order
    EXPECT_EQ(file.number("/", "lmax"), 2);
    EXPECT_EQ(file.values<std::uint32_t>("/count"), std::vector<std::uint32_t>{2});
    const auto units = file.unit_table("/Units");
    ASSERT_EQ(units.size(), 4u);
    EXPECT_EQ(units[0], (io::UnitRow{"length", "cm", kpc_cm}));
    EXPECT_EQ(units[3], (io::UnitRow{"G", "none", galactic_units.gravitational_constant()}));
    EXPECT_EQ(file.members("/snapshots"), (std::vector<std::string>{"00000000", "00000001"}));
    EXPECT_EQ(file.number("/snapshots/00000001", "Time"), 1.1);
    EXPECT_EQ(file.numbers("/snapshots/00000001", "Center"), (std::vector<double>{2, 2, 3}));
    EXPECT_EQ(file.numbers("/snapshots/00000000", "Rotation"),
              (std::vector<double>{1, 0, 0, 0, 1, 0, 0, 0, 1}));
    const auto set = file.dataset("/snapshots/00000000/coefficients");
    EXPECT_TRUE(set.layout().complex);
    EXPECT_EQ(set.layout().bytes, 16u);
    EXPECT_EQ(set.rows(), 6u);
    EXPECT_EQ(set.width(), 3u);
    std::vector<std::complex<double>> row(3);
    set.read_rows<std::complex<double>>(4, row);  // l = 2, m = 1
    EXPECT_EQ(row[1], sample().moments[0].values[sample().index(1, 2, 1)]);
}

TEST(CoefficientFile, RealAndComplexDatasetsAreNotMistakenForEachOther)
{
    const TemporaryFolder folder;
    {
        auto file = Hdf5File::create(folder / "f.hdf5");
        file.write_dataset<std::complex<double>>("/z", std::vector<std::complex<double>>{{1, 2}});
        file.write_dataset<double>("/x", std::vector<double>{1});
        file.close();
    }
    const auto file = Hdf5File::open(folder / "f.hdf5");
    EXPECT_EQ(file.values<std::complex<double>>("/z")[0], std::complex<double>(1, 2));
    EXPECT_TRUE(contains(message_of<IoError>([&] { file.values<double>("/z"); }),
                         "/z holds complex numbers, expected real ones"));
    EXPECT_TRUE(contains(message_of<IoError>([&] { file.values<std::complex<double>>("/x"); }),
                         "/x holds real numbers, expected complex ones"));
    EXPECT_TRUE(contains(message_of<IoError>([&] { file.unit_table("/x"); }), "no table of name, unit"));
}

TEST(CoefficientFile, ContentsThatMakeNoSenseAreNotWritten)
{
    const TemporaryFolder folder;
    const auto refusal = [&](const std::function<void(CoefficientFile&)>& spoil) {
        CoefficientFile file = sample();
        spoil(file);
        const std::string text =
            message_of<IoError>([&] { io::write_coefficients(folder / "c.hdf5", file); });
        EXPECT_TRUE(contains(text, "c.hdf5: "));
        EXPECT_FALSE(std::filesystem::exists(folder / "c.hdf5"));
        return text;
    };
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(
        contains(refusal([](auto& f) { f.basis = "bessel"; }), "basis is 'bessel', expected hernquist"));
    EXPECT_TRUE(contains(refusal([](auto& f) { f.eta = 0.5; }), "eta is 0.5, expected 1"));
    EXPECT_TRUE(contains(refusal([](auto& f) { f.l_max = -1; }), "l_max = -1"));
    EXPECT_TRUE(contains(refusal([](auto& f) { f.n_max = 3; }), "18 coefficients, expected 24"));
    EXPECT_TRUE(contains(refusal([](auto& f) { f.scale = 0; }), "scale is 0"));
    EXPECT_TRUE(contains(refusal([&](auto& f) { f.gravitational_constant = nan; }), "G is nan"));
    EXPECT_TRUE(contains(refusal([](auto& f) { f.units->mass_g = 0; }), "units"));
    EXPECT_TRUE(contains(refusal([](auto& f) { f.moments.clear(); }), "no moment"));
    EXPECT_TRUE(contains(refusal([](auto& f) { f.moments[1].time = 0.1; }), "moment 1: the time is 0.1"));
    EXPECT_TRUE(contains(refusal([&](auto& f) { f.moments[0].centre.y = nan; }), "moment 0: the centre"));
    EXPECT_TRUE(contains(refusal([&](auto& f) {
                             f.moments[1].values[7] = {0, nan};
                         }),
                         "moment 1: coefficients: row 2, n = 1 is (0, nan)"));
    EXPECT_TRUE(contains(refusal([](auto& f) { f.moments[0].variances.pop_back(); }), "17 variances"));
}

/// A one-moment file made by hand, with attributes as the test wants them.
struct HandMade {
    std::string geometry = "sphere", basis = "hernquist-ostriker", normalisation = "";
    int lmax = 0, nmax = 1;
    double eta = 1, scale = 1, a = 1, turn = 1;
    std::uint64_t rows = 1, count = 1;
    std::string unit = "none";

    std::string refusal(const TemporaryFolder& folder) const
    {
        {
            auto file = Hdf5File::create(folder / "h.hdf5");
            file.write_attribute("/", "geometry", std::string_view(geometry));
            if (!basis.empty()) file.write_attribute("/", "basis", std::string_view(basis));
            if (!normalisation.empty())
                file.write_attribute("/", "normalisation", std::string_view(normalisation));
            file.write_attribute("/", "lmax", lmax);
            file.write_attribute("/", "nmax", nmax);
            file.write_attribute("/", "eta", eta);
            file.write_attribute("/", "scale", scale);
            file.write_attribute("/", "a", a);
            file.write_unit_table(
                "/Units",
                std::vector<io::UnitRow>{
                    {"length", unit, 1}, {"mass", "none", 1}, {"velocity", "none", 1}, {"G", "none", 1}});
            file.write_scalar<std::uint64_t>("/count", count);
            file.create_group("/snapshots");
            const std::string path = "/snapshots/00000000";
            file.create_group(path);
            file.write_attribute(path, "Time", 0.0);
            file.write_attribute(path, "Rotation", std::array<double, 9>{turn, 0, 0, 0, 1, 0, 0, 0, 1});
            file.create_dataset(path + "/coefficients", io::NumberType::c128, rows, 1)
                .write_rows<std::complex<double>>(0, std::vector<std::complex<double>>(rows));
            file.close();
        }
        return message_of<IoError>([&] { io::read_coefficients(folder / "h.hdf5"); });
    }
};

TEST(CoefficientFile, FilesThatContradictThemselvesAreRefusedByName)
{
    const TemporaryFolder folder;
    EXPECT_TRUE(contains(HandMade{.geometry = "cylinder"}.refusal(folder), "geometry of / is 'cylinder'"));
    EXPECT_TRUE(contains(HandMade{.basis = "bessel"}.refusal(folder), "h.hdf5: basis is 'bessel'"));
    EXPECT_TRUE(
        contains(HandMade{.basis = ""}.refusal(folder), "no attribute basis: not a coefficient file"));
    EXPECT_TRUE(contains(HandMade{.normalisation = "unit"}.refusal(folder), "normalisation of / is 'unit'"));
    EXPECT_TRUE(contains(HandMade{.lmax = -1}.refusal(folder), "lmax of / is -1"));
    EXPECT_TRUE(contains(HandMade{.nmax = 0}.refusal(folder), "nmax of / is 0"));
    EXPECT_TRUE(contains(HandMade{.lmax = 2000000000}.refusal(folder), "lmax of / is 2000000000"));
    EXPECT_TRUE(
        contains(HandMade{.lmax = 256, .nmax = 257}.refusal(folder), "/snapshots: 1 moments of 8520321"));
    EXPECT_TRUE(contains(HandMade{.lmax = 1}.refusal(folder), "coefficients is [1, 1], expected [3, 1]"));
    EXPECT_TRUE(contains(HandMade{.eta = 0.5}.refusal(folder), "eta is 0.5"));
    EXPECT_TRUE(contains(HandMade{.scale = 2}.refusal(folder), "scale and a of / are 2 and 1"));
    EXPECT_TRUE(contains(HandMade{.turn = 0.5}.refusal(folder), "Rotation of /snapshots/00000000"));
    EXPECT_TRUE(contains(HandMade{.count = 2}.refusal(folder), "/count is 2, but /snapshots has 1"));
    EXPECT_TRUE(contains(HandMade{.unit = "mile"}.refusal(folder), "/Units: expected length in cm"));
}

void store(const std::filesystem::path& file, const std::string& bytes)
{
    std::ofstream(file, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

TEST(CoefficientFile, DamagedFilesAreRefusedOrReadAsValidOnes)
{
    const TemporaryFolder folder;
    for (const std::string name : {"c.hdf5", "c.txt"}) {
        io::write_coefficients(folder / name, sample());
        const std::string bytes = bytes_of(folder / name);
        std::mt19937 random(11);
        int refused = 0;
        const auto read = [&](const std::string& damaged) {
            store(folder / name, damaged);
            try {
                io::expect_valid(io::read_coefficients(folder / name), "what was read");
            } catch (const IoError& error) {
                EXPECT_TRUE(contains(error.what(), name));
                ++refused;
            }
        };
        constexpr int trials = 200;
        for (int trial = 0; trial < trials; ++trial) {
            std::string damaged = bytes;
            damaged[random() % bytes.size()] ^= static_cast<char>(1 + random() % 255);
            read(damaged);
        }
        EXPECT_GT(refused, 0);
        EXPECT_LT(refused, trials);
        refused = 0;
        for (int trial = 0; trial < 40; ++trial) read(bytes.substr(0, random() % (bytes.size() - 100)));
        EXPECT_EQ(refused, 40);
    }
}

class CoefficientText : public testing::Test {
protected:
    CoefficientFile read(const std::string& text)
    {
        store(folder / "t.txt", text);
        return io::read_coefficients(folder / "t.txt");
    }
    std::string refusal(const std::string& text)
    {
        return message_of<IoError>([&] { read(text); });
    }
    TemporaryFolder folder;
};

TEST_F(CoefficientText, RowsInAnyOrderWithLittleHeader)
{
    const CoefficientFile file =
        read("# made by hand\n# basis: hernquist-ostriker\n0 1 1 3 4\n0,1,0,2,0\n0 0 0 1 0 # the mass\n");
    EXPECT_EQ(file.l_max, 1);
    EXPECT_EQ(file.scale, 1);
    EXPECT_EQ(file.gravitational_constant, 1);
    EXPECT_EQ(file.moments[0].time, 0);
    EXPECT_EQ(file.moments[0].values, (std::vector<std::complex<double>>{1, 2, {3, 4}}));
}

TEST_F(CoefficientText, MistakesAreNamedWithTheirLine)
{
    const std::string basis = "# basis: clutton-brock\n";
    EXPECT_TRUE(contains(refusal("0 0 0 1 0\n"), "t.txt: no line `# basis:"));
    EXPECT_TRUE(contains(refusal("# basis: bessel\n0 0 0 1 0\n"), "basis is 'bessel'"));
    EXPECT_TRUE(contains(refusal(basis), "holds no moment"));
    EXPECT_TRUE(contains(refusal(basis + "0 0 0 1\n"), "t.txt, line 2: found 4 columns"));
    EXPECT_TRUE(contains(refusal(basis + "0 0 1 1 0\n"), "m = 1 above l = 0"));
    EXPECT_TRUE(contains(refusal(basis + "-1 0 0 1 0\n"), "column 1 (n): found '-1'"));
    EXPECT_TRUE(contains(refusal(basis + "0 9999999 0 1 0\n"), "column 2 (l)"));
    EXPECT_TRUE(contains(refusal(basis + "0 0 0 inf 0\n"), "column 4 (S): found 'inf'"));
    EXPECT_TRUE(contains(refusal(basis + "0 0 0 1 0\n0 0 0 1 0\n"), "2 rows, expected 1"));
    EXPECT_TRUE(
        contains(refusal(basis + "1 0 0 1 0\n1 0 0 1 0\n"), "line 3: n = 1, l = 0, m = 0 is given twice"));
    EXPECT_TRUE(contains(refusal(basis + "0 256 0 1 0\n"), "1 rows, expected 33153"));
    EXPECT_TRUE(contains(refusal(basis + "# n_max: 0\n1 0 0 1 0\n"), "header says n_max = 0"));
    EXPECT_TRUE(contains(refusal(basis + "# scale: wide\n0 0 0 1 0\n"), "line 2: scale: found 'wide'"));
    EXPECT_TRUE(contains(refusal(basis + "# centre: 1 2\n0 0 0 1 0\n"), "expected x y z"));
    EXPECT_TRUE(contains(refusal(basis + "# units: 1 kpc\n0 0 0 1 0\n"), "units: found '1 kpc'"));
}

}  // namespace
}  // namespace aureole::test
