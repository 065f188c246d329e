// The tables of a disk on each backend: what needs the host, and what they take against their forecast.
#include "sim/analysis/disk_tables.hpp"

#include <gtest/gtest.h>

#include "sim/core/error.hpp"
#include "sim/core/memory/ledger.hpp"
#include "tests/support/models/mock_disks.hpp"

namespace aureole::test {
namespace {

TEST(DiskTables, MapsAndEllipsesAreMadeWhereTheParticlesAre)
{
    const Particles host = disk_of(rigid_bar(5000, 0.3, 2, 5));
    for (const Backend where : available_backends()) {
        const Particles there = host.copy_to(where);
        int copies = 0;
        run::DiskMeasurement disk({where}, there.view(), {}, {.pixels = 9}, [&] {
            ++copies;
            return host.view();
        });
        EXPECT_EQ(disk.size(), host.size());
        EXPECT_EQ(disk.table("map", 1).rows, 81u);
        EXPECT_EQ(disk.table("ellipses", 1).rows, 24u);
        EXPECT_EQ(copies, 0);
        EXPECT_GT(disk.table("profile", 1).rows, 5u);
        EXPECT_EQ(disk.table("angular_momentum", 1).rows, 1u);
        EXPECT_NEAR(disk.bar().a2_max, 0.3, 0.05);
        EXPECT_GT(copies, 0);
        EXPECT_THROW(disk.table("none", 1), ArgumentError);
    }
}

TEST(DiskTables, TakeNoMoreThanTheirForecast)
{
    const Particles host = disk_of(rigid_bar(25000, 0.3, 2, 5));
    for (const Backend where : available_backends())
        for (const int pixels : {8, 700}) {
            const Particles there = host.copy_to(where);
            const std::size_t before = memory::held_bytes(where);
            memory::reset_peak(where);
            run::DiskMeasurement disk({where}, there.view(), {}, {.pixels = pixels},
                                      [&] { return host.view(); });
            const Table map = disk.table("map", 1);
            disk.table("ellipses", 1);
            const run::DiskBytes forecast = run::disk_table_bytes(where, host.size(), pixels);
            const std::size_t taken = memory::peak_bytes(where) - before;
            EXPECT_LE(taken, forecast.backend) << name_of(where) << " " << pixels;
            EXPECT_GT(taken, forecast.backend / 2) << name_of(where) << " " << pixels;
            EXPECT_GE(forecast.host, map.columns.size() * map.rows * sizeof(double));
        }
}

}  // namespace
}  // namespace aureole::test
