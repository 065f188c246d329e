#include "sim/io/halos/table_csv.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>

#include "sim/core/error.hpp"
#include "tests/support/temporary_folder.hpp"

namespace aureole::test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::string content_of(const std::filesystem::path& file)
{
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

Table two_rows()
{
    Table table{2, {}};
    table.columns.push_back({"Len", "", {}, 1, std::vector<std::int64_t>{30, 5000000000}});
    table.columns.push_back({"Pos", "", {.length = 1}, 3, std::vector<double>{1, 2, 3, 4, 5, 0.1}});
    table.columns.push_back(
        {"Half", "", {.length = 1, .mass = 1, .velocity = 2}, 2, std::vector<double>{1, 2, 3, nan}});
    table.columns.push_back({"Unknown", "", {}, 1, std::vector<double>{nan, nan}});
    return table;
}

TEST(TableCsv, TheFirstLineNamesColumnsAndUnitsAndColumnsWithoutANumberStay)
{
    const TemporaryFolder folder;
    io::write_table_csv(folder / "t.csv", two_rows(), {"kpc", "1e10 Msun", "km/s"});
    EXPECT_EQ(content_of(folder / "t.csv"),
              "Len,Pos_x [kpc],Pos_y [kpc],Pos_z [kpc],Half_0 [1e10 Msun kpc (km/s)^2],Half_1 [1e10 Msun kpc "
              "(km/s)^2],Unknown\n"
              "30,1,2,3,1,2,nan\n5000000000,4,5,0.1,3,nan,nan\n");
}

TEST(TableCsv, PureNumbersHaveNoUnitsAndNoRowsStillHaveNames)
{
    const TemporaryFolder folder;
    Table none{0, {}};
    none.columns.push_back({"Mass", "", {.mass = 1}, 1, std::vector<double>{}});
    none.columns.push_back({"Len", "", {}, 1, std::vector<std::int64_t>{}});
    io::write_table_csv(folder / "t.csv", none, {});
    EXPECT_EQ(content_of(folder / "t.csv"), "Mass,Len\n");
    EXPECT_THROW(io::write_table_csv(folder / "no" / "t.csv", none, {}), IoError);
}

TEST(TableCsv, PowersOfUnitsAreUnambiguous)
{
    const io::ColumnUnits units{"kpc", "1e10 Msun", "km/s"};
    EXPECT_EQ(units.name_of({.length = -3, .mass = 1}), "1e10 Msun kpc^-3");
    EXPECT_EQ(units.name_of({.mass = 2}), "(1e10 Msun)^2");
    EXPECT_EQ(units.name_of({}), "");
    EXPECT_EQ(io::ColumnUnits{}.name_of({.length = 2}), "");
}

}  // namespace
}  // namespace aureole::test
