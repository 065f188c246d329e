// Loops over the particles of a disk, on either backend. Sums are over pieces of fixed length, in order, so
// that their bits depend neither on threads nor on blocks. All pointers are in the memory of the backend.
#pragma once

#include "sim/analysis/disk_view.hpp"
#include "sim/core/particles_view.hpp"

namespace aureole::run {

/// Particles that one thread adds up.
inline constexpr Index disk_piece = 512;

inline Index disk_pieces(Index n) { return n / disk_piece + (n % disk_piece > 0 ? 1 : 0); }

/// A mass with its momentum, or an angular momentum without mass.
struct DiskSum {
    double mass;
    Vec3 vector;
};

/// counted[i] = 1 for the particles with a type of `types` and one of the `n_components` components, 0 of
/// which mean all. Cost n.
void find_members(Exec exec, const ConstParticlesView& particles, std::uint8_t types,
                  const Component* components, Index n_components, std::uint8_t* counted);

/// The ids of the particles with these numbers, and the numbers themselves. Cost n.
void find_ids(Exec exec, const ConstParticlesView& particles, Index n, const Index* number, std::uint64_t* id,
              Index* order);

/// Masses, positions and velocities of the particles with these numbers. Cost n.
struct DiskTargets {
    double* mass;
    Vec3 *position, *velocity;
};
void take_members(Exec exec, const ConstParticlesView& particles, Index n, const Index* number,
                  const DiskTargets& to);

/// Coordinates one by one. Cost n.
void split_positions(Exec exec, const DiskView& disk, double* x, double* y, double* z);

/// Distances from the centre, in bits that sort as they do; order[i] = i. Cost n.
void find_disk_radii(Exec exec, const DiskView& disk, Vec3 centre, std::uint64_t* radius, Index* order);

/// Masses and momenta of the first n particles of `order`, of each piece. Cost n.
void sum_momenta(Exec exec, const DiskView& disk, Index n, const Index* order, DiskSum* sums);

/// Angular momenta within `reach` of the centre, of each piece. Cost N.
void sum_angular_momenta(Exec exec, const DiskView& disk, Vec3 centre, Vec3 velocity, double reach,
                         DiskSum* sums);

/// to[i] = from[order[i]] of up to three arrays, of which those with a null `to` are left out. Cost n.
struct Gathered {
    const double* from[3];
    double* to[3];
};
void gather(Exec exec, Index n, const Index* order, const Gathered& arrays);

}  // namespace aureole::run
