// Mass assignment onto a periodic mesh and its adjoint, interpolation from it: clouds in cells (CIC),
// triangular-shaped clouds (TSC) and piecewise cubic splines (PCS), the B-splines of 2, 3 and 4 cells along
// an axis (Hockney & Eastwood 1988, section 5.3; Chaniotis & Poulikakos 2004). Masses are added in fixed
// point, so that sums are equal bit for bit for any order of the particles, any number of threads, and on
// both backends.
#pragma once

#include "sim/core/particles_view.hpp"

namespace aureole::mesh {

/// Cells that a particle overlaps along an axis.
enum class Assignment : int { cic = 2, tsc = 3, pcs = 4 };

/// Point (i, j, k) lies at ((i, j, k) + shift) side / n; index (i n + j) n + k.
struct PeriodicMesh {
    int n = 0;         ///< points along an axis, at most 2048
    double side = 0;   ///< of the box
    double shift = 0;  ///< in cells; one half for the second mesh of interlacing
    int padding = 0;   ///< numbers without meaning at the end of each row of a field, along the last axis

    AUREOLE_HD double spacing() const { return side / n; }
    AUREOLE_HD std::size_t size() const { return static_cast<std::size_t>(n) * n * n; }
};

/// A power of two that brings any sum of masses of `n` particles, of which none is heavier, below 2^62: sums
/// count its inverse.
double fixed_point_scale(double heaviest, std::size_t n);

/// Raises `bits`, ordered_bits of a mass, to those of the largest mass. Cost N.
void find_heaviest(Exec exec, const ConstParticlesView& particles, std::uint64_t* bits);

/// Adds the masses of all particles to sums[mesh.size()], in units of 1 / scale, each share rounded.
/// Positions are taken modulo the side; all is in the memory that `exec` runs in. Rows of sums are `padding`
/// longer than those of the mesh. Cost 8, 27 or 64 additions a particle.
void deposit(Exec exec, const ConstParticlesView& particles, const PeriodicMesh& mesh, Assignment assignment,
             double scale, std::int64_t* sums, int padding = 0);

/// value = factor * sum, in the precision of a transform. Sums have no padding.
template <class Real>
void set_values(Exec exec, const PeriodicMesh& mesh, const std::int64_t* sums, double factor, Real* values);

/// Particles list[k], or first + k where there is no list, k < n.
struct Targets {
    ConstVec3View position;
    const Index* list;
    Index first, n;

    AUREOLE_HD Index operator[](Index k) const { return list ? list[k] : first + k; }
};

/// Adds `factor` times the field at the targets, with the weights of deposit(), to their entries of `to`.
/// Sums are in double, in a fixed order. `field` is aligned to two numbers, as buffers are. Cost 8, 27 or 64
/// reads a target.
template <class Real>
void interpolate(Exec exec, const Targets& targets, const PeriodicMesh& mesh, Assignment assignment,
                 const Real* field, double factor, double* to);

}  // namespace aureole::mesh
