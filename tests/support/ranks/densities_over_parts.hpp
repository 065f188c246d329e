// Densities over parts against those of one rank, bit for bit.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>
#include <vector>

#include "density/ranks/octree_over_parts.hpp"
#include "density/ranks/ranked_density.hpp"
#include "sim/core/particles.hpp"
#include "sim/core/random.hpp"

namespace aureole::test {

constexpr double sheet_box = 10;

/// side^3 particles up to `most` lattice spacings from their sites along every axis, at rest on the mean; ids
/// from 1, y fastest and x slowest, in a scattered order.
inline Particles scattered_sheet(Index side, double most, std::uint64_t seed = 1)
{
    Particles host(Backend::cpu, std::size_t{side} * side * side);
    const ParticlesView p = host.view();
    const double spacing = sheet_box / side;
    Index step = 48271;  // prime, and no factor of any n here
    for (Index i = 0; i < p.n; ++i) {
        const auto place = static_cast<Index>(std::uint64_t{i} * step % p.n);
        const Index site[3] = {place / side / side, place % side, place / side % side};
        Random random(seed, place, 0);
        double x[3];
        for (int a = 0; a < 3; ++a)
            x[a] = Box{sheet_box}.wrap(spacing * (site[a] + most * (2 * random.uniform() - 1)));
        p.id[i] = place + 1;
        p.mass[i] = 3;
        p.position.store(i, {x[0], x[1], x[2]});
        p.velocity.store(i, {x[1] - 5, 0.5 * x[2], std::sin(x[0])});
    }
    return host;
}

/// The particles that part k of n has at first: of each of three ways one.
inline Particles share_of_sheet(const Particles& all, int way, std::size_t k, std::size_t n)
{
    std::vector<Index> members;
    for (Index i = 0; i < all.size(); ++i) {
        const bool is_mine = way == 0 ? k == 0 : way == 1 ? std::size_t{i} * n / all.size() == k : i % n == k;
        if (is_mine) members.push_back(i);
    }
    return all.gathered(members);
}

/// The shares of the parts held here.
struct SheetShares {
    std::vector<Particles> particles;
    std::vector<ConstParticlesView> views;

    SheetShares(const comm::Parts& parts, const Particles& all, int way)
    {
        for (int k = 0; k < parts.held(); ++k)
            particles.push_back(share_of_sheet(all, way, static_cast<std::size_t>(parts.first() + k),
                                               static_cast<std::size_t>(parts.size())));
        for (const Particles& one : particles) views.push_back(one.view());
    }
};

inline density::Grid sheet_grid(std::int64_t cells)
{
    density::Grid grid;
    grid.box.side = sheet_box;
    for (density::GridAxis& axis : grid.axis) axis = {0, sheet_box, cells};
    return grid;
}

inline void expect_same_grid(density::DensityGrid& found, density::DensityGrid& expected)
{
    const auto cells = static_cast<std::size_t>(expected.grid().n_cells());
    const std::size_t sums = cells * static_cast<std::size_t>(expected.fields().sums_per_cell());
    EXPECT_EQ(std::memcmp(found.sums(), expected.sums(), sums * sizeof(FixedSum)), 0);
    if (expected.fields().streams) {
        EXPECT_EQ(std::memcmp(found.stream_counts(), expected.stream_counts(), cells * sizeof(Index)), 0);
    }
    EXPECT_EQ(found.total_mass(), expected.total_mass());
    EXPECT_EQ(found.signed_volume, expected.signed_volume);
    EXPECT_EQ(found.lattice_axes, expected.lattice_axes);
    EXPECT_EQ(found.first_id, expected.first_id);
    EXPECT_EQ(found.lattice_side, expected.lattice_side);
}

/// Grids of one rank, which those of any number of parts are compared with.
class OneRankGrid {
public:
    OneRankGrid(const Particles& particles, const density::DepositConfig& config, Exec exec = {})
        : particles_(particles),
          config_(config),
          exec_(exec),
          grid_(density::deposit(exec, particles.view(), config))
    {
    }

    density::DensityGrid& grid() { return grid_; }

    void expect_of_parts(comm::Communicator& ranks, comm::DeviceMoves& moves, int per_rank, int way,
                         density::Split split)
    {
        SCOPED_TRACE(testing::Message() << ranks.size() * per_rank << " parts, shares " << way << ", split "
                                        << density::name_of(split));
        comm::Parts parts(ranks, per_rank);
        const SheetShares shares(parts, particles_, way);
        density::GridOverParts made =
            density::deposit_over_parts(exec_, parts, moves, shares.views, config_, split);
        ASSERT_EQ(made.grid.has_value(), ranks.rank() == 0);
        if (made.grid) expect_same_grid(*made.grid, grid_);
        if (config_.fields.streams && config_.grid.wraps(0)) {
            const density::Lattice lattice =
                density::make_lattice(particles_.view(), config_.grid.box, config_.lattice);
            ASSERT_TRUE(made.mean_streams);
            EXPECT_EQ(*made.mean_streams,
                      density::mean_streams(particles_.view(), config_.grid.box, lattice));
        }
    }

private:
    const Particles& particles_;
    density::DepositConfig config_;
    Exec exec_;
    density::DensityGrid grid_;
};

/// All that the sink was given.
struct OctreeNumbers {
    std::map<Index, std::vector<double>> sums, streams;
    density::OctreeTotals totals;

    density::PatchSink sink()
    {
        return [this](const density::PatchFields& patch) {
            sums[patch.node].assign(patch.sums.begin(), patch.sums.end());
            streams[patch.node].assign(patch.streams.begin(), patch.streams.end());
        };
    }
};

class OneRankOctree {
public:
    OneRankOctree(const Particles& particles, const density::OctreeConfig& config, Exec exec = {})
        : particles_(particles),
          config_(config),
          exec_(exec),
          plan_(density::plan_octree(particles.view(), config))
    {
        numbers_.totals = density::deposit_octree(exec, particles.view(), plan_, numbers_.sink());
    }

    const density::OctreePlan& plan() const { return plan_; }

    void expect_of_parts(comm::Communicator& ranks, int per_rank, int way) const
    {
        SCOPED_TRACE(testing::Message() << ranks.size() * per_rank << " parts, shares " << way);
        comm::Parts parts(ranks, per_rank);
        const SheetShares shares(parts, particles_, way);
        const density::OctreeOverParts octree = density::plan_octree_over_parts(parts, shares.views, config_);
        EXPECT_EQ(octree.plans[0].tree().n_nodes(), plan_.tree().n_nodes());
        EXPECT_EQ(octree.plans[0].signed_volume, plan_.signed_volume);
        OctreeNumbers found;
        found.totals = density::deposit_octree_over_parts(exec_, parts, octree, found.sink());
        if (ranks.rank() > 0) {
            EXPECT_TRUE(found.sums.empty());
            return;
        }
        EXPECT_EQ(found.sums, numbers_.sums);
        EXPECT_EQ(found.streams, numbers_.streams);
        EXPECT_EQ(found.totals.mass, numbers_.totals.mass);
        EXPECT_EQ(found.totals.momentum.x, numbers_.totals.momentum.x);
    }

private:
    const Particles& particles_;
    density::OctreeConfig config_;
    Exec exec_;
    density::OctreePlan plan_;
    OctreeNumbers numbers_;
};

inline density::OctreeConfig sheet_octree(std::int64_t cells, std::uint64_t refine_above, Index levels,
                                          density::Fields fields = {})
{
    return {.root = sheet_grid(cells),
            .rules = {.refine_above = refine_above, .levels = levels},
            .fields = fields,
            .lattice = {}};
}

}  // namespace aureole::test
