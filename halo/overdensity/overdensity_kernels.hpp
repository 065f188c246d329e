// Spheres about many centres on the GPU. Three sizes: a small block keeps all particles of a sphere in shared
// memory, sorts them and sweeps outward; a large one finds the end of the sphere in histograms of mass by
// distance, ever finer, until few particles are left to sort; and many blocks share the histograms of a huge
// one. Masses are added as integers, so neither the order of additions nor the size chosen changes a bit.
//
// The innermost crossing is looked for from the inside out, in a radius that grows until the mean density has
// fallen below the lowest threshold. The outermost is looked for from the outside in: first kernels bound
// how far out it can lie (outermost_bound.hpp), and where a window did not hold it, what is nearer is
// searched.
#pragma once

#include "halo/overdensity/crossing.hpp"
#include "halo/overdensity/mass_sum.hpp"
#include "halo/overdensity/overdensity_tree.hpp"

namespace aureole::halo {

inline constexpr int max_thresholds = 4;  ///< of one search; more are searched in turn
inline constexpr int table_bins = 1024;   ///< of the first histogram, whose bins all thresholds share
inline constexpr int window_bins = table_bins / max_thresholds;  ///< of one threshold later
inline constexpr int list_capacity = 256;                        ///< particles of a window that are sorted

/// Of one threshold: where its sphere is looked for next. Distances are bits of squared distances, which sort
/// like these.
struct SphereWindow {
    enum Stage : std::uint32_t { histogram, list, done };
    std::uint64_t begin, end;  ///< distances in [begin, end)
    std::uint64_t base;        ///< bin b ends at base + ((b + 1) << shift), bin 0 starts at begin
    MassSum before;            ///< nearer than begin
    int shift;
    Stage stage;
    // of innermost crossings alone
    std::uint64_t limit;       ///< nothing is looked for from here on
    std::uint32_t sure;        ///< the sphere ends at `end` or before
    std::uint32_t limit_sure;  ///< the same of `limit`
};

/// What is known about the spheres of one centre.
struct SphereProgress {
    enum Stage : std::uint32_t { count, windows, done };
    Vec3 centre;
    double radius, widest;
    std::uint64_t limit_end;  ///< distances of the first count are below this
    double limit_squared;     ///< no other particle is nearer than this
    double first_mass;        ///< of the nearest particles
    Stage stage;
    Index place;  ///< of the centre
    SphereWindow window[max_thresholds];
};

/// Masses by distance of one centre, and lists of the particles in narrow windows.
struct SphereTable {
    std::uint32_t count[table_bins];
    std::uint32_t limb[3][table_bins];  ///< of the masses, least first
    std::uint64_t nearest;              ///< bits of the least squared distance
    std::uint64_t distance[max_thresholds][list_capacity];
    Index point[max_thresholds][list_capacity];
    std::uint32_t listed[max_thresholds];
};

/// A centre that many blocks share.
struct HugeSphere {
    Index centre;
    Index n_parts;  ///< how many blocks are worth while
};

struct SphereCounters {
    Index n_large, next_large, n_huge;
    Index n_unfinished;  ///< huge ones
};

/// A search for the spheres of n_centres at up to max_thresholds falling densities.
struct SphereSearch {
    DeviceMassTree tree;
    Index n_centres;
    const Vec3* centre;           ///< anywhere: wrapped into a periodic box
    const double* expected_mass;  ///< or null
    double* radius;      ///< of every centre: bound of outermost crossings, else that of the search so far
    double* found_mass;  ///< of spheres, [centre * n_thresholds + k], NaN where not known
    Index* large;        ///< centres, n_centres at most
    HugeSphere* huge;    ///< n_centres at most
    SphereCounters* counters;
    double density[max_thresholds];
    int n_thresholds;
    Crossing crossing;
};

/// One block of a huge sphere.
struct HugePart {
    Index sphere;  ///< of this call
    Index part, n_parts;
};

struct HugeSearch {
    SphereProgress* progress;
    SphereTable* table;
    Index* arrived;  ///< blocks that have given their tables
    const HugePart* part;
    Index n_parts, n_spheres;
};

/// Writes search.radius: how far out the crossings can lie. Before all others where these are the outermost.
void bound_outermost(CUstream_st* stream, const SphereSearch& search);

/// All spheres of few particles; the other centres are listed.
void search_small_spheres(CUstream_st* stream, const SphereSearch& search);

/// All spheres of the list but the huge ones, which are listed.
void search_large_spheres(CUstream_st* stream, const SphereSearch& search);

/// Readies n_spheres centres from first_huge on in the list.
void start_huge_spheres(CUstream_st* stream, const SphereSearch& search, const HugeSearch& huge,
                        Index first_huge);

/// One pass through the particles of those that are not finished, whose number is in the counters.
void continue_huge_spheres(CUstream_st* stream, const SphereSearch& search, const HugeSearch& huge);

}  // namespace aureole::halo
