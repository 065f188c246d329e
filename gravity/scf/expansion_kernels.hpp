// The two implementations behind Expansion, and what the one for the CPU (expansion_cpu.cpp) hands to the
// kernels that are compiled once per instruction set. Plain data only: those files must not instantiate code
// that other files share.
#pragma once

#include "gravity/force_request.hpp"
#include "gravity/scf/coefficients.hpp"
#include "gravity/slice.hpp"
#include "sim/core/precision.hpp"
#include "sim/core/simd/cpu_path.hpp"

namespace aureole {
struct Progress;
}

namespace aureole::gravity::scf {

/// The X-table: sum over particles of m psi_nlm. Particles are dealt out to `samples` sub-samples in pieces
/// of neighbours, whose coefficients are kept apart.
struct ExpandTask {
    ConstParticlesView particles;
    IndexRange range;
    int component;  ///< only its particles; -1: all of the range
    Vec3 centre;
    Precision precision;
    int samples;
    double* coefficients;  ///< [samples][size], written; where the particles are
    double mass_unit;      ///< CUDA: see Members
    Slice slice;           ///< of the pieces of n_all members: the range holds those of this part
    Index n_all;
};

/// Sums of all pieces one after another, in the scratch; a part of them is `each` rows, of which the last may
/// be left over.
struct PieceSums {
    double* rows;
    std::size_t each, size;
};

/// Of `pieces`, those of a part: as many in each but the last ones.
static inline constexpr std::size_t pieces_in_part(std::size_t pieces, unsigned parts)
{
    return (pieces + parts - 1) / parts;
}
static inline constexpr std::size_t first_of_part(std::size_t pieces, Slice slice, unsigned part)
{
    const std::size_t first = pieces_in_part(pieces, slice.of) * part;
    return first < pieces ? first : pieces;
}

/// Into how many pieces n members are cut, and where piece p begins, p up to their number.
std::size_t pieces_cpu(const Basis& basis, Index n);
std::size_t pieces_cuda(const Basis& basis, Index n);
std::size_t most_pieces_cuda(const Basis& basis);
static inline constexpr std::uint64_t piece_begin_cpu(std::uint64_t n, std::uint64_t p, std::uint64_t pieces)
{
    return n * p / pieces;
}

/// Pieces of a GPU are whole batches of neighbours: loads are aligned.
inline constexpr std::uint64_t piece_batch = 32;
AUREOLE_HD static inline constexpr std::uint64_t piece_begin_cuda(std::uint64_t n, std::uint64_t p,
                                                                  std::uint64_t pieces)
{
    const std::uint64_t begin = (n + piece_batch - 1) / piece_batch * p / pieces * piece_batch;
    return begin < n ? begin : n;
}

/// Accelerations and potentials of the targets in the field of given coefficients; either output may be
/// absent.
struct FieldTask {
    ConstParticlesView particles;
    Selection targets;  ///< clipped, not empty
    Vec3 centre;
    Precision precision;
    ForceOutputs outputs;
    bool add;                    ///< to what the arrays hold, instead of overwriting
    const double* coefficients;  ///< [size], where the particles are
    Slice slice{};               ///< CPU: of the targets, cut at blocks
};

/// Coefficients are made in two steps: the pieces of a part are summed, and sums of all pieces added. Scratch
/// is for a number of parts.
std::size_t expansion_scratch_bytes_cpu(const Tables& tables, unsigned parts);
PieceSums sum_pieces_cpu(const ExpandTask& task, const Tables& tables, std::byte* scratch,
                         const Progress& progress);
void add_pieces_cpu(const ExpandTask& task, const Tables& tables, std::byte* scratch);
void add_field_cpu(const FieldTask& task, const Tables& tables, std::byte* scratch);

/// Each call needs its own; one after another may share.
std::size_t expand_scratch_bytes_cuda(const Tables& tables, unsigned parts);
std::size_t field_scratch_bytes_cuda(const Tables& tables);
PieceSums sum_pieces_cuda(CUstream_st* stream, const ExpandTask& task, const Tables& tables,
                          const double* device_tables, std::byte* scratch);
void add_pieces_cuda(CUstream_st* stream, const ExpandTask& task, const Tables& tables,
                     const double* device_tables, std::byte* scratch);
void add_field_cuda(CUstream_st* stream, const FieldTask& task, const Tables& tables,
                    const double* device_tables, std::byte* scratch);

/// Particles are taken in blocks whose arrays have this size, so that those of a level stay in the first
/// cache: 256 particles in float, 128 in double.
inline constexpr int block_bytes = 1024;

/// Sums of one l are kept as tiles of (almost) equal shape: part i of n things in parts of at most `most`
/// starts at part_begin(n, i, parts_of(n, most)). Static: no code is shared.
static inline constexpr int parts_of(int n, int most) { return (n + most - 1) / most; }
static inline constexpr int part_begin(int n, int i, int parts) { return n * i / parts; }

template <class T>
inline constexpr int block_particles = block_bytes / static_cast<int>(sizeof(T));

/// One expansion with its constants rounded to T; the layouts are those of Tables.
template <class T>
struct LaneTask {
    ConstParticlesView particles;
    Family family;
    int n_max, l_max;
    double centre[3], scale_radius;
    const T *alpha, *axial, *rise_z, *rise_r;
    int component;          ///< expand: only its particles; -1: all
    const T* coefficients;  ///< field: coefficient * weight / coefficient_unit
    double coefficient_unit;
    ForceOutputs outputs;  ///< field: either may be absent
    bool add;
};

/// Kernels of one instruction set and number type. `work` is a thread's own, work_size() numbers, aligned to
/// 64 bytes.
template <class T>
struct LaneKernels {
    int rows, columns;  ///< of a tile of sums, angular functions by radial ones

    /// Adds the particles [begin, end) to `sums`: for each l, each part of the rows and each part of the
    /// columns in turn, a tile of rows * columns numbers.
    void (*expand)(const LaneTask<T>& task, Index begin, Index end, double* sums, T* work);
    void (*field)(const LaneTask<T>& task, Index begin, Index end, T* work);
};

template <class T>
LaneKernels<T> lane_kernels_baseline();
template <class T>
LaneKernels<T> lane_kernels_avx2();
template <class T>
LaneKernels<T> lane_kernels_avx512();

/// Numbers of T that a thread works in: a level's radial functions and two levels of angular ones, or (less)
/// those of the two vectors that a field is computed for.
template <class T>
std::size_t work_size(const Basis& basis)
{
    const auto arrays = static_cast<std::size_t>(basis.n_max + 1 + 2 * (2 * basis.l_max + 1) + 5);
    return arrays * static_cast<std::size_t>(block_particles<T>);
}

}  // namespace aureole::gravity::scf
