// The power spectrum of particles in a periodic box, P(k) = V <|delta_k|^2> for delta(x) = sum delta_k
// exp(i k x): masses are assigned to two interlaced meshes (PCS), so that the leading aliases cancel (Hockney
// & Eastwood 1988, section 7-7; Sefusatti et al. 2016), their window is divided out, and waves beyond the
// mesh come from folded boxes, x modulo side / 2, side / 4, ..., whose modes are every second, fourth, ...
// one of the box (Jenkins et al. 1998).
#pragma once

#include <cstdint>
#include <vector>

#include "sim/core/memory/memory_part.hpp"
#include "sim/core/particles_view.hpp"
#include "sim/core/progress.hpp"

namespace aureole::run {

struct PowerSettings {
    /// Points of the mesh along an axis, 8 to 2048; 0: some two for each particle along an axis. Shells reach
    /// to half as many waves, the Nyquist frequency.
    int mesh = 0;
    /// Each of them doubles the largest wave number, up to 2^20 times that of the mesh.
    int folds = 2;
};

/// Shells of wave numbers, rising in k: as wide as the fundamental, 2 pi / side, up to the mesh's Nyquist
/// frequency, [i - 1/2, i + 1/2) of it, and eight for each fold beyond, of equal width in ln k. Shells
/// without a mode are left out.
struct PowerSpectrum {
    std::vector<double> k;            ///< mean |k| of the modes, in 1 / length
    std::vector<std::int64_t> modes;  ///< that were averaged, each with its conjugate
    std::vector<double> power;        ///< length^3; shot noise is not subtracted
    double shot_noise = 0;            ///< V sum m^2 / (sum m)^2, V / N for equal masses
    int mesh = 0;                     ///< that was taken
    Backend where = Backend::cpu;     ///< it was made
};

/// Particles anywhere in the memory that `exec` runs in: positions count modulo `side`, masses weight.
/// Against sums over all particles, 1e-4 up to half of the mesh's Nyquist frequency and, of many particles,
/// 5e-4 up to all of it, and the same for each fold; the aliases of a single particle add up to 1e-3 and
/// 2e-2. Equal input gives equal bits for any number of threads, and equal masses for any order of the
/// particles; host and GPU differ by the rounding of their transforms alone. Cost for the mesh and for each
/// fold: 128 N additions and two transforms of mesh^3 points. Throws ArgumentError for other meshes, folds or
/// sides, no particles, and masses that are negative, not finite or all zero; MemoryError; Stopped by
/// `progress`.
PowerSpectrum power_spectrum(Exec exec, const ConstParticlesView& particles, double side,
                             const PowerSettings& settings, const Progress& progress = {});

/// The mesh that is taken for n particles.
int power_mesh(const PowerSettings& settings, std::uint64_t n);

/// What a call takes beside the particles where it runs, for a forecast: two meshes of 8 bytes a point, and
/// on a GPU what cuFFT usually needs, as much as one of them.
memory::Part power_memory(const PowerSettings& settings, Backend where, std::uint64_t n);

}  // namespace aureole::run
