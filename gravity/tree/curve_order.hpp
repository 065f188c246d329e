// Particles in the order of the Hilbert curve: by 2^21 cells a dimension, then by 2^42, then by id. The last
// two matter to particles of one cell only. O(N), a radix sort; three more when more than 32 particles
// share a cell (a far outlier, coincident particles), which the caller learns from `crowded`. Where as many
// share one of the finer cells curve_refinement.hpp goes on.
#pragma once

#include "gravity/tree/tree_view.hpp"
#include "sim/core/spatial/curve_keys.hpp"
#include "sim/core/spatial/sort_pairs.hpp"

namespace aureole::gravity::tree {

/// Results of survey_particles(), in the memory of the backend.
struct Survey {
    std::uint64_t low[3], high[3];   ///< ordered_bits of the extent
    std::uint64_t largest_mass;      ///< ordered_bits, of the sources
    std::uint64_t any_acceleration;  ///< 1 when a target has an acceleration other than zero
    Index crowded;                   ///< cells of 2^-21 of the extent that hold more than short_run sources
    Index n_leaves;                  ///< of the tree
    Index n_runs, n_to_order;        ///< of find_cell_runs()
};

/// Longest run of equal keys that one thread puts in order.
inline constexpr Index short_run = 32;

void clear_survey(Exec exec, Survey* survey);

/// Adds the positions of a selection, and its masses when these are sources. Whether one has an acceleration
/// is looked up in `previous`, which is absent for particles that are no targets.
void survey_particles(Exec exec, const ConstParticlesView& particles, const Selection& selection,
                      bool sources, const ConstVec3View& previous, Survey* survey);

void make_frame(Exec exec, const Survey* survey, Frame* frame);

/// Keys of 2^21 cells a dimension and the indices of a selection, in its order.
void make_keys(Exec exec, const ConstParticlesView& particles, const Selection& selection, const Frame* frame,
               const SortBuffers& pairs);

/// The same on the CPU, four particles at a time.
void make_keys_cpu(const ConstParticlesView& particles, const Selection& selection, const Frame& frame,
                   const SortBuffers& pairs);

/// Orders short runs of equal keys by deep key and id, and counts the longer ones in `crowded`.
void order_short_runs(Exec exec, const ConstParticlesView& particles, Index n, const Frame* frame,
                      const SortBuffers& sorted, Index* crowded);

/// The three keys of a full order, least significant first: pairs.key becomes that of pairs.value.
enum class KeyPart { id, low, high };
void set_keys(Exec exec, const ConstParticlesView& particles, Index n, const Frame* frame, KeyPart part,
              const SortBuffers& pairs);

/// Of 2^21 cells across an extent; 0 where there is none, or none that numbers hold.
AUREOLE_HD inline double cells_per_length(double extent)
{
    const double cells = static_cast<double>(Index{1} << key_bits) * (1 - 1e-12);  // never one too many
    return extent > 0 && cells / extent < 1e300 ? cells / extent : 0;
}

/// The number of a cell, 2^bits of them along the frame; positions that are NaN are in the first.
template <int bits, class Cell>
AUREOLE_HD inline Cell cell_in_frame(double x, double low, double cells_per_length)
{
    constexpr double finer = static_cast<double>(std::uint64_t{1} << (bits - key_bits));
    return cell_number<Cell>((x - low) * cells_per_length * finer, bits);
}

AUREOLE_HD inline std::uint64_t curve_key(Vec3 x, const Frame& frame)
{
    const double c = frame.cells_per_length;
    Index cell[3] = {cell_in_frame<key_bits, Index>(x.x, frame.low.x, c),
                     cell_in_frame<key_bits, Index>(x.y, frame.low.y, c),
                     cell_in_frame<key_bits, Index>(x.z, frame.low.z, c)};
    return hilbert_key(cell, key_bits);
}

AUREOLE_HD inline DeepKey deep_curve_key(Vec3 x, const Frame& frame)
{
    constexpr int bits = 2 * key_bits;
    const double c = frame.cells_per_length;
    std::uint64_t cell[3] = {cell_in_frame<bits, std::uint64_t>(x.x, frame.low.x, c),
                             cell_in_frame<bits, std::uint64_t>(x.y, frame.low.y, c),
                             cell_in_frame<bits, std::uint64_t>(x.z, frame.low.z, c)};
    return deep_hilbert_key(cell);
}

}  // namespace aureole::gravity::tree
