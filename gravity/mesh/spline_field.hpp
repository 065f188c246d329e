// The long-range part of periodic gravity on a mesh, on the CPU. Where long_range.hpp has a transform for
// each component, here is one mesh with the potential, and the gradient is that of the splines which
// interpolate it (Essmann et al. 1995): two transforms in all. Splines are of sixth order, which one mesh
// needs for errors like those of interlaced meshes of fourth order; the split is compact_split.hpp's.
#pragma once

#include <complex>
#include <span>
#include <vector>

#include "gravity/force_request.hpp"
#include "gravity/mesh/compact_split.hpp"
#include "gravity/mesh/spline_points.hpp"
#include "sim/core/buffer.hpp"
#include "sim/core/fft/fft.hpp"

namespace aureole::gravity {

class SplineField {
public:
    /// `n` points along an axis, 8 to 2048, of a box of that side. Throws ArgumentError for other numbers.
    SplineField(int n, double side, const CompactSplit& split);

    /// Makes the potential of all particles, which are on the host, their masses not negative. Equal input
    /// gives equal bits for any order of the particles and any number of threads, as long as their masses
    /// have a sum: shares are rounded to 2^-51 of the number of particles times the largest mass. Cost 216
    /// additions a particle, and n^3 log n.
    void set_sources(const ConstParticlesView& particles);

    /// Adds accelerations and, where that array is not null, potentials to the entries of the targets, which
    /// are particles of set_sources(). Potentials are those of all images in a neutral box, without the
    /// target's own. Cost 216 reads a target, which neighbours share.
    void add_field(const ConstParticlesView& particles, const Selection& targets,
                   const ForceOutputs& outputs) const;

    /// Bytes for `n_particles` on a mesh of `n` points along an axis.
    static std::size_t bytes(int n, std::size_t n_particles);

private:
    void deposit(const ConstParticlesView& particles);
    void sort_by_column(const ConstParticlesView& particles);
    void make_potential();
    SplineMesh mesh() const { return {n_, n_ / side_, 2 * (static_cast<std::size_t>(n_) / 2 + 1)}; }
    std::span<std::complex<double>> modes()
    {
        return {reinterpret_cast<std::complex<double>*>(values_.data()), transform_.n_modes()};
    }

    int n_;
    double side_;
    CompactSplit split_;
    RealTransform<double> transform_;
    std::vector<double> of_square_;   ///< of a mode, by the square of its integer wave vector
    std::vector<double> per_window_;  ///< of a wave number: once for assignment, once for interpolation
    Buffer<double> values_;           ///< masses, modes and the potential, one after the other
    int columns_ = 1;                 ///< of points along z, along each of the other axes
    std::vector<std::size_t> column_start_;
    Buffer<Index> in_columns_;
    Buffer<std::uint32_t> column_;
};

}  // namespace aureole::gravity
