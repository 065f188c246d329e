#include "density/ranks/deposit_by_space.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <numeric>

#include "density/octree/octree_build.hpp"
#include "sim/core/device.hpp"
#include "sim/core/memory/device_transfer.hpp"

namespace aureole::density {
namespace {

/// Blocks by the planes of cells that they may reach into.
class BlocksAlongX {
public:
    BlocksAlongX(const PartBlocks& blocks, const Grid& grid)
        : blocks_(blocks.block),
          planes_(static_cast<std::size_t>(grid.axis[0].cells)),
          period_(CellCoordinates(grid).period().x),
          boxes_(block_boxes(blocks.corners(), blocks.block, CellCoordinates(grid)))
    {
    }

    bool reaches(std::size_t k, std::size_t begin, std::size_t end) const
    {
        return begin < end &&
               boxes_[k].axis[0].reaches(static_cast<double>(begin), static_cast<double>(end), period_);
    }

    /// Each block counts for as much, spread over the planes of its bounding box.
    std::vector<std::uint64_t> work() const
    {
        constexpr double of_block = 1 << 20;
        std::vector<std::uint64_t> planes(planes_);
        for (const PeriodicBox& box : boxes_) {
            const double low = std::floor(box.axis[0].low), high = std::floor(box.axis[0].high);
            const auto each = static_cast<std::uint64_t>(of_block / (high - low + 1));
            for (double x = low; x <= high; ++x) {
                const double plane = x < period_ ? x : x - period_;
                if (plane >= 0 && plane < static_cast<double>(planes_))
                    planes[static_cast<std::size_t>(plane)] += each;
            }
        }
        return planes;
    }

private:
    const std::vector<Index>& blocks_;
    std::size_t planes_;
    double period_;
    std::vector<PeriodicBox> boxes_;
};

std::size_t cells_of_plane(const Grid& grid)
{
    return static_cast<std::size_t>(grid.axis[1].cells * grid.axis[2].cells);
}

/// The planes of one part, the blocks that reach into them, and those whose volumes it counts: each block is
/// counted by the part that holds it before the exchange.
struct Slab {
    std::size_t begin, end;
    std::size_t n_sums, n_streams;

    Slab(const DepositConfig& config, std::size_t first, std::size_t last)
        : begin(first),
          end(last),
          n_sums((last - first) * cells_of_plane(config.grid) *
                 static_cast<std::size_t>(config.fields.sums_per_cell())),
          n_streams(config.fields.streams ? (last - first) * cells_of_plane(config.grid) : 0)
    {
    }
    std::size_t bytes() const { return n_sums * sizeof(FixedSum) + n_streams * sizeof(Index); }
};

/// Fills a slab; returns its sums, then its stream counts, as bytes of host memory.
comm::Parts::Box filled(Exec exec, const Slab& slab, const PartBlocks& blocks,
                        std::span<const Index> first_here, double speed_unit, const DepositConfig& config,
                        VolumeSum& volume)
{
    comm::Parts::Box home(slab.bytes());
    if (slab.n_sums == 0) return home;
    const bool on_host = exec.backend == Backend::cpu;
    Buffer<FixedSum> sums(exec.backend, on_host ? 0 : slab.n_sums);
    Buffer<Index> streams(exec.backend, on_host ? 0 : slab.n_streams);
    auto* const home_sums = reinterpret_cast<FixedSum*>(home.data());
    auto* const home_streams = reinterpret_cast<Index*>(home.data() + slab.n_sums * sizeof(FixedSum));
    if (!on_host) {
        device::fill_zero(exec.stream, sums.data(), slab.n_sums * sizeof(FixedSum));
        device::fill_zero(exec.stream, streams.data(), slab.n_streams * sizeof(Index));
        device::synchronize();
    }
    const GridSums to{config.grid,
                      on_host ? home_sums : sums.data(),
                      {static_cast<std::int64_t>(slab.begin), static_cast<std::int64_t>(slab.end) - 1}};
    Index* const counts = slab.n_streams == 0 ? nullptr : on_host ? home_streams : streams.data();
    const Patch patches[2] = {{to, counts, true}, {to, counts, false}};
    std::vector<TetrahedronTask> tasks;
    for (const Index block : blocks.block)
        tasks.push_back({std::ranges::binary_search(first_here, block) ? Index{0} : Index{1}, block});
    volume.add(deposit_blocks(exec, blocks,
                              {.patches = patches,
                               .tasks = tasks,
                               .moments = config.fields.moments(),
                               .speed_scale = 1 / speed_unit,
                               .precision = config.precision,
                               .progress = config.progress},
                              CellCoordinates(config.grid)));
    if (on_host) return home;
    device::download(home_sums, sums.data(), slab.n_sums * sizeof(FixedSum));
    device::download(home_streams, streams.data(), slab.n_streams * sizeof(Index));
    return home;
}

void put_slab(DensityGrid& grid, const Slab& slab, const comm::Parts::Box& box)
{
    const std::size_t plane = cells_of_plane(grid.grid());
    const auto n_sums = static_cast<std::size_t>(grid.fields().sums_per_cell());
    if (slab.n_sums > 0)
        std::memcpy(grid.sums() + slab.begin * plane * n_sums, box.data(), slab.n_sums * sizeof(FixedSum));
    if (slab.n_streams > 0)
        std::memcpy(grid.stream_counts() + slab.begin * plane, box.data() + slab.n_sums * sizeof(FixedSum),
                    slab.n_streams * sizeof(Index));
}

double since(std::chrono::steady_clock::time_point& last)
{
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(now - std::exchange(last, now)).count();
}

}  // namespace

std::vector<std::size_t> even_cuts(std::span<const std::uint64_t> work, std::size_t runs)
{
    const auto total = std::reduce(work.begin(), work.end(), std::uint64_t{0});
    std::vector<std::size_t> cuts{0};
    std::uint64_t before = 0;
    for (std::size_t k = 0; k < work.size(); ++k) {
        // an entry belongs to the run that its middle lies in
        const double middle = static_cast<double>(before) + 0.5 * static_cast<double>(work[k]);
        while (cuts.size() < runs &&
               middle * static_cast<double>(runs) >=
                   static_cast<double>(total) * static_cast<double>(cuts.size()) &&
               total > 0)
            cuts.push_back(k);
        before += work[k];
    }
    while (cuts.size() < runs + 1) cuts.push_back(work.size());
    return cuts;
}

VolumeSum deposit_blocks(Exec exec, const PartBlocks& blocks, const TetrahedronWork& work,
                         const CellCoordinates& cells)
{
    if (blocks.block.empty()) return {};
    if (exec.backend != Backend::cpu) return deposit_tasks_cuda(blocks.corners(), work);
    deposit_tasks_cpu(blocks.corners(), work);
    std::vector<Index> counted;
    for (const TetrahedronTask& task : work.tasks)
        if (work.patches[task.patch].adds_volume) counted.push_back(task.block);
    return volumes_of_blocks(blocks.corners(), counted, cells).with_sign;
}

double deposit_by_space(Exec exec, comm::Parts& parts, const SheetOverParts& sheet,
                        const DepositConfig& config, GridOverParts& made)
{
    auto clock = std::chrono::steady_clock::now();
    const auto n_parts = static_cast<std::size_t>(parts.size());
    std::vector<BlocksAlongX> along;
    std::vector<std::vector<std::uint64_t>> work;
    parts.agreed_phase([&](int, int k) {
        along.emplace_back(sheet.held[static_cast<std::size_t>(k)], config.grid);
        work.push_back(along.back().work());
    });
    const std::vector<std::size_t> cuts = even_cuts(parts.all_reduce(work, comm::Reduction::sum), n_parts);
    const auto slab_of = [&](std::size_t part) { return Slab(config, cuts[part], cuts[part + 1]); };

    // a block that reaches nowhere still has a volume: the first part with planes counts it
    std::size_t spare = 0;
    while (cuts[spare] == cuts[spare + 1]) ++spare;
    BlocksToParts to(along.size()), counted(along.size());
    parts.agreed_phase([&](int, int k) {
        const auto own = static_cast<std::size_t>(k);
        const std::vector<Index>& blocks = sheet.held[own].block;
        to[own].resize(n_parts);
        counted[own].resize(n_parts);
        for (std::size_t b = 0; b < blocks.size(); ++b) {
            std::size_t first = n_parts;
            for (std::size_t part = n_parts; part-- > 0;)
                if (along[own].reaches(b, cuts[part], cuts[part + 1])) {
                    to[own][part].push_back(blocks[b]);
                    first = part;
                }
            if (first == n_parts) to[own][first = spare].push_back(blocks[b]);
            counted[own][first].push_back(blocks[b]);
        }
    });
    comm::Parts::Boxes lists = parts.boxes();
    for (std::size_t k = 0; k < lists.size(); ++k)
        for (std::size_t part = 0; part < n_parts; ++part) {
            const auto bytes = std::as_bytes(std::span(counted[k][part]));
            lists[k][part].assign(bytes.begin(), bytes.end());
        }
    const comm::Parts::Boxes counted_here = parts.exchange(std::move(lists));
    const std::vector<PartBlocks> here = send_blocks(parts, sheet.held, to, config.fields.moments());
    made.exchange_seconds += since(clock);

    comm::Parts::Boxes home = parts.boxes();
    std::vector<VolumeSum> volumes(along.size());
    parts.agreed_phase([&](int part, int k) {
        const auto own = static_cast<std::size_t>(k);
        std::vector<Index> first_here;
        for (const comm::Parts::Box& box : counted_here[own]) {
            const std::size_t before = first_here.size();
            first_here.resize(before + box.size() / sizeof(Index));
            if (!box.empty()) std::memcpy(&first_here[before], box.data(), box.size());
        }
        std::ranges::sort(first_here);
        home[own][0] = filled(exec, slab_of(static_cast<std::size_t>(part)), here[own], first_here,
                              sheet.speed_unit, config, volumes[own]);
    });
    made.deposit_seconds = since(clock);
    const comm::Parts::Boxes slabs = parts.exchange(std::move(home));
    if (made.grid)
        for (std::size_t part = 0; part < n_parts; ++part)
            put_slab(*made.grid, slab_of(part), slabs[0][part]);
    const double volume = added_over_parts(parts, volumes).value();
    made.home_seconds = since(clock);
    return volume;
}

}  // namespace aureole::density
