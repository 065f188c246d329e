// The long-range part of periodic gravity on a mesh (Hockney & Eastwood 1981; Bagla 2002; Springel 2005):
// with the scale r_s of the split the potential's modes are
//     phi_k = -4 pi rho_k exp(-k^2 r_s^2) / k^2,
// while pairs add the rest, m erfc(r / 2 r_s) / r, themselves (short_range() here says what a pair adds), or
// with the modes of compact_split.hpp in place of the exponential, whose pairs end at a cut.
// Masses are assigned in fixed point, the window W = prod sinc(k_i h / 2)^p of assignment and interpolation
// is divided out, forces are -i k phi_k. Interlaced meshes, two of them half a cell apart, cancel the leading
// aliases.
#pragma once

#include <complex>
#include <functional>
#include <memory>

#include "gravity/force_request.hpp"
#include "gravity/mesh/compact_split.hpp"
#include "gravity/mesh/mode_loops.hpp"
#include "sim/core/buffer.hpp"
#include "sim/core/fft/fft.hpp"
#include "sim/core/mesh/assignment.hpp"

namespace aureole::gravity {

struct LongRangeConfig {
    int n = 0;         ///< points of the mesh along an axis, 2 to 2048
    double side = 0;   ///< of the box
    double split = 0;  ///< r_s, in units of length; 1.25 side / n is usual
    mesh::Assignment assignment = mesh::Assignment::pcs;
    bool interlaced = false;
    double cut = 0;  ///< where clouds end that end (compact_split.hpp); 0: they are Gaussian
};

/// What a source of unit mass at the distance r adds to acceleration and potential beside the mesh:
/// acceleration times r is d/r^3 s, s = erfc u + 2 u / sqrt(pi) exp(-u^2), and the potential -erfc(u) / r,
/// with u = r / (2 r_s).
struct ShortRange {
    double acceleration;  ///< times the separation vector
    double potential;
};
ShortRange short_range(double r, double split);

/// Real: the precision of meshes and transforms.
template <class Real>
class LongRange {
public:
    /// Throws ArgumentError for a mesh or a split that is out of range, CudaError where the GPU has no cuFFT.
    LongRange(Backend where, const LongRangeConfig& config);

    /// Makes the field of all particles, which lie in the memory of the mesh. Equal input gives equal bits,
    /// in any order of the particles. Cost 8, 27 or 64 additions a particle, once or twice, and n^3 log n.
    void set_sources(CUstream_st* stream, const ConstParticlesView& particles);

    /// The same with masses at the points of the mesh from assign(shift of the mesh in cells, values to
    /// overwrite, rows of which are padding() longer).
    using Assign = std::function<void(double shift, Real* values)>;
    void set_masses(CUstream_st* stream, const Assign& assign);
    int padding() const { return mesh_.padding; }

    /// Adds accelerations and, where that array is not null, potentials to the entries of the targets, which
    /// are particles of set_sources(). Potentials are those of all images in a neutral box, without the
    /// target's own. Cost 3 to 8 transforms, and as much as an assignment.
    void add_field(CUstream_st* stream, const ConstParticlesView& particles, const Selection& targets,
                   const ForceOutputs& outputs);

    /// Bytes that a mesh takes where it lies: two sets of modes, on a GPU what cuFFT usually needs, as much
    /// as one of them, and 64 bits a point where set_sources() is called.
    static std::size_t bytes(Backend where, const LongRangeConfig& config, bool has_sources = true);

private:
    void transform_masses(Exec exec, const Assign& assign, bool shifted, Buffer<std::complex<Real>>& modes);
    void add_from_mesh(Exec exec, const mesh::Targets& targets, bool shifted, double part,
                       const ForceOutputs& outputs);
    /// Values at the points, rows of which are padded, in the memory of their modes.
    std::span<Real> values_in(Buffer<std::complex<Real>>& modes) const
    {
        return {reinterpret_cast<Real*>(modes.data()), transform_.n_values()};
    }
    ModeTables tables() const
    {
        return {config_.n,     wave_.data(),  factor_.data(),
                phase_.data(), cloud_.data(), static_cast<int>(cloud_.size())};
    }

    LongRangeConfig config_;
    Backend where_;
    mesh::PeriodicMesh mesh_;
    RealTransform<Real> transform_;
    Buffer<double> wave_, factor_, cloud_;
    Buffer<std::complex<double>> phase_;
    Buffer<std::int64_t> sums_;
    Buffer<std::complex<Real>> potential_, modes_;
};

}  // namespace aureole::gravity
