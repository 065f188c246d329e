// The logs of a run that goes on with other settings.
#include "sim/run/diagnostics/diagnostics.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temporary_folder.hpp"

namespace aureole::test {
namespace {

std::vector<std::string> lines_of(const std::filesystem::path& file)
{
    std::vector<std::string> lines;
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

Table no_groups()
{
    Table groups;
    groups.columns.push_back({"GroupLen", "", {}, 1, std::vector<std::int64_t>{}});
    groups.columns.push_back({"GroupPos", "", {}, 3, std::vector<double>{}});
    return groups;
}

TEST(Diagnostics, ALogThatRestsForAWhileKeepsItsRows)
{
    const TemporaryFolder folder;
    run::DiagnosticsState state;
    {
        run::Diagnostics with_halos(folder.path(), {}, {true, false, {}, {}});
        with_halos.record_halos(1, 0, no_groups());
        state = with_halos.state();
        with_halos.record_halos(2, 1, no_groups());  // after the checkpoint
    }
    {
        const run::Diagnostics without(folder.path(), {}, {}, &state);
        EXPECT_EQ(lines_of(folder / "halos.csv").size(), 2u) << "the line of names, and a row";
        state = without.state();
    }
    run::Diagnostics again(folder.path(), {}, {true, false, {}, {}}, &state);
    again.record_halos(3, 2, no_groups());
    const auto lines = lines_of(folder / "halos.csv");
    ASSERT_EQ(lines.size(), 3u);
    EXPECT_TRUE(lines[1].starts_with("1,0,0,")) << lines[1];
    EXPECT_TRUE(lines[2].starts_with("3,2,0,")) << lines[2];
}

}  // namespace
}  // namespace aureole::test
