// Loops of a power spectrum over particles and modes, on either backend. Sums are added in one order, so that
// equal modes give equal bits on both and for any number of threads.
#pragma once

#include <complex>
#include <cstdint>

#include "sim/core/particles_view.hpp"

namespace aureole::run {

/// What all masses have in common. To begin with: those of no particle.
struct MassLimits {
    std::uint64_t heaviest;  ///< ordered_bits
    std::uint64_t wrong;     ///< the first particle whose mass is negative or not finite; all bits: none
};

/// Cost N.
void find_mass_limits(Exec exec, const ConstParticlesView& particles, MassLimits* limits);

/// Sums over a block of particles of m and m^2, m in units of the heaviest.
struct MassSums {
    double sum, squares;
};
/// Of blocks of fixed length, mass_blocks() of them. Cost N.
void sum_masses(Exec exec, const ConstParticlesView& particles, double heaviest, MassSums* sums);
Index mass_blocks(Index n);

/// Zeros. Cost `size`.
void clear_sums(Exec exec, std::size_t size, std::int64_t* sums);

/// Sums of integers to values in the same memory, times `factor`. Cost `size`.
void sums_to_values(Exec exec, std::size_t size, double factor, std::int64_t* sums);

/// Index i along an axis.
struct AxisMode {
    int wave;
    int copies;                         ///< 2 on the last axis where the conjugate is not stored
    double window;                      ///< 1 / W^2
    double half_cell_re, half_cell_im;  ///< exp(-i k h / 2), which moves the second mesh to the first
};

/// The modes [n][n][n / 2 + 1] of two meshes half a cell apart, and n entries of `axis`, where the loop runs.
struct InterlacedPair {
    int n;
    const AxisMode* axis;
    const std::complex<double>*first, *second;
};

struct ShellSum {
    double k, power;     ///< of all modes: waves along the mesh, |delta_k|^2
    std::int64_t modes;  ///< each with its conjugate
};

/// Shell s of n_shells has the modes whose squared wave number is from first_square[s] to below
/// first_square[s + 1]; sums[i n_shells + s] becomes that of the plane i, rows and their modes one after the
/// other. A GPU has a thread for each plane and shell, which looks up its modes of each row. Cost n^3, on a
/// GPU and n^2 n_shells.
void sum_shells(Exec exec, const InterlacedPair& modes, const int* first_square, int n_shells,
                ShellSum* sums);

}  // namespace aureole::run
