#include "sim/config/density_file.hpp"

#include <fstream>

#include "sim/core/error.hpp"
#include "sim/run/starting_state.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_folder.hpp"

namespace aureole::test::density_file_test {
namespace {

class DensityFile : public testing::Test {
protected:
    std::filesystem::path write(const std::string& text) const
    {
        std::ofstream(folder_ / "density.txt") << text;
        return folder_ / "density.txt";
    }
    std::string complaint(const std::string& text) const
    {
        return message_of<IoError>([&] { run::read_density_file(write(text)); });
    }
    TemporaryFolder folder_;
};

TEST_F(DensityFile, HoldsRadiiAndDensities)
{
    const auto table =
        run::read_density_file(write("# r rho\n\n0.1 5e3   # the core\n 0.2,4e3\r\n+1\t1e2\n10 1e-3"));
    EXPECT_EQ(table.radius, (std::vector<double>{0.1, 0.2, 1, 10}));
    EXPECT_EQ(table.density, (std::vector<double>{5e3, 4e3, 1e2, 1e-3}));
}

TEST_F(DensityFile, AFirstLineMayNameItsColumns)
{
    const std::vector<double> radius{1, 2, 3, 4}, density{9, 8, 7, 6};
    for (const char* text :
         {"radius,density\n1,9\n2,8\n3,7\n4,6\n", "# from a fit\nr rho\n1 9\n2 8\n3 7\n4 6\n",
          "density mass radius\n9 0 1\n8 nan 2\n7 x 3\n6 -1 4\n"}) {
        const auto table = run::read_density_file(write(text));
        EXPECT_EQ(table.radius, radius) << text;
        EXPECT_EQ(table.density, density) << text;
    }
}

TEST_F(DensityFile, ComplaintsNameFileAndLine)
{
    EXPECT_TRUE(contains(complaint("1 2\n2 1\n"), "density.txt: holds 2 rows, expected at least 4"));
    EXPECT_TRUE(
        contains(complaint("1 2\n# x\n2 1 7\n"), "density.txt, line 3: found 3 columns, expected two"));
    EXPECT_TRUE(
        contains(complaint("1 2\n3\n"), "line 2: found 1 column, expected two columns: radius density"));
    EXPECT_TRUE(
        contains(complaint("1 2\n1 1\n"), "line 2: column 1 (radius): found 1 after 1, expected radii"));
    EXPECT_TRUE(
        contains(complaint("0 2\n"), "line 1: column 1 (radius): found '0', expected a number above 0"));
    EXPECT_TRUE(contains(complaint("1 -2\n"), "column 2 (density): found '-2'"));
    EXPECT_TRUE(contains(complaint("1 nan\n"), "found 'nan'"));
    EXPECT_TRUE(contains(complaint("1 2\nr rho\n"), "line 2: column 1 (radius): found 'r'"));
    EXPECT_TRUE(contains(complaint("a b\n"), "line 1: column 1 (radius): found 'a'"));
    EXPECT_TRUE(contains(complaint("rho,r,n\n1,2\n"), "line 2: found 2 columns, expected 3 as in the line"));
    EXPECT_TRUE(contains(complaint("rho,r\n2,-1\n"), "line 2: column 2 (radius): found '-1'"));
    EXPECT_TRUE(contains(message_of<IoError>([&] { run::read_density_file(folder_ / "no.txt"); }),
                         "no.txt: cannot be read"));
    EXPECT_TRUE(
        contains(message_of<IoError>([&] { run::read_density_file(folder_.path()); }), "cannot be read"));
}

TEST_F(DensityFile, MakesAComponentOfARun)
{
    // in kpc: the radii of the file are in units of scale_radius
    std::ofstream table(write(""));
    for (double r = 0.01; r < 20; r *= 1.2)
        table << r << ' ' << 1 / (r * (1 + r) * (1 + r) * (1 + r)) << '\n';
    table.close();
    const std::string text =
        "units: galactic\n"
        "initial_conditions: {model: table, file: density.txt, particles: 1000, mass: 4, scale_radius: 3}\n";
    const run::StartingState state =
        run::make_starting_state(run::parse_config(text, folder_ / "a.yaml", {}), false);
    double mass = 0;
    for (double m : state.particles.mass.to_vector()) mass += m;
    EXPECT_GT(mass, 4);  // and the tail
    EXPECT_LT(mass, 4.5);

    const std::string once = run::to_yaml(state.config);
    EXPECT_TRUE(contains(once, "file: " + (folder_ / "density.txt").string()));
}

}  // namespace
}  // namespace aureole::test::density_file_test
