// The host code of the search on the GPU: summary, tree, then all centres for up to four densities at a time.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "halo/copy_bytes.hpp"
#include "halo/overdensity/overdensity_kernels.hpp"
#include "halo/overdensity/overdensity_tasks.hpp"
#include "sim/core/error.hpp"
#include "sim/core/spatial/ordered_bits.hpp"

namespace aureole::halo::detail {
namespace {

constexpr Backend gpu = Backend::cuda;
constexpr std::size_t most_huge = 512;  ///< in one go: each has a table of 29 kB

/// A copy of host values in memory that is kept.
template <class T>
void upload(Buffer<T>& buffer, std::span<const T> values)
{
    buffer.require(gpu, values.size());
    if (!values.empty()) device::copy(buffer.data(), values.data(), values.size_bytes());
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

struct SphereMemory {
    Buffer<MassSummary> summary;
    Buffer<MassPoint> unordered, point;
    Buffer<MassNode> node;
    Buffer<std::uint64_t> key, spare_key;
    Buffer<Index> value, spare_value;
    Buffer<std::byte> scratch;

    Buffer<Vec3> centre;
    Buffer<double> expected_mass, radius;
    Buffer<FoundSphere> found, on_host;
    Buffer<Index> large;
    Buffer<HugeSphere> huge;
    Buffer<SphereCounters> counters;
    Buffer<SphereProgress> progress;
    Buffer<SphereTable> table;
    Buffer<Index> arrived;
    Buffer<HugePart> part;

    /// False when no particle has mass.
    bool build(Exec exec, const SphereTask& task, DeviceMassTree& tree);
    void order(Exec exec, const SphereTask& task, const MassSummary& seen, const DeviceMassTree& tree);
    void search(Exec exec, const SphereTask& task, const DeviceMassTree& tree,
                std::span<const Threshold> thresholds, OverdensitySphere* result);
    void search_huge(Exec exec, const SphereSearch& search, std::span<const HugeSphere> spheres, Index first);
};

bool SphereMemory::build(Exec exec, const SphereTask& task, DeviceMassTree& tree)
{
    const ConstParticlesView& particles = task.particles;
    if (particles.n == 0) return false;
    summary.require(gpu, 1);
    summarize_masses(exec, particles, task.box, summary.data());
    const MassSummary seen = download(summary.data());
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
    point.require(gpu, particles.n);
    node.require(gpu, std::size_t{2} << depth);
    tree = {{{particles.n, depth}, node.data()},
            point.data(),
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
    unordered.require(gpu, n);
    key.require(gpu, n);
    spare_key.require(gpu, n);
    value.require(gpu, n);
    spare_value.require(gpu, n);
    scratch.require(gpu, sort_pairs_scratch_bytes(gpu, n));
    const Vec3 low = corner(seen.low), size = corner(seen.high) - low;
    const double side = std::max({size.x, size.y, size.z});
    const int bits = curve_bits(task, side);
    const auto cells = static_cast<double>(std::uint64_t{1} << bits);
    const double per_length = side > 0 ? std::min(cells / side, std::numeric_limits<double>::max()) : 0.0;
    SortBuffers pairs{key.data(), spare_key.data(), value.data(), spare_value.data()};
    make_mass_keys(exec, task.particles, task.box, {low, per_length, bits}, pairs, unordered.data());
    sort_pairs(exec, n, pairs, 3 * bits, scratch.data());
    build_mass_tree(exec, unordered.data(), pairs.value, tree);
}

/// Those of spheres [first, first + size) of the list.
void SphereMemory::search_huge(Exec exec, const SphereSearch& search, std::span<const HugeSphere> spheres,
                               Index first)
{
    std::vector<HugePart> parts;
    for (std::size_t i = 0; i < spheres.size(); ++i)
        for (Index k = 0; k < spheres[i].n_parts; ++k)
            parts.push_back({static_cast<Index>(i), k, spheres[i].n_parts});
    upload(part, std::span<const HugePart>(parts));
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

void SphereMemory::search(Exec exec, const SphereTask& task, const DeviceMassTree& tree,
                          std::span<const Threshold> thresholds, OverdensitySphere* result)
{
    std::vector<double> density;  // of equal ones, one
    for (const Threshold& t : thresholds)
        if (density.empty() || density.back() != t.density) density.push_back(t.density);
    const std::size_t n = task.centre.size(), width = density.size();
    radius.require(gpu, n);
    found.require(gpu, n * max_thresholds);
    large.require(gpu, n);
    huge.require(gpu, n);
    counters.require(gpu, 1);
    SphereSearch search{.tree = tree,
                        .n_centres = static_cast<Index>(n),
                        .centre = centre.data(),
                        .expected_mass = task.expected_mass.empty() ? nullptr : expected_mass.data(),
                        .radius = radius.data(),
                        .result = found.data(),
                        .large = large.data(),
                        .huge = huge.data(),
                        .counters = counters.data(),
                        .density = {},
                        .n_thresholds = static_cast<int>(width),
                        .crossing = task.crossing};
    std::copy(density.begin(), density.end(), search.density);
    if (task.crossing == Crossing::outermost) bound_outermost(exec.stream, search);
    search_small_spheres(exec.stream, search);
    search_large_spheres(exec.stream, search);
    std::vector<HugeSphere> spheres(download(counters.data()).n_huge);
    if (!spheres.empty()) device::copy(spheres.data(), huge.data(), spheres.size() * sizeof(HugeSphere));
    for (std::size_t first = 0; first < spheres.size(); first += most_huge)
        search_huge(exec, search,
                    std::span(spheres).subspan(first, std::min(most_huge, spheres.size() - first)),
                    static_cast<Index>(first));
    on_host.require(Backend::cpu, n * width);
    device::copy(on_host.data(), found.data(), n * width * sizeof(FoundSphere));
    std::vector<std::size_t> column;  // of every threshold
    for (std::size_t t = 0, k = 0; t < thresholds.size(); ++t) {
        if (density[k] != thresholds[t].density) ++k;
        column.push_back(k);
    }
    const FoundSphere* const row = on_host.data();
#pragma omp parallel for if (n > parallel_threshold)
    for (std::size_t c = 0; c < n; ++c)
        for (std::size_t t = 0; t < thresholds.size(); ++t) {
            const FoundSphere& sphere = row[c * width + column[t]];
            result[c * task.n_densities + thresholds[t].place] = {sphere.mass, sphere.radius};
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
    DeviceMassTree tree;
    if (!memory_.build(exec, task, tree)) {
        for (const Threshold& t : task.thresholds)
            for (std::size_t c = 0; c < task.centre.size(); ++c)
                result[c * task.n_densities + t.place] = {0, 0};
        return;
    }
    upload(memory_.centre, task.centre);
    upload(memory_.expected_mass, task.expected_mass);
    for (std::size_t first = 0; first < task.thresholds.size();) {
        std::size_t end = first, different = 0;
        for (; end < task.thresholds.size(); ++end) {
            const bool repeated =
                end > first && task.thresholds[end].density == task.thresholds[end - 1].density;
            if (!repeated && ++different > max_thresholds) break;
        }
        memory_.search(exec, task, tree, task.thresholds.subspan(first, end - first), result);
        first = end;
    }
}

}  // namespace

std::unique_ptr<CudaSpheres> make_cuda_spheres() { return std::make_unique<SpheresOnDevice>(); }

}  // namespace aureole::halo::detail
