// Snapshots that are read in part, and written in another order than that of the particles.
#include "sim/io/snapshots/snapshot.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "sim/core/memory/ledger.hpp"
#include "sim/io/compare/exact_difference.hpp"
#include "sim/io/snapshots/hdf5_particles.hpp"
#include "sim/io/snapshots/snapshot_format.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/sample_particles.hpp"
#include "tests/support/temporary_folder.hpp"

namespace aureole::test {
namespace {

void expect_equal(const Vec3Buffer& found, const Vec3Buffer& expected)
{
    EXPECT_EQ(found.x.to_vector(), expected.x.to_vector());
    EXPECT_EQ(found.y.to_vector(), expected.y.to_vector());
    EXPECT_EQ(found.z.to_vector(), expected.z.to_vector());
}

TEST(SnapshotArrays, WhatIsReadIsThatOfAWholeReadInEveryFormat)
{
    const TemporaryFolder folder;
    Particles particles = sample_particles(500);
    std::iota(particles.id.host().begin(), particles.id.host().end(), std::uint64_t{7});  // in 32 bits
    for (const io::SnapshotFormat& format : io::snapshot_formats().entries()) {
        SCOPED_TRACE(format.name);
        const auto file = io::file_of(format, folder / ("snapshot_" + format.name));
        format.writing.make()->write(file, particles.view(), galactic_content());
        const Particles whole = io::read_snapshot(file).particles;
        const Particles reading = io::read_snapshot(file, io::SnapshotArrays::reading()).particles;
        const Particles rest = io::read_snapshot(file, {false, false, false}).particles;
        const Particles places = io::read_snapshot(file, {true, false, false, false}).particles;
        expect_equal(places.position, whole.position);
        EXPECT_EQ(places.id.to_vector(), whole.id.to_vector());
        EXPECT_FALSE(whole.view().acceleration.absent());
        EXPECT_TRUE(reading.view().acceleration.absent() && rest.view().acceleration.absent());
        EXPECT_EQ(reading.view().potential, nullptr);
        EXPECT_EQ(reading.component.to_vector(), whole.component.to_vector());
        expect_equal(reading.position, whole.position);
        for (const Particles* part : {&reading, &rest}) {
            EXPECT_EQ(part->size(), whole.size());
            EXPECT_EQ(part->mass.to_vector(), whole.mass.to_vector());
            EXPECT_EQ(part->id.to_vector(), whole.id.to_vector());
            EXPECT_EQ(part->type.to_vector(), whole.type.to_vector());
            expect_equal(part->velocity, whole.velocity);
        }
    }
}

TEST(SnapshotArrays, ComponentsAreThereWhereTheFileHasThem)
{
    const TemporaryFolder folder;
    Particles particles = sample_particles(50);
    io::write_snapshot(folder / "several.hdf5", particles, galactic_content());
    EXPECT_EQ(io::read_snapshot(folder / "several.hdf5", {true, false, false}).particles.component.size(),
              50u);
    std::ranges::fill(particles.component.host(), Component{0});
    io::write_snapshot(folder / "one.hdf5", particles, galactic_content());
    EXPECT_EQ(io::read_snapshot(folder / "one.hdf5", {true, false, false}).particles.component.size(), 0u);
    EXPECT_EQ(io::read_snapshot(folder / "one.hdf5").particles.component.size(), 50u);
}

TEST(SnapshotArrays, ReadingTakesSixtyFiveBytesAParticle)
{
    const TemporaryFolder folder;
    Particles particles = sample_particles(1000);
    std::ranges::fill(particles.component.host(), Component{0});
    io::write_snapshot(folder / "s.hdf5", particles, galactic_content());
    const auto bytes = [&](const io::SnapshotArrays& arrays) {
        const std::size_t before = memory::held_bytes(Backend::cpu);
        memory::reset_peak(Backend::cpu);
        io::read_snapshot(folder / "s.hdf5", arrays);
        return memory::peak_bytes(Backend::cpu) - before;
    };
    EXPECT_EQ(bytes({}), 1000 * Particles::bytes_per_particle());
    EXPECT_EQ(bytes(io::SnapshotArrays::reading()), 67000u);
    EXPECT_EQ(bytes({true, false, false}), 65000u);
    EXPECT_EQ(bytes({false, false, false}), 41000u);
    EXPECT_EQ(bytes({true, false, false, false}), 41000u);
}

TEST(SnapshotArrays, TooManyParticlesAreRefused)
{
    EXPECT_THROW(io::new_particles(std::size_t{max_particles} + 1, {true, false, false}), ArgumentError);
}

TEST(WriteSnapshotInOrder, TheFileIsThatOfParticlesPutInOrderBefore)
{
    const TemporaryFolder folder;
    for (const std::size_t n : {1u, 3u, 700u, 70000u}) {
        for (const bool one_type : {false, true}) {
            Particles particles = sample_particles(n);
            if (one_type) std::ranges::fill(particles.type.host(), ParticleType{1});
            std::vector<Index> order(n);
            for (std::size_t k = 0; k < n; ++k)
                order[k] = static_cast<Index>(n - 1 - (k ^ (k < n - n % 4 ? 2 : 0)));
            std::vector<std::int32_t> group(n), group_in_order(n);
            std::iota(group.begin(), group.end(), 0);
            for (std::size_t k = 0; k < n; ++k) group_in_order[k] = group[order[k]];
            io::SnapshotContent content = galactic_content();
            content.potential = true;
            content.group = group_in_order;
            io::write_snapshot(folder / "copy.hdf5", particles.gathered(order), content);
            content.group = group;
            io::write_snapshot_in_order(folder / "order.hdf5", particles.view(), order, content);
            EXPECT_TRUE(io::hdf5_differences(folder / "copy.hdf5", folder / "order.hdf5").empty()) << n;
        }
    }
}

TEST(WriteSnapshotInOrder, AnOrderOfOtherLengthIsRefused)
{
    const TemporaryFolder folder;
    const Particles particles = sample_particles(3);
    const std::vector<Index> order{0, 1};
    EXPECT_THROW(io::write_snapshot_in_order(folder / "s.hdf5", particles.view(), order, galactic_content()),
                 ArgumentError);
}

}  // namespace
}  // namespace aureole::test
