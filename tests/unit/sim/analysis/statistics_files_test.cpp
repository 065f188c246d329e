// Mass functions of a catalogue that was counted by hand, linear theory against tables, and what files hold
// of both.
#include "sim/analysis/statistics_files.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <numbers>

#include "sim/core/error.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_folder.hpp"

namespace aureole::test {
namespace {

using run::CosmologyConfig;
using run::LinearTheory;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// The universe of the tables.
CosmologyConfig universe()
{
    CosmologyConfig config;
    config.h = 0.7;
    config.omega_m = 0.3;
    config.omega_b = 0.045;
    config.spectral_index = 0.96;
    config.sigma_8 = 0.8;
    return config;
}

/// Masses in 1e10 Msun/h.
Table groups()
{
    Table table{5, {}};
    table.columns.push_back({"GroupLen", "", {}, 1, std::vector<std::int64_t>{1000, 500, 100, 32, 32}});
    table.columns.push_back({"GroupMass", "", {0, 1, 0}, 1, std::vector<double>{2000, 1000, 200, 64, 37}});
    table.columns.push_back(
        {"Group_M_Mean200", "", {0, 1, 0}, 1, std::vector<double>{1500, 1100, nan, 0, 90}});
    return table;
}

template <class T>
std::vector<T> values(const Table& table, const std::string& name)
{
    const Column* const column = table.find(name);
    EXPECT_TRUE(column) << name;
    return column ? std::get<std::vector<T>>(column->values) : std::vector<T>{};
}

using Counts = std::vector<std::int64_t>;

TEST(MassFunctionTable, HasTheCountsOfEveryKindOfMass)
{
    const Table table = run::mass_function_table(groups(), {1e10, 8000, 1}, 2, nullptr);
    // half decades from 10^11.5, which hold 64 and less; 10^13.5 is 3162, above all
    ASSERT_EQ(table.rows, 4u);
    EXPECT_NEAR(std::log10(values<double>(table, "MassLower").front()), 11.5, 1e-12);
    EXPECT_NEAR(std::log10(values<double>(table, "MassUpper").back()), 13.5, 1e-12);
    EXPECT_EQ(values<std::int64_t>(table, "Count_FoF"), (Counts{2, 1, 0, 2}));
    // 32^-0.6 is 1/8: 56, and 32.4 just above the edge at 31.6; 500^-0.6 takes 1000 to the bin before
    EXPECT_EQ(values<std::int64_t>(table, "Count_FoFWarren"), (Counts{2, 1, 1, 1}));
    EXPECT_EQ(values<std::int64_t>(table, "Count_Mean200"), (Counts{1, 0, 0, 2}));
    const double shells = 8000 * std::numbers::ln10 / 2;
    EXPECT_NEAR(values<double>(table, "DnDlnM_FoF")[3], 2 / shells, 1e-15);
    EXPECT_NEAR(values<double>(table, "Error_FoF")[3], std::sqrt(2) / shells, 1e-15);
    EXPECT_EQ(values<double>(table, "Error_FoF")[2], 0);
    EXPECT_FALSE(table.find("Fit_warren"));
}

TEST(MassFunctionTable, LeavesOutSpheresAroundCentresInALargerGroup)
{
    Table table = groups();
    // the second group lies in the sphere of the first, around the box; its sphere is no less heavy
    table.columns.push_back({"GroupPos",
                             "",
                             {1, 0, 0},
                             3,
                             std::vector<double>{0.5, 5, 5, 19.9, 5, 5, 3, 3, 3, 4, 4, 4, 10, 10, 10}});
    table.columns.push_back(
        {"Group_R_Mean200", "", {1, 0, 0}, 1, std::vector<double>{0.8, 1.2, nan, 0, 0.3}});
    const Table counted = run::mass_function_table(table, {1e10, 8000, 1, 20}, 2, nullptr);
    EXPECT_EQ(values<std::int64_t>(counted, "Count_Mean200"), (Counts{1, 0, 0, 1}));
    EXPECT_EQ(values<std::int64_t>(counted, "Count_FoF"), (Counts{2, 1, 0, 2}));
    const Table open = run::mass_function_table(table, {1e10, 8000, 1, 0}, 2, nullptr);
    EXPECT_EQ(values<std::int64_t>(open, "Count_Mean200"), (Counts{1, 0, 0, 2}));
}

TEST(MassFunctionTable, HasFitsThatAreMeansOverTheBins)
{
    const auto theory = LinearTheory::of(universe(), 1);
    ASSERT_TRUE(theory);
    Table from_9e12;  // each bin is an integral: few of them, about 1e13
    from_9e12.rows = 2;
    from_9e12.columns.push_back({"GroupLen", "", {}, 1, std::vector<std::int64_t>{1000000, 1000000}});
    from_9e12.columns.push_back({"GroupMass", "", {0, 1, 0}, 1, std::vector<double>{900, 1255}});
    const Table fine = run::mass_function_table(from_9e12, {1e10, 8000, 1}, 100, &*theory);
    const auto lower = values<double>(fine, "MassLower"), upper = values<double>(fine, "MassUpper");
    std::size_t row = 0;
    while (upper[row] <= 1.0001e13) ++row;
    for (const auto& [fit, expected] : {std::pair{"warren", 4.799e-4}, {"tinker", 5.130e-4}}) {
        const double found = values<double>(fine, std::string("Fit_") + fit)[row];
        // the table's row is 1e13; a bin of a hundredth of a decade changes by 2 %
        EXPECT_NEAR(found / expected, 1, 0.015) << fit << " " << lower[row];
        const double middle = theory->mass_function(1)(std::sqrt(lower[row] * upper[row]), fit);
        EXPECT_NEAR(found / middle, 1, 1e-4) << fit;
    }
    // a wide bin holds the mean of the narrow ones in it
    const Table wide = run::mass_function_table(from_9e12, {1e10, 8000, 1}, 10, &*theory);
    const double begin = values<double>(wide, "MassLower")[1], end = values<double>(wide, "MassUpper")[1];
    double sum = 0;
    int n = 0;
    const auto narrow = values<double>(fine, "Fit_warren");
    for (std::size_t i = 0; i < fine.rows; ++i)
        if (lower[i] > 0.999 * begin && upper[i] < 1.001 * end) {
            sum += narrow[i];
            ++n;
        }
    ASSERT_EQ(n, 10);
    EXPECT_NEAR(values<double>(wide, "Fit_warren")[1] / (sum / n), 1, 1e-5);
}

TEST(MassFunctionTable, OfNoGroupsHasNoRows)
{
    Table none = groups();
    none.rows = 0;
    for (Column& column : none.columns) std::visit([](auto& v) { v.clear(); }, column.values);
    const auto theory = LinearTheory::of(universe(), 1);
    const Table table = run::mass_function_table(none, {1e10, 8000, 1}, 5, &*theory);
    EXPECT_EQ(table.rows, 0u);
    EXPECT_TRUE(table.find("Fit_crocce"));
    EXPECT_THROW(run::mass_function_table(none, {1, 0, 1}, 5, nullptr), ArgumentError);
    none.columns.pop_back();
    none.columns.pop_back();
    EXPECT_TRUE(contains(message_of<IoError>([&] {
                             run::mass_function_table(none, {1, 1, 1}, 5, nullptr);
                         }),
                         "GroupMass"));
}

TEST(LinearTheory, GrowsWithTheSquareOfTheGrowthFactor)
{
    const auto theory = LinearTheory::of(universe(), 1);
    ASSERT_TRUE(theory);
    EXPECT_NEAR(theory->power(0.1, 1) / 5424.683, 1, 1e-6);
    EXPECT_NEAR(theory->power(0.1, 0.5) / theory->power(0.1, 1), 0.6118057533 * 0.6118057533, 1e-9);
    EXPECT_NEAR(theory->mass_function(0.5).sigma(1e13) / 1.42484, 0.6118057533, 1e-5);
}

TEST(LinearTheory, IsThereWhereTheConfigurationNamesASpectrum)
{
    CosmologyConfig config;
    EXPECT_FALSE(LinearTheory::of(config, 1));
    config.omega_m = 0.3;
    config.h = 0.7;
    EXPECT_FALSE(LinearTheory::of(config, 1));
    config.sigma_8 = 0.8;
    EXPECT_TRUE(contains(message_of<ConfigError>([&] { LinearTheory::of(config, 1); }),
                         "cosmology.spectral_index is not given"));
    config.spectral_index = 0.96;
    config.spectrum_file = "table.txt";
    EXPECT_TRUE(contains(message_of<ConfigError>([&] { LinearTheory::of(config, 1); }),
                         "expected cosmology.spectrum: table"));
}

TEST(PowerTable, IsInTheUnitsOfTheTable)
{
    const run::PowerSpectrum spectrum{{2, 4}, {6, 12}, {10, 20}, 3, 16};
    const Table table = run::power_table(spectrum, 0.5, nullptr, 1);
    EXPECT_EQ(values<double>(table, "WaveNumber"), (std::vector<double>{4, 8}));
    EXPECT_EQ(values<double>(table, "Power"), (std::vector<double>{1.25, 2.5}));
    EXPECT_EQ(values<double>(table, "ShotNoise"), (std::vector<double>{0.375, 0.375}));
    EXPECT_EQ(values<std::int64_t>(table, "Modes"), (Counts{6, 12}));
    EXPECT_FALSE(table.find("LinearPower"));
    const auto theory = LinearTheory::of(universe(), 1);
    const Table beside = run::power_table(spectrum, 0.5, &*theory, 0.5);
    EXPECT_EQ(values<double>(beside, "LinearPower")[1], theory->power(8, 0.5));
}

TEST(StatisticsFiles, HoldTheSameNumbersAsTextAndHdf5)
{
    const TemporaryFolder folder;
    const run::PowerSpectrum spectrum{{0.1, 0.3}, {6, 12}, {1e4, 1 / 3.0}, 3, 16};
    const Table table = run::power_table(spectrum, 1, nullptr, 1);
    run::write_statistics(folder / "p.csv", table, run::hubble_units, {}, {{"Maker", "test"}});
    run::write_statistics(folder / "p.hdf5", table, run::hubble_units, {{"Time", 0.5}}, {{"Maker", "test"}});
    std::ifstream text(folder / "p.csv");
    std::string line;
    std::getline(text, line);
    EXPECT_EQ(line, "WaveNumber [(Mpc/h)^-1],Modes,Power [(Mpc/h)^3],ShotNoise [(Mpc/h)^3]");
    std::getline(text, line);
    EXPECT_EQ(line, "0.1,6,10000,3");
    EXPECT_TRUE(std::filesystem::exists(folder / "p.csv-metadata.json"));
    const io::Hdf5File file = io::Hdf5File::open(folder / "p.hdf5");
    EXPECT_EQ(file.values<double>("/Power"), (std::vector<double>{1e4, 1 / 3.0}));
    EXPECT_EQ(file.values<std::int64_t>("/Modes"), (Counts{6, 12}));
    EXPECT_EQ(file.text("/Power", "Unit"), "(Mpc/h)^3");
    EXPECT_EQ(file.text("/Modes", "Unit"), "1");
    EXPECT_EQ(file.number("/", "Time"), 0.5);
    EXPECT_EQ(file.text("/Provenance", "Maker"), "test");
}

}  // namespace
}  // namespace aureole::test
