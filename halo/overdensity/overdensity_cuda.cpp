// The host code of the search on the GPU: summary, tree, then all centres for up to four densities at a time.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "halo/arena.hpp"
#include "halo/copy_bytes.hpp"
#include "halo/overdensity/overdensity_kernels.hpp"
#include "halo/overdensity/overdensity_tasks.hpp"
#include "sim/core/error.hpp"
#include "sim/core/spatial/ordered_bits.hpp"

namespace aureole::halo::detail {
namespace {

constexpr Backend gpu = Backend::cuda;
constexpr std::size_t most_huge = 512;  ///< in one go: each has a table of 29 kB

/// Copies host values.
template <class T>
void upload(T* to, std::span<const T> values)
{
    if (!values.empty()) device::copy(to, values.data(), values.size_bytes());
}

template <class T>
T download(const T* value)
{
    T result;
    device::copy(&result, value, sizeof result);
    return result;
}

Vec3 corner(const std::uint64_t* bits)
{
    return {from_ordered_bits(bits[0]), from_ordered_bits(bits[1]), from_ordered_bits(bits[2])};
}

/// Bits of a coordinate along the curve, for cells of a 32nd of the smallest sphere that is expected, and
/// more of them than points; the sort goes on to the end of a digit. The order inside cells changes no
/// result.
int curve_bits(const SphereTask& task, double side)
{
    constexpr int digit = 8, cells_per_radius = 32;
    double least = 0;  // mass
    for (const double mass : task.expected_mass)
        if (mass > 0 && (least == 0 || mass < least)) least = mass;
    const double cell = radius_of(least, task.thresholds.front().density) / cells_per_radius;
    int bits = static_cast<int>(std::bit_width(task.particles.n)) / 3 + 1;
    while (bits < key_bits && !(std::ldexp(cell, bits) >= side)) ++bits;
    return std::min(key_bits, (3 * bits + digit - 1) / digit * digit / 3);
}

struct DeviceCentres {
    const Vec3* place;
    const double* expected_mass;  ///< or null
};

/// What is kept from call to call. Arrays of points and centres lie in one block: each takes a GPU a tenth of
/// a millisecond to allocate.
struct SphereMemory {
    Arena arena{gpu};
    Buffer<double> on_host;  ///< masses
    Buffer<SphereProgress> progress;
    Buffer<SphereTable> table;
    Buffer<Index> arrived;
    Buffer<HugePart> part;

    void reserve(const SphereTask& task);
    /// False when no particle has mass.
    bool build(Exec exec, const SphereTask& task, DeviceMassTree& tree);
    void order(Exec exec, const SphereTask& task, const MassSummary& seen, const DeviceMassTree& tree);
    DeviceCentres upload_centres(const SphereTask& task);
    void search(Exec exec, const SphereTask& task, const DeviceMassTree& tree, const DeviceCentres& centres,
                std::span<const Threshold> thresholds, OverdensitySphere* result);
    void search_huge(Exec exec, const SphereSearch& search, std::span<const HugeSphere> spheres, Index first);
};

/// For all that is taken below, and some more, as centres grow in number from call to call.
void SphereMemory::reserve(const SphereTask& task)
{
    constexpr std::size_t alignment = 256, n_arrays = 16;
    const std::size_t n = task.particles.n, n_centres = task.centre.size();
    const std::size_t n_nodes = std::size_t{2} << BalancedTree::depth_for(n, DeviceMassTree::leaf_size);
    const std::size_t of_point = 2 * (sizeof(MassPoint) + sizeof(std::uint64_t) + sizeof(Index));
    const std::size_t of_centre = sizeof(Vec3) + 2 * sizeof(double) + max_thresholds * sizeof(double) +
                                  sizeof(Index) + sizeof(HugeSphere);
    const std::size_t bytes = n * of_point + n_nodes * sizeof(MassNode) + sort_pairs_scratch_bytes(gpu, n) +
                              n_centres * of_centre + sizeof(MassSummary) + sizeof(SphereCounters) +
                              n_arrays * alignment;
    arena.reserve(bytes, bytes + n_centres / 8 * of_centre);
}

bool SphereMemory::build(Exec exec, const SphereTask& task, DeviceMassTree& tree)
{
    const ConstParticlesView& particles = task.particles;
    if (particles.n == 0) return false;
    reserve(task);
    auto* const summary = arena.take<MassSummary>(1);
    summarize_masses(exec, particles, task.box, summary);
    const MassSummary seen = download(summary);
    if (seen.first_bad != MassSummary::none)
        throw_bad_place(seen.first_bad, fetched_id(exec, particles, seen.first_bad));
    const auto largest = std::bit_cast<double>(seen.largest_mass);
    AUREOLE_EXPECT(std::isfinite(largest), "the largest mass is {}, expected a finite one", largest);
    if (largest == 0) return false;

    const Vec3 low = corner(seen.low), high = corner(seen.high), size = high - low;
    const double half = std::max({size.x, size.y, size.z}) / 2;
    AUREOLE_EXPECT(std::isfinite(half), "positions from {} to {} along an axis: too far apart", low.x,
                   high.x);
    const int depth = BalancedTree::depth_for(particles.n, DeviceMassTree::leaf_size);
    tree = {{{particles.n, depth}, arena.take<MassNode>(std::size_t{2} << depth)},
            arena.take<MassPoint>(particles.n),
            task.box,
            {low + 0.5 * size, half > 0 ? std::ldexp(1.0, -std::ilogb(half) - 1) : 1.0},
            mass_exponent(largest, particles.n)};
    order(exec, task, seen, tree);
    return true;
}

void SphereMemory::order(Exec exec, const SphereTask& task, const MassSummary& seen,
                         const DeviceMassTree& tree)
{
    const std::size_t n = task.particles.n;
    auto* const unordered = arena.take<MassPoint>(n);
    SortBuffers pairs{arena.take<std::uint64_t>(n), arena.take<std::uint64_t>(n), arena.take<Index>(n),
                      arena.take<Index>(n)};
    auto* const scratch = arena.take<std::byte>(sort_pairs_scratch_bytes(gpu, n));
    const Vec3 low = corner(seen.low), size = corner(seen.high) - low;
    const double side = std::max({size.x, size.y, size.z});
    const int bits = curve_bits(task, side);
    const auto cells = static_cast<double>(std::uint64_t{1} << bits);
    const double per_length = side > 0 ? std::min(cells / side, std::numeric_limits<double>::max()) : 0.0;
    make_mass_keys(exec, task.particles, task.box, {low, per_length, bits}, pairs, unordered);
    sort_pairs(exec, n, pairs, 3 * bits, scratch);
    build_mass_tree(exec, unordered, pairs.value, tree);
}

/// Those of spheres [first, first + size) of the list.
void SphereMemory::search_huge(Exec exec, const SphereSearch& search, std::span<const HugeSphere> spheres,
                               Index first)
{
    std::vector<HugePart> parts;
    for (std::size_t i = 0; i < spheres.size(); ++i)
        for (Index k = 0; k < spheres[i].n_parts; ++k)
            parts.push_back({static_cast<Index>(i), k, spheres[i].n_parts});
    part.require(gpu, parts.size());
    upload(part.data(), std::span<const HugePart>(parts));
    progress.require(gpu, spheres.size());
    table.require(gpu, spheres.size());
    arrived.require(gpu, spheres.size());
    const HugeSearch shared{progress.data(),
                            table.data(),
                            arrived.data(),
                            part.data(),
                            static_cast<Index>(parts.size()),
                            static_cast<Index>(spheres.size())};
    start_huge_spheres(exec.stream, search, shared, first);
    constexpr int usual_passes = 3;  // a summary, a histogram, a list
    for (int pass = 0; pass < usual_passes; ++pass) continue_huge_spheres(exec.stream, search, shared);
    while (download(search.counters).n_unfinished > 0) continue_huge_spheres(exec.stream, search, shared);
}

DeviceCentres SphereMemory::upload_centres(const SphereTask& task)
{
    auto* const place = arena.take<Vec3>(task.centre.size());
    upload(place, task.centre);
    if (task.expected_mass.empty()) return {place, nullptr};
    auto* const mass = arena.take<double>(task.expected_mass.size());
    upload(mass, task.expected_mass);
    return {place, mass};
}

void SphereMemory::search(Exec exec, const SphereTask& task, const DeviceMassTree& tree,
                          const DeviceCentres& centres, std::span<const Threshold> thresholds,
                          OverdensitySphere* result)
{
    std::vector<double> density;  // of equal ones, one
    for (const Threshold& t : thresholds)
        if (density.empty() || density.back() != t.density) density.push_back(t.density);
    const std::size_t n = task.centre.size(), width = density.size();
    const Arena::Frame frame(arena);
    SphereSearch search{.tree = tree,
                        .n_centres = static_cast<Index>(n),
                        .centre = centres.place,
                        .expected_mass = centres.expected_mass,
                        .radius = arena.take<double>(n),
                        .found_mass = arena.take<double>(n * max_thresholds),
                        .large = arena.take<Index>(n),
                        .huge = arena.take<HugeSphere>(n),
                        .counters = arena.take<SphereCounters>(1),
                        .density = {},
                        .n_thresholds = static_cast<int>(width),
                        .crossing = task.crossing};
    std::copy(density.begin(), density.end(), search.density);
    if (task.crossing == Crossing::outermost) bound_outermost(exec.stream, search);
    search_small_spheres(exec.stream, search);
    search_large_spheres(exec.stream, search);
    std::vector<HugeSphere> spheres(download(search.counters).n_huge);
    if (!spheres.empty()) device::copy(spheres.data(), search.huge, spheres.size() * sizeof(HugeSphere));
    for (std::size_t first = 0; first < spheres.size(); first += most_huge)
        search_huge(exec, search,
                    std::span(spheres).subspan(first, std::min(most_huge, spheres.size() - first)),
                    static_cast<Index>(first));
    on_host.require(Backend::cpu, n * width);
    device::copy(on_host.data(), search.found_mass, n * width * sizeof(double));
    std::vector<std::size_t> column;  // of every threshold
    for (std::size_t t = 0, k = 0; t < thresholds.size(); ++t) {
        if (density[k] != thresholds[t].density) ++k;
        column.push_back(k);
    }
    // radii on the host, where ranks have them as well: cube roots of different libraries differ in their
    // last digit
    const double* const row = on_host.data();
#pragma omp parallel for if (n > parallel_threshold)
    for (std::size_t c = 0; c < n; ++c)
        for (std::size_t t = 0; t < thresholds.size(); ++t) {
            const double mass = row[c * width + column[t]];
            result[c * task.n_densities + thresholds[t].place] = {
                mass, mass > 0 ? radius_of(mass, thresholds[t].density) : mass};
        }
}

class SpheresOnDevice : public CudaSpheres {
public:
    void run(Exec exec, const SphereTask& task, OverdensitySphere* result) override;

private:
    SphereMemory memory_;
};

void SpheresOnDevice::run(Exec exec, const SphereTask& task, OverdensitySphere* result)
{
    AUREOLE_EXPECT(task.centre.size() < max_particles, "{} centres, expected fewer than {}",
                   task.centre.size(), max_particles);
    const Arena::Frame frame(memory_.arena);
    DeviceMassTree tree;
    if (!memory_.build(exec, task, tree)) {
        for (const Threshold& t : task.thresholds)
            for (std::size_t c = 0; c < task.centre.size(); ++c)
                result[c * task.n_densities + t.place] = {0, 0};
        return;
    }
    const DeviceCentres centres = memory_.upload_centres(task);
    for (std::size_t first = 0; first < task.thresholds.size();) {
        std::size_t end = first, different = 0;
        for (; end < task.thresholds.size(); ++end) {
            const bool repeated =
                end > first && task.thresholds[end].density == task.thresholds[end - 1].density;
            if (!repeated && ++different > max_thresholds) break;
        }
        memory_.search(exec, task, tree, centres, task.thresholds.subspan(first, end - first), result);
        first = end;
    }
}

}  // namespace

std::unique_ptr<CudaSpheres> make_cuda_spheres() { return std::make_unique<SpheresOnDevice>(); }

}  // namespace aureole::halo::detail
