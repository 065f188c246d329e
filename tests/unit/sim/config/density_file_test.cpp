#include "sim/config/density_file.hpp"

#include <fstream>

#include "sim/core/error.hpp"
#include "sim/run/starting_state.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_folder.hpp"

namespace aureole::test {
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
    EXPECT_TRUE(contains(complaint("r rho\n"), "found 'r'"));
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
}  // namespace aureole::test
