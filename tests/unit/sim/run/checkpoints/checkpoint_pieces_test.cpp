// Checkpoints of which ranks have written pieces.
#include "sim/run/checkpoints/checkpoint_pieces.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "sim/run/checkpoints/checkpoint_files.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/sample_particles.hpp"
#include "tests/support/temporary_folder.hpp"

namespace aureole::test::checkpoint_pieces {
namespace {

constexpr Index n_all = 40;

/// With the numbers that particles of a run have.
Particles numbered(double first)
{
    Particles all = sample_particles(n_all);
    double next = first;
    run::for_each_moving_array(all, [&](const std::string&, Buffer<double>& array) {
        for (double& value : array.host()) value = next++;
    });
    return all;
}

Particles some_of(const Particles& all, std::span<const IndexRange> runs)
{
    std::vector<Index> list;
    for (const IndexRange run : runs)
        for (Index i = run.begin; i < run.end; ++i) list.push_back(i);
    return all.gathered(list);
}

/// Checkpoints of a run on three ranks, the second of which has no particles.
class CheckpointPieces : public testing::Test {
protected:
    run::CheckpointPieces write_pieces(std::uint64_t step, const Particles& all)
    {
        const std::vector<std::vector<IndexRange>> runs{{{0, 10}, {25, 30}}, {}, {{10, 25}, {30, n_all}}};
        run::CheckpointPieces pieces{step, {}};
        for (const auto& of_rank : runs) {
            const Particles own = some_of(all, of_rank);
            const std::string name = run::checkpoint_piece_name(step, pieces.piece.size());
            pieces.piece.push_back({of_rank, run::write_checkpoint_piece(folder / name, own, own.size())});
        }
        return pieces;
    }
    run::RunState state_at(std::uint64_t step) const
    {
        run::RunState state;
        state.step = step;
        state.n_particles = n_all;
        return state;
    }
    void write(std::uint64_t step)
    {
        const Particles all = numbered(static_cast<double>(step));
        const Particles other = numbered(-1e6);  // as those of another time are
        files.begin(state_at(step), other, {}, {}, write_pieces(step, all));
        files.finish();
    }
    void write_whole(std::uint64_t step) { files.write(state_at(step), numbered(static_cast<double>(step))); }
    bool has_piece(std::uint64_t step, std::uint64_t number) const
    {
        return std::filesystem::exists(folder / run::checkpoint_piece_name(step, number));
    }
    void expect_of_step(std::uint64_t step, const run::Checkpoint& found) const
    {
        EXPECT_EQ(found.state.step, step);
        const Particles expected = numbered(static_cast<double>(step));
        run::for_each_moving_array(found.particles, [&](const std::string& name, const auto& array) {
            run::for_each_moving_array(expected, [&](const std::string& same, const auto& values) {
                if (name != same) return;
                EXPECT_EQ(array.to_vector(), values.to_vector()) << name;
            });
        });
        EXPECT_EQ(found.particles.id.to_vector(), expected.id.to_vector());
        EXPECT_EQ(found.particles.mass.to_vector(), expected.mass.to_vector());
    }
    std::string refusal() const
    {
        return message_of<IoError>([&] { run::read_checkpoint(newest()); });
    }
    std::filesystem::path newest() const { return folder / run::checkpoint_name; }

    const TemporaryFolder folder;
    run::CheckpointFiles files{
        folder.path(),
        run::parse_config("run: {end_time: 10}\noutput: {checkpoints: {steps: 1}}", "test", {}), 0};
};

TEST_F(CheckpointPieces, AreReadAsOneSetOfParticles)
{
    write(7);
    EXPECT_LT(std::filesystem::file_size(newest()), std::size_t{n_all} * 80 + 2000) << "not whole";
    expect_of_step(7, run::read_checkpoint(newest()));
}

TEST_F(CheckpointPieces, OfTheTwoNewestCheckpointsStayAndOthersGo)
{
    write(1);
    write(2);
    EXPECT_TRUE(has_piece(1, 0) && has_piece(2, 2));
    expect_of_step(1, run::read_checkpoint(folder / run::previous_checkpoint_name));
    write_pieces(3, numbered(3));  // and then the run was killed
    write_whole(4);
    EXPECT_FALSE(has_piece(1, 0) || has_piece(1, 2) || has_piece(3, 1));
    EXPECT_TRUE(has_piece(2, 0) && has_piece(2, 1) && has_piece(2, 2));
    write_whole(5);
    EXPECT_FALSE(has_piece(2, 0) || has_piece(2, 1) || has_piece(2, 2));
    expect_of_step(5, run::read_checkpoint(newest()));
}

TEST_F(CheckpointPieces, OfACheckpointThatWasSetAsideStay)
{
    write(1);
    std::filesystem::copy_file(newest(), folder / "checkpoint_damaged.bin");
    write_whole(4);
    write_whole(5);
    EXPECT_TRUE(has_piece(1, 0) && has_piece(1, 1) && has_piece(1, 2));
}

TEST_F(CheckpointPieces, StayWhereACheckpointCannotSayWhichAreItsOwn)
{
    write(1);
    write(2);
    std::ofstream(newest(), std::ios::in | std::ios::out) << "damaged";
    run::remove_unnamed_pieces(folder.path(), {newest(), folder / run::previous_checkpoint_name},
                               folder / "none");
    EXPECT_TRUE(has_piece(1, 0) && has_piece(2, 0));
}

TEST_F(CheckpointPieces, ThatAreMissingDamagedOrOthersAreRefusedForTheCheckpointBefore)
{
    write(1);
    write(2);
    const std::filesystem::path piece = folder / run::checkpoint_piece_name(2, 2);
    std::fstream(piece, std::ios::in | std::ios::out | std::ios::binary).seekp(900).write("damage", 6);
    EXPECT_TRUE(contains(refusal(), "is damaged: checksum"));
    std::filesystem::copy_file(folder / run::checkpoint_piece_name(1, 2), piece,
                               std::filesystem::copy_options::overwrite_existing);
    EXPECT_TRUE(contains(refusal(), "is not the piece that"));
    std::filesystem::remove(piece);
    EXPECT_TRUE(contains(refusal(), "checkpoint_2.2.bin: no such file"));
    std::vector<std::string> warnings;
    expect_of_step(1, run::newest_checkpoint(folder.path(), true, warnings));
    EXPECT_EQ(warnings.size(), 1u);
}

TEST_F(CheckpointPieces, OfParticlesThatLackOrRepeatAreRefused)
{
    const Particles all = numbered(0);
    const run::CheckpointPieces good = write_pieces(3, all);
    const auto message = [&](auto change) {
        run::CheckpointPieces pieces = good;
        change(pieces.piece[0].runs);
        Particles to = numbered(0);
        return message_of<IoError>([&] { run::read_checkpoint_pieces(folder.path(), pieces, "c.bin", to); });
    };
    Particles whole = numbered(-1);
    EXPECT_NO_THROW(run::read_checkpoint_pieces(folder.path(), good, "c.bin", whole));
    EXPECT_TRUE(contains(message([](auto& runs) { runs[1].end = 29; }), "29"));
    EXPECT_TRUE(contains(message([](auto& runs) { runs[1].begin = 24; }), "24 to 30 after 25"));
    EXPECT_TRUE(contains(message([](auto& runs) { runs.pop_back(); }), "30 to 40 after 25"));
    EXPECT_TRUE(contains(message([](auto& runs) { runs[1] = {30, 25}; }), "c.bin"));
    // the same particles in other runs: not what the file holds
    EXPECT_TRUE(contains(message([&](auto& runs) { runs.push_back({n_all, n_all + 5}); }), "45 of 40"));
}

TEST(CheckpointPieceNames, AreThoseOfARun)
{
    EXPECT_EQ(run::checkpoint_piece_name(12, 3), "checkpoint_12.3.bin");
    EXPECT_TRUE(run::is_checkpoint_of_a_run("checkpoint_12.3.bin"));
    for (const char* other : {"checkpoint_.3.bin", "checkpoint_12.bin", "my_checkpoint_1.2.bin",
                              "checkpoint_1.2.bin.partial", "checkpoint_1x2.bin"})
        EXPECT_FALSE(run::is_checkpoint_piece(other)) << other;
}

}  // namespace
}  // namespace aureole::test::checkpoint_pieces
