// Checkpoints and directories made to lead a run astray: whole by their checksums, wrong by their content.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <functional>

#include "gravity/scf/scf_config.hpp"
#include "sim/run/checkpoints/checkpoint_files.hpp"
#include "sim/run/control/run_directory.hpp"
#include "tests/support/files/byte_writer.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/sample_particles.hpp"
#include "tests/support/temporary_folder.hpp"

namespace aureole::test {
namespace {

using run::RunState;

class HostileCheckpoint : public ::testing::Test {
protected:
    HostileCheckpoint()
    {
        for (const auto axis : {&Vec3Buffer::x, &Vec3Buffer::y, &Vec3Buffer::z})
            std::ranges::fill((particles_.acceleration.*axis).host(), 0.0);
        state_.n_particles = particles_.size();
        state_.diagnostics.bytes = {{"energy.csv", 10}};
    }
    std::filesystem::path written() const
    {
        const auto file = folder_ / "checkpoint.bin";
        run::write_checkpoint(file, folder_ / "previous", state_, particles_);
        return file;
    }
    /// The message that refuses the checkpoint after `change`; the file is named in it.
    std::string refusal(const std::function<void()>& change)
    {
        change();
        const auto file = written();
        const std::string message = message_of<IoError>([&] { run::read_checkpoint(file); });
        EXPECT_TRUE(contains(message, file.string()));
        return message;
    }
    static gravity::scf::CoefficientSeries series(std::size_t n_values)
    {
        return {{.n_max = 1, .l_max = 1}, {{0, {}, std::vector<double>(n_values, 0.5)}}};
    }

    TemporaryFolder folder_;
    RunState state_;
    Particles particles_ = sample_particles(4);
};

TEST_F(HostileCheckpoint, IsReadWhileNothingIsWrong)
{
    state_.coefficients.emplace(0, series(8));
    EXPECT_EQ(run::read_checkpoint(written()).particles.size(), 4u);
}

TEST_F(HostileCheckpoint, LogsOutsideTheDirectoryAreRefused)
{
    for (const char* name : {"../outside.csv", "/etc/passwd", "checkpoint.bin", "", "a/b.csv"}) {
        const std::string message = refusal([&] { state_.diagnostics.bytes = {{name, 0}}; });
        EXPECT_TRUE(contains(message, "among the logs, which no run writes")) << name;
    }
}

TEST_F(HostileCheckpoint, NumbersThatNoBarHasAreRefused)
{
    EXPECT_TRUE(contains(refusal([&] { state_.diagnostics.bar = {1, 2}; }), "2 numbers of bar.csv"));
    EXPECT_TRUE(
        contains(refusal([&] { state_.diagnostics.bar.assign(10, std::nan("")); }), "10 numbers of bar.csv"));
}

TEST_F(HostileCheckpoint, ParticlesThatCannotBeAreRefused)
{
    particles_.type.host()[2] = 9;
    EXPECT_TRUE(contains(refusal([] {}), "particle 2 of type 9, expected 0 to 5"));
    particles_.type.host()[2] = 1;
    particles_.mass.host()[3] = -1;
    EXPECT_TRUE(contains(refusal([] {}), "particle 3 with mass -1"));
    particles_.mass.host()[3] = 1;
    particles_.acceleration.y.host()[1] = std::nan("");
    EXPECT_TRUE(contains(refusal([] {}), "particle 1 with acceleration = nan"));
}

TEST_F(HostileCheckpoint, CoefficientsThatDoNotFillTheirOrdersAreRefused)
{
    EXPECT_TRUE(contains(refusal([&] { state_.coefficients.emplace(0, series(7)); }),
                         "7 coefficients at one time, expected 8"));
    state_.coefficients.clear();
    EXPECT_TRUE(contains(refusal([&] {
                             state_.outputs.coefficients.emplace(0, series(8));
                             state_.outputs.coefficients[0].basis.n_max = 1 << 30;
                         }),
                         "n_max = 1073741824"));
}

TEST_F(HostileCheckpoint, TimesUnitsAndChoicesThatCannotBeAreRefused)
{
    EXPECT_TRUE(contains(refusal([&] { state_.simulation.time = std::nan(""); }), "the time = nan"));
    state_.simulation.time = 0;
    EXPECT_TRUE(contains(refusal([&] { state_.units = {false, {0, 1, 1}}; }), "units of 0 cm"));
    state_.units = {};
    EXPECT_TRUE(
        contains(refusal([&] { state_.backend = static_cast<Backend>(77); }), "a backend of number 77"));
    state_.backend = Backend::cpu;
    run::OutputsState::Frame frame;
    frame.axis = 'q';
    EXPECT_TRUE(contains(refusal([&] { state_.outputs.frame = frame; }), "a line of sight"));
    state_.outputs.frame.reset();
    EXPECT_TRUE(contains(refusal([&] { state_.outputs.zoom = frame; }), "a line of sight"));
    frame.axis = 'z';
    frame.configured_centre = Vec3{0, std::nan(""), 0};
    EXPECT_TRUE(contains(refusal([&] { state_.outputs.zoom = frame; }), "a picture about"));
}

TEST(HostileDirectory, LogsThatAreLinksAreNotWrittenThrough)
{
    const TemporaryFolder folder, outside;
    write_bytes(outside / "precious", "time,kinetic\n1,2\n3,4\n");
    std::filesystem::create_symlink(outside / "precious", folder / "energy.csv");
    for (const std::optional<std::uint64_t> keep : {std::optional<std::uint64_t>(), {13}})
        EXPECT_TRUE(contains(message_of<IoError>([&] {
                                 run::CsvFile(folder / "energy.csv", {"time", "kinetic"}, keep);
                             }),
                             "energy.csv: is a symbolic link"));
    EXPECT_THROW(run::cut_back(folder / "energy.csv", 3), IoError);
    EXPECT_EQ(read_bytes(outside / "precious"), "time,kinetic\n1,2\n3,4\n");
}

TEST(HostileDirectory, LogsOfAnotherNameAreNotCutBack)
{
    const TemporaryFolder folder;
    std::filesystem::create_directory(folder / "run");
    write_bytes(folder / "outside.csv", "must stay");
    {
        const run::Diagnostics begun(folder / "run", {}, {});
    }
    run::DiagnosticsState state;
    for (const char* name : {"energy.csv", "timings.csv", "orbit.csv", "shapes.csv"})
        state.bytes[name] = std::filesystem::file_size(folder / "run" / name);
    {
        const run::Diagnostics continued(folder / "run", {}, {}, &state);
    }
    state.bytes["../outside.csv"] = 0;
    EXPECT_TRUE(
        contains(message_of<IoError>([&] { const run::Diagnostics led(folder / "run", {}, {}, &state); }),
                 "'../outside.csv' is no log of a run"));
    EXPECT_EQ(read_bytes(folder / "outside.csv"), "must stay");
}

TEST(HostileDirectory, ALockThatIsALinkIsNotFollowed)
{
    const TemporaryFolder folder;
    std::filesystem::create_directory(folder / "run");
    std::filesystem::create_symlink(folder / "elsewhere", folder / "run/run.lock");
    EXPECT_THROW(run::DirectoryLock(folder / "run"), IoError);
    EXPECT_FALSE(std::filesystem::exists(folder / "elsewhere"));
}

}  // namespace
}  // namespace aureole::test
