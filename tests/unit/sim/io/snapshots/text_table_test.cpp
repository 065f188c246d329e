#include "sim/io/snapshots/text_table.hpp"

#include <locale>

#include "tests/support/files/corruption.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/test_data.hpp"

namespace aureole::test {
namespace {

class TextTable : public testing::Test {
protected:
    io::Snapshot read(const std::string& text) const
    {
        write_bytes(folder_ / "table.txt", text);
        return io::read_text_table(folder_ / "table.txt");
    }
    /// The message, without the folder, with which the text is refused; empty when it is not.
    std::string refusal(const std::string& text) const
    {
        try {
            read(text);
        } catch (const IoError& error) {
            return std::string(error.what()).substr(folder_.path().string().size() + 1);
        }
        return "";
    }

    TemporaryFolder folder_;
};

void expect_two(const io::Snapshot& snapshot)
{
    const Particles& p = snapshot.particles;
    EXPECT_EQ(p.id.to_vector(), (std::vector<std::uint64_t>{7, 18446744073709551615u}));
    EXPECT_EQ(p.type.to_vector(), (std::vector<ParticleType>{1, 1}));
    EXPECT_EQ(p.mass.to_vector(), (std::vector<double>{0.5, 1e-3}));
    EXPECT_EQ(p.position.x.to_vector(), (std::vector<double>{1, -1}));
    EXPECT_EQ(p.position.z.to_vector(), (std::vector<double>{3, -3}));
    EXPECT_EQ(p.velocity.x.to_vector(), (std::vector<double>{4, 0.25}));
    EXPECT_EQ(p.velocity.z.to_vector(), (std::vector<double>{6, 0}));
    EXPECT_FALSE(snapshot.header.units.has_value());
}

TEST_F(TextTable, BlanksCommasAndCommentsPartColumns)
{
    expect_two(read("7 0.5 1 2 3 4 5 6\n18446744073709551615 1e-3 -1 -2 -3 .25 0 0\n"));
    expect_two(read("7,0.5,1,2,3,4,5,6\r\n18446744073709551615,+1e-3,-1,-2,-3,.25,0,0"));
    expect_two(read(
        "# two\n\n  7 , 0.5 ,\t1,2 3 4,5,6 # first\n \n18446744073709551615 1E-3 -1 -2 -3 2.5e-1 0 0,\n"));
    expect_two(read("ID m X y z vx VY vz\n7 0.5 1 2 3 4 5 6\n18446744073709551615 1e-3 -1 -2 -3 .25 0 0\n"));
}

TEST_F(TextTable, LinesWithTheCountMayComeFirst)
{
    const std::string rows = "7 0.5 1 2 3 4 5 6\n18446744073709551615 1e-3 -1 -2 -3 .25 0 0\n";
    expect_two(read("2\n" + rows));
    EXPECT_EQ(read("2\n0.75\n" + rows).header.time, 0.75);
    EXPECT_EQ(read("13\n2\n1.5\n" + rows).header.time, 1.5);
    EXPECT_EQ(refusal("3\n" + rows),
              "table.txt: the lines before the particles give '3' as their number, found 2: "
              "truncated, or put these lines behind a #");
    EXPECT_NE(refusal("2\n3\n0.5\n" + rows), "");
    EXPECT_EQ(refusal("1\n2\n3\n4\n" + rows),
              "table.txt, line 4: found 1 column, expected lines of 8 columns: id m x y z vx vy vz");
}

struct DecimalComma : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
};

TEST_F(TextTable, NumbersHaveAPointInEveryLocale)
{
    const std::locale before = std::locale::global(std::locale(std::locale(), new DecimalComma));
    const double mass = read("1 0.5 1 2 3 4 5 6\n").particles.mass.host()[0];
    std::locale::global(before);
    EXPECT_EQ(mass, 0.5);
}

TEST_F(TextTable, RefusalsNameLineAndColumn)
{
    const std::string good = "1 1 0 0 0 0 0 0\n";
    EXPECT_EQ(refusal(good + "2 1 0 0 0 0 0\n"),
              "table.txt, line 2: found 7 columns, expected lines of 8 columns: id m x y z vx vy vz");
    EXPECT_EQ(refusal(good + "\n2 1 0 O 0 0 0 0\n"),
              "table.txt, line 3: column 4 (y): found 'O', expected a finite number");
    EXPECT_EQ(refusal(good + "2 1 0 0 0 nan 0 0\n"),
              "table.txt, line 2: column 6 (vx): found 'nan', expected a finite number");
    EXPECT_EQ(refusal(good + "2 1 0 0 0 0 0 1e999\n"),
              "table.txt, line 2: column 8 (vz): found '1e999', expected a finite number");
    EXPECT_EQ(refusal(good + "2 1 0 0 0 0 0 1.5x\n"),
              "table.txt, line 2: column 8 (vz): found '1.5x', expected a finite number");
    EXPECT_EQ(refusal(good + "2,1,,0,0,0,0,0\n"),
              "table.txt, line 2: column 3 (x): found '', expected a finite number");
    EXPECT_EQ(refusal(good + "2.0 1 0 0 0 0 0 0\n"),
              "table.txt, line 2: column 1 (id): found '2.0', expected a whole number >= 0");
    EXPECT_EQ(refusal(good + "2 -1 0 0 0 0 0 0\n"),
              "table.txt, line 2: column 2 (m): found '-1', expected a mass >= 0");
    EXPECT_EQ(refusal("# nothing\n"),
              "table.txt: holds no particles (expected lines of 8 columns: id m x y z vx vy vz)");
    EXPECT_EQ(refusal("m id x y z vx vy vz\n" + good),
              "table.txt, line 1: column 1 (id): found 'm', expected a whole number >= 0");
}

TEST_F(TextTable, DamagedFilesAreRefusedOrReadAsFiniteNumbers)
{
    const std::string whole = "0\n3\n0.5\n1 1 2 3 4 5 6 7\n2 1 .1 -.2 1e3 4 5 6\n3 0.5 0 0 0 0 0 0\n";
    const auto file = folder_ / "table.txt";
    // only the last line end may be missing: the count tells
    const auto read = [](const std::filesystem::path& name) { return io::read_text_table(name); };
    EXPECT_EQ(refused_truncations(file, whole, read), whole.size() - 1);
    EXPECT_GT(refused_flips(file, whole, read), whole.size());
}

TEST(TextTableRealFiles, APlummerSphere)
{
    AUREOLE_TEST_DATA_OR_SKIP(file, "plummer1k.in");
    EXPECT_TRUE(io::is_text(file));
    const io::Snapshot snapshot = io::read_text_table(file);
    const Particles& p = snapshot.particles;
    ASSERT_EQ(p.size(), 1024u);
    EXPECT_EQ(p.id.host()[1023], 1024u);
    EXPECT_EQ(p.position.x.host()[0], 0.0194840421215641546);
    EXPECT_EQ(p.velocity.z.host()[1023], 0.246873360657242025);
    double mass = 0;
    for (const double m : p.mass.host()) mass += m;
    EXPECT_EQ(mass, 1);
    EXPECT_EQ(snapshot.header.time, 0);
}

}  // namespace
}  // namespace aureole::test
