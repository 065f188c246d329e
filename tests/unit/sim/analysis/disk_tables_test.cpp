// The tables of a disk on each backend: their numbers, and what they take against their forecast.
#include "sim/analysis/disk_tables.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sim/core/error.hpp"
#include "sim/core/memory/ledger.hpp"
#include "tests/support/models/mock_disks.hpp"

namespace aureole::test {
namespace {

/// Tables of a disk among other particles, on that backend: of a bar in a wider halo.
struct Tables {
    std::vector<Table> tables;
    run::Bar bar;
};

Tables tables_of(Backend where, const Particles& host, const run::DiskSettings& settings)
{
    const Particles there = host.copy_to(where);
    run::DiskMeasurement disk({where}, there.view(), {0x3f, {0, 400}}, settings);
    Tables result{{}, disk.bar({.particles = 1000})};
    for (const char* name : {"profile", "angular_momentum", "map", "ellipses"})
        result.tables.push_back(disk.table(name, 2));
    EXPECT_THROW(disk.table("none", 1), ArgumentError);
    return result;
}

void expect_close(const Table& a, const Table& b, double tolerance)
{
    ASSERT_EQ(a.rows, b.rows);
    ASSERT_EQ(a.columns.size(), b.columns.size());
    for (std::size_t c = 0; c < a.columns.size(); ++c) {
        if (const auto* counts = std::get_if<std::vector<std::int64_t>>(&a.columns[c].values)) {
            EXPECT_EQ(*counts, std::get<std::vector<std::int64_t>>(b.columns[c].values)) << a.columns[c].name;
            continue;
        }
        const auto& x = std::get<std::vector<double>>(a.columns[c].values);
        const auto& y = std::get<std::vector<double>>(b.columns[c].values);
        double size = 1;  // what is zero but for rounding is no measure
        for (const double value : x) size = std::isnan(value) ? size : std::max(size, std::abs(value));
        for (std::size_t k = 0; k < x.size(); ++k) {
            EXPECT_EQ(std::isnan(x[k]), std::isnan(y[k])) << a.columns[c].name << " " << k;
            if (std::isnan(x[k])) continue;
            EXPECT_NEAR(x[k], y[k], tolerance * size) << a.columns[c].name << " " << k;
        }
    }
}

TEST(DiskTables, OfAGpuAreThoseOfTheCpuAndTheirBitsRepeat)
{
    Particles host = disk_of(placed(rigid_bar(20000, 0.3, 0.7, 5), 0.4, 1, {3, 4, 5}, {6, 7, 8}));
    for (std::size_t i = 0; i < host.size(); ++i) {
        host.component.host()[i] = static_cast<Component>(i % 11 == 0 ? 7 : i % 3 == 0 ? 400 : 0);
        host.type.host()[i] = i % 5 == 0 ? 4 : 2;
        host.mass.host()[i] *= 1 + 0.1 * static_cast<double>(i % 3);
    }
    const run::DiskSettings settings{.ring = 1500, .pixels = 5};
    const Tables cpu = tables_of(Backend::cpu, host, settings);
    EXPECT_EQ(cpu.bar.status, run::BarStatus::measured);
    EXPECT_NEAR(cpu.bar.pattern.speed, 0.7, 0.05) << "about a centre without some of the stars";
    EXPECT_EQ(cpu.tables[1].rows, 6u);
    for (const Backend where : available_backends()) {
        const Tables there = tables_of(where, host, settings), again = tables_of(where, host, settings);
        for (std::size_t k = 0; k < 2; ++k) {
            expect_close(cpu.tables[k], there.tables[k], 1e-11);
            expect_close(there.tables[k], again.tables[k], 0);
        }
        expect_close(run::bar_table(cpu.bar, {}, 0), run::bar_table(there.bar, {}, 0), 1e-10);
        expect_close(run::bar_table(there.bar, {}, 0), run::bar_table(again.bar, {}, 0), 0);
    }
}

TEST(DiskTables, TakeNoMoreThanTheirForecast)
{
    const Particles host = disk_of(rigid_bar(25000, 0.3, 2, 5));
    for (const Backend where : available_backends())
        for (const int pixels : {8, 700}) {
            const Particles there = host.copy_to(where);
            const run::DiskSettings settings{.pixels = pixels};
            std::size_t before = memory::held_bytes(where);
            memory::reset_peak(where);
            {
                run::DiskMeasurement disk({where}, there.view(), {}, settings);
                disk.table("profile", 1);
                const Table map = disk.table("map", 1);
                disk.table("ellipses", 1);
                disk.table("angular_momentum", 1);
                const run::DiskBytes forecast =
                    run::disk_table_bytes(where, host.size(), host.size(), settings);
                const std::size_t taken = memory::peak_bytes(where) - before;
                EXPECT_LE(taken, forecast.backend) << name_of(where) << " " << pixels;
                EXPECT_GT(taken, forecast.backend / 2) << name_of(where) << " " << pixels;
                EXPECT_GE(forecast.host, map.columns.size() * map.rows * sizeof(double));
            }
            before = memory::held_bytes(where);
            memory::reset_peak(where);
            run::DiskMeasurement({where}, there.view(), {}, {}).bar();
            const std::size_t taken = memory::peak_bytes(where) - before;
            EXPECT_LE(taken, run::disk_bar_bytes(where, host.size())) << name_of(where);
            EXPECT_GT(taken, run::disk_bar_bytes(where, host.size()) / 2) << name_of(where);
        }
}

}  // namespace
}  // namespace aureole::test
