// One file that all ranks write: the bytes of one process.
#include "sim/io/ranks/shared_snapshot.hpp"

#include <limits>
#include <numeric>

#include "sim/core/error.hpp"
#include "tests/mpi/ranks.hpp"
#include "tests/mpi/shared_folder.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/sample_particles.hpp"

namespace aureole::test::shared_snapshot {
namespace {

/// Uneven runs of the particles: that of rank r.
std::vector<Index> run_of(int rank, std::size_t n)
{
    const auto cut = [&](int r) {
        return n * static_cast<std::size_t>(r * r) / std::size_t(ranks().size() * ranks().size());
    };
    std::vector<Index> own(cut(rank + 1) - cut(rank));
    std::iota(own.begin(), own.end(), static_cast<Index>(cut(rank)));
    return own;
}

void expect_equal_bytes(const SharedFolder& folder, const Particles& all, io::SnapshotContent content,
                        std::span<const std::int32_t> groups = {})
{
    ranks().checks_calls(true);
    content.group = groups;
    folder.fill(
        [&](const std::filesystem::path& path) { io::write_snapshot(path / "alone.hdf5", all, content); });
    const std::vector<Index> rows = run_of(ranks().rank(), all.size());
    const Particles own = all.gathered(rows);
    if (!groups.empty()) content.group = groups.subspan(rows.empty() ? 0 : rows[0], rows.size());
    io::write_shared_snapshot(ranks(), folder / "shared.hdf5", own.view(), content);
    if (ranks().rank() > 0) return;
    EXPECT_TRUE(bytes_of(folder / "shared.hdf5") == bytes_of(folder / "alone.hdf5")) << all.size();
    EXPECT_FALSE(std::filesystem::exists(folder / "shared.hdf5.partial"));
}

TEST(SharedSnapshot, HasTheBytesOfOneProcess)
{
    const SharedFolder folder;
    for (const std::size_t n : {0u, 1u, 7u, 70000u}) {
        const Particles all = sample_particles(n);
        io::SnapshotContent content = galactic_content();
        expect_equal_bytes(folder, all, content);
        content.potential = content.acceleration = true;
        content.mantissa_bits.positions = 20;
        content.provenance = {{"Input", "none"}};
        std::vector<std::int32_t> groups(n);
        std::iota(groups.begin(), groups.end(), -1);
        expect_equal_bytes(folder, all, content, groups);
    }
}

/// Types that only some ranks have, one component, masses in the header.
TEST(SharedSnapshot, OfTypesInTurnHasTheBytesOfOneProcess)
{
    const SharedFolder folder;
    Particles all = sample_particles(60);
    for (Index i = 0; i < 60; ++i) {
        all.type.host()[i] = static_cast<ParticleType>(i / 25 * 2);
        all.mass.host()[i] = 1.0 + i / 25;
    }
    io::SnapshotContent content = galactic_content();
    content.fields.masses = false;
    expect_equal_bytes(folder, all, content);
    for (auto& component : all.component.host()) component = 3;
    expect_equal_bytes(folder, all, content);
    all.mass.host()[0] = 7;  // two masses of a type, maybe on two ranks
    const Particles own = all.gathered(run_of(ranks().rank(), 60));
    const std::string found = message_of<Error>(
        [&] { io::write_shared_snapshot(ranks(), folder / "masses.hdf5", own.view(), content); });
    EXPECT_TRUE(contains(found, "several masses")) << found;
    EXPECT_FALSE(std::filesystem::exists(folder / "masses.hdf5"));
}

TEST(SharedSnapshot, ThatFailsOnARankLeavesTheFileThatWasThere)
{
    const SharedFolder folder;
    folder.fill([](const std::filesystem::path& path) { std::ofstream(path / "s.hdf5") << "as it was"; });
    Particles own = sample_particles(5);
    io::SnapshotContent content = galactic_content();
    std::vector<std::int32_t> groups(ranks().rank() == ranks().size() - 1 ? 4 : 5, 0);
    content.group = groups;
    EXPECT_THROW(io::write_shared_snapshot(ranks(), folder / "s.hdf5", own.view(), content), Error);
    content.group = {};
    content.compress = true;
    EXPECT_THROW(io::write_shared_snapshot(ranks(), folder / "s.hdf5", own.view(), content), Error);
    content.compress = false;
    EXPECT_THROW(io::write_shared_snapshot(ranks(), folder / "none/s.hdf5", own.view(), content), Error);
    EXPECT_EQ(bytes_of(folder / "s.hdf5"), "as it was");
    EXPECT_FALSE(std::filesystem::exists(folder / "s.hdf5.partial"));
}

}  // namespace
}  // namespace aureole::test::shared_snapshot
