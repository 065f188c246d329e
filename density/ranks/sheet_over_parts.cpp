#include "density/ranks/sheet_over_parts.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "density/deposit/density_grid.hpp"
#include "density/ranks/lattice_survey.hpp"
#include "sim/core/error.hpp"

namespace aureole::density {
namespace {

/// A block with a corner at a site, along one axis.
struct AxisCorner {
    Index block, corner;
};

/// Those of a site: one, or two where faces of blocks meet.
struct AxisCorners {
    AxisCorner of[2];
    int count;

    AxisCorners(Index site, Index side)
        : of{{site / cubes_per_block_side, site % cubes_per_block_side}, {}}, count(1)
    {
        if (site % cubes_per_block_side != 0) return;
        const Index blocks = LatticeBlocks{side}.per_axis();
        const Index before = (of[0].block + blocks - 1) % blocks;
        of[count++] = {before, std::min(cubes_per_block_side, side - before * cubes_per_block_side)};
    }
};

/// Calls body(block, corner) for all corners of blocks at a site.
template <class Body>
void for_each_corner(std::uint64_t site, Index side, Body&& body)
{
    const Index n = LatticeBlocks{side}.per_axis();
    const std::uint64_t plane = std::uint64_t{side} * side;
    const AxisCorners x(static_cast<Index>(site / plane), side),
        y(static_cast<Index>(site / side % side), side), z(static_cast<Index>(site % side), side);
    for (int i = 0; i < x.count; ++i)
        for (int j = 0; j < y.count; ++j)
            for (int k = 0; k < z.count; ++k)
                body((x.of[i].block * n + y.of[j].block) * n + z.of[k].block,
                     block_corner(x.of[i].corner, y.of[j].corner, z.of[k].corner));
}

/// From ids to sites of the lattice that is used.
class SitesOfIds {
public:
    static constexpr std::uint64_t unused = ~std::uint64_t{0};

    SitesOfIds(const Lattice& lattice, Index every)
        : first_(lattice.first_id), side_(lattice.side * every), every_(every), used_(lattice.side)
    {
        for (std::size_t d = 0; d < 3; ++d) axis_[d] = static_cast<std::size_t>(lattice.axes[d] - 'x');
    }

    std::uint64_t operator()(std::uint64_t id) const
    {
        const std::uint64_t place = id - first_;
        const std::uint64_t digit[3] = {place / side_ / side_, place / side_ % side_, place % side_};
        std::uint64_t at[3];
        for (std::size_t d = 0; d < 3; ++d) {
            if (digit[d] % every_ != 0) return unused;
            at[axis_[d]] = digit[d] / every_;
        }
        return (at[0] * used_ + at[1]) * used_ + at[2];
    }

private:
    std::uint64_t first_, side_, every_, used_;
    std::size_t axis_[3];
};

/// Packs sites, positions and velocities of one share for the parts that need them, by all threads.
class SharePacker {
public:
    SharePacker(const ConstParticlesView& particles, const SitesOfIds& sites, Index side,
                const BlockDeal& deal, std::size_t parts, bool velocities)
        : p_(particles), sites_(sites), side_(side), deal_(deal), parts_(parts), velocities_(velocities)
    {
    }

    static std::size_t bytes(bool velocities)
    {
        return sizeof(std::uint64_t) + (velocities ? 2 : 1) * sizeof(Vec3);
    }

    std::vector<comm::Parts::Box> pack() const
    {
        const auto threads = static_cast<std::size_t>(omp_get_max_threads());
        std::vector<std::vector<std::size_t>> at(threads, std::vector<std::size_t>(parts_));
        over_threads(threads, [&](std::size_t t) {
            for_each_record(t, threads, [&](std::size_t part, std::uint64_t, Index) { ++at[t][part]; });
        });
        std::vector<comm::Parts::Box> boxes(parts_);
        for (std::size_t part = 0; part < parts_; ++part) {
            std::size_t sum = 0;
            for (std::size_t t = 0; t < threads; ++t) sum += std::exchange(at[t][part], sum);
            boxes[part].resize(sum * bytes(velocities_));
        }
        over_threads(threads, [&](std::size_t t) {
            for_each_record(t, threads, [&](std::size_t part, std::uint64_t site, Index i) {
                write(boxes[part].data() + at[t][part]++ * bytes(velocities_), site, i);
            });
        });
        return boxes;
    }

private:
    template <class Work>
    static void over_threads(std::size_t threads, Work&& work)
    {
#pragma omp parallel for schedule(static, 1)
        for (std::size_t t = 0; t < threads; ++t) work(t);
    }

    /// Calls body(part, site, particle), once for each part that needs the particle.
    template <class Body>
    void for_each_record(std::size_t t, std::size_t threads, Body&& body) const
    {
        const comm::Piece piece = comm::piece_of(p_.n, 1, t, threads);
        for (std::size_t i = piece.begin; i < piece.end; ++i) {
            const std::uint64_t site = sites_(p_.id[i]);
            if (site == SitesOfIds::unused) continue;
            std::size_t to[8];
            int n = 0;
            for_each_corner(site, side_, [&](Index block, Index) {
                const std::size_t part = deal_.owner(block);
                if (std::find(to, to + n, part) == to + n) to[n++] = part;
            });
            for (int k = 0; k < n; ++k) body(to[k], site, static_cast<Index>(i));
        }
    }

    void write(std::byte* to, std::uint64_t site, Index i) const
    {
        const Vec3 numbers[2] = {p_.position.load(i), velocities_ ? p_.velocity.load(i) : Vec3{}};
        std::memcpy(to, &site, sizeof site);
        std::memcpy(to + sizeof site, numbers, (velocities_ ? 2 : 1) * sizeof(Vec3));
    }

    const ConstParticlesView& p_;
    const SitesOfIds& sites_;
    Index side_;
    const BlockDeal& deal_;
    std::size_t parts_;
    bool velocities_;
};

/// Puts what has arrived at the corners of the blocks that are here.
void place(PartBlocks& here, const comm::Parts::Box& box, bool velocities)
{
    const std::size_t bytes = SharePacker::bytes(velocities), n = box.size() / bytes;
#pragma omp parallel for if (n > parallel_threshold)
    for (std::size_t k = 0; k < n; ++k) {
        const std::byte* const record = box.data() + k * bytes;
        std::uint64_t site;
        Vec3 numbers[2]{};
        std::memcpy(&site, record, sizeof site);
        std::memcpy(numbers, record + sizeof site, (velocities ? 2 : 1) * sizeof(Vec3));
        for_each_corner(site, here.side, [&](Index block, Index corner) {
            if (here.slot[block] == PartBlocks::not_here) return;
            const std::size_t at = std::size_t{here.slot[block]} * corners_per_block + corner;
            here.position.data()[at] = numbers[0];
            if (velocities) here.velocity.data()[at] = numbers[1];
        });
    }
}

}  // namespace

SheetOverParts share_sheet(comm::Parts& parts, std::span<const ConstParticlesView> shares, Box box,
                           const LatticeChoice& choice, bool velocities)
{
    SheetOverParts sheet;
    sheet.lattice = lattice_over_parts(parts, shares, box, choice, sheet.particles);
    if (velocities) sheet.speed_unit = speed_unit_over_parts(parts, shares);
    const Index side = sheet.lattice.side;
    const auto n_parts = static_cast<std::size_t>(parts.size());
    const BlockDeal deal(LatticeBlocks{side}.count(), n_parts);
    const SitesOfIds sites(sheet.lattice, choice.every);
    comm::Parts::Boxes out = parts.boxes();
    parts.agreed_phase([&](int, int k) {
        const auto own = static_cast<std::size_t>(k);
        out[own] = SharePacker(shares[own], sites, side, deal, n_parts, velocities).pack();
    });
    comm::Parts::Boxes in = parts.exchange(std::move(out));
    parts.agreed_phase([&](int part, int k) {
        PartBlocks here(side, deal.of(static_cast<std::size_t>(part)), velocities);
        for (comm::Parts::Box& one : in[static_cast<std::size_t>(k)]) {
            place(here, one, velocities);
            one = {};
        }
        sheet.held.push_back(std::move(here));
    });
    return sheet;
}

VolumeSum added_over_parts(comm::Parts& parts, const std::vector<VolumeSum>& of_part)
{
    std::vector<comm::Parts::Box> boxes;
    for (const VolumeSum& one : of_part) {
        const auto bytes = comm::bytes_of(one);
        boxes.emplace_back(bytes.begin(), bytes.end());
    }
    VolumeSum sum;
    for (const comm::Parts::Box& box : parts.all_gather(boxes)) {
        VolumeSum one;
        std::memcpy(&one, box.data(), sizeof one);
        sum.add(one);
    }
    return sum;
}

SheetVolumes volumes_over_parts(comm::Parts& parts, const SheetOverParts& sheet, const CellCoordinates& cells)
{
    std::vector<VolumeSum> with_sign, without;
    parts.agreed_phase([&](int, int k) {
        const PartBlocks& own = sheet.held[static_cast<std::size_t>(k)];
        const SheetVolumes volumes = volumes_of_blocks(own.corners(), own.block, cells);
        with_sign.push_back(volumes.with_sign);
        without.push_back(volumes.without);
    });
    return {added_over_parts(parts, with_sign), added_over_parts(parts, without)};
}

}  // namespace aureole::density
