// Slabs across x of about as many particles, and the particles in their order: what slabs.cpp searches one
// after the other.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "sim/core/particles_view.hpp"
#include "sim/core/spatial/box.hpp"

namespace aureole::halo {

inline constexpr std::size_t most_slabs = 120;

/// Slabs of equal numbers of particles that so many threads are to have: two a thread, 32 at least.
constexpr std::size_t least_slabs(std::size_t n_threads)
{
    return std::clamp<std::size_t>(2 * n_threads, 32, most_slabs);
}

struct CoordinateRange {
    double low = std::numeric_limits<double>::infinity(), high = -low;
};

/// Runs of particles that one thread takes, so that what it selects stays in order.
struct ParticleBlocks {
    Index n;

    static constexpr Index length = 1 << 15;

    Index size() const { return (n + length - 1) / length; }
    Index begin(Index block) const { return block < size() ? block * length : n; }
};

/// Where x is cut.
struct Slabs {
    static constexpr std::size_t n_bins = 1 << 14;  ///< of x, which faces are chosen from

    CoordinateRange range, y, z;  ///< of all particles; `range` of x
    double bins_per_length = 0, margin = 0;
    double rounding = 0;                                         ///< how far from its face a slab may end
    double high_face = std::numeric_limits<double>::infinity();  ///< of a periodic box, less the margin
    std::vector<double> low;                                     ///< lower faces, rising
    std::vector<std::uint8_t> slab_of_bin = std::vector<std::uint8_t>(n_bins);

    std::size_t size() const { return low.size(); }
    std::size_t bin_of(double x) const
    {
        return std::min(n_bins - 1, static_cast<std::size_t>((x - range.low) * bins_per_length));
    }
    /// 2 s within the margin above the lower face of slab s, else 2 s + 1; one more at the upper face of the
    /// box.
    std::size_t part_of(double x) const
    {
        const std::size_t slab = slab_of_bin[bin_of(x)];
        if (x - low[slab] <= margin) return 2 * slab;
        return 2 * slab + 1 + (x >= high_face ? 1 : 0);
    }
};

/// Faces where a slab has `in_slab` particles and is thick enough, from positions on the host. Nothing where
/// one then holds too many, and for positions that are not finite.
std::optional<Slabs> cut(const ConstVec3View& position, Index n, const Box& box, double linking_length,
                         std::size_t in_slab);

/// Where each part of a slab begins among particles by parts.
inline constexpr std::size_t most_slab_parts = 2 * most_slabs + 3;
using PartBeginnings = std::array<Index, most_slab_parts + 1>;

/// The particles by parts of slabs, by a counting sort that keeps the order of the input in each part.
PartBeginnings order_by_slab(const double* x, Index n, const Box& box, const Slabs& slabs, Index* particle);

}  // namespace aureole::halo
