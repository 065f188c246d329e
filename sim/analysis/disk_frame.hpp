// The particles of a disk in the frame of the disk: centre, velocity, axis of rotation. All sums are over
// the particles in the order of their ids or radii, so that neither the order in a file nor the number of
// threads changes a bit. Cost O(N log N), and some 100 passes for the centre.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/analysis/disk_view.hpp"
#include "sim/core/buffer.hpp"
#include "sim/core/particles_view.hpp"

namespace aureole::run {

/// Which particles are measured.
struct DiskMembers {
    std::uint8_t types = 0x3f;          ///< bit t set: particles of type t count
    std::vector<Component> components;  ///< those that count; none: all

    bool counts(const ConstParticlesView& particles, Index i) const;
};

/// Particles in host memory, with masses, positions and velocities in the numbers of their source.
struct DiskParticles {
    std::vector<std::uint64_t> id;
    std::vector<double> mass;
    std::vector<Vec3> position, velocity;
    std::vector<double> radius;  ///< of disk_in_frame(): R = sqrt(x^2 + y^2), rising; empty before

    std::size_t size() const { return id.size(); }
};

inline DiskView view_of(const DiskParticles& disk)
{
    return {static_cast<Index>(disk.size()), disk.mass.data(), disk.position.data(), disk.velocity.data(),
            disk.radius.data()};
}

/// The members in the order of their ids; equal ids are ordered by position, velocity and mass. `host`: in
/// host memory; absent velocities are zero.
DiskParticles disk_particles(const ConstParticlesView& host, const DiskMembers& members);

/// Particles of a disk with their memory.
struct DiskBodies {
    Buffer<double> mass;
    Buffer<Vec3> position, velocity;
    Buffer<double> radius;  ///< of disk_in_frame()

    DiskView view() const
    {
        return {static_cast<Index>(mass.size()), mass.data(), position.data(), velocity.data(),
                radius.data()};
    }
};

/// The members in the order of their ids, equal ones in that of the particles, which are on the backend of
/// `exec`, as the result is; absent velocities are zero. Cost: a sort of the members.
DiskBodies disk_bodies(Exec exec, const ConstParticlesView& particles, const DiskMembers& members);

/// What disk_bodies() and disk_frame() of n particles take on the backend, the result of the first included.
std::size_t disk_bytes(Backend where, std::size_t n);

/// Half-mass radius of an exponential disk in units of its scale radius: (1 + x) exp(-x) = 1/2.
inline constexpr double exponential_half_mass = 1.6783469900166605;

/// Centre by shrinking_sphere(), velocity of the innermost particles with 5 % of the mass, axis along the
/// angular momentum within 3 R_d, the axis of the file where that is zero. R_d is `scale_radius`; 0 takes
/// the half-mass radius over `exponential_half_mass`. Throws ArgumentError for a scale radius that is
/// negative or not finite, without particles, and for particles without mass. `disk` is on the backend of
/// `exec`; both backends agree to rounding, and the bits of each repeat. Cost O(N) beside a sort.
DiskFrame disk_frame(Exec exec, const DiskView& disk, double scale_radius = 0);
DiskFrame disk_frame(const DiskParticles& particles, double scale_radius = 0);

/// The particles in the coordinates of the frame, sorted by R, equal ones in the order that they have. `disk`
/// is on the backend of `exec`, as the result is. Cost: a sort.
DiskBodies disk_in_frame(Exec exec, const DiskView& disk, const DiskFrame& frame);
DiskParticles disk_in_frame(const DiskParticles& particles, const DiskFrame& frame);

/// What disk_in_frame() takes on the backend beside the disk, of which disk_in_frame_kept() stays.
std::size_t disk_in_frame_bytes(Backend where, std::size_t n);
std::size_t disk_in_frame_kept(std::size_t n);

/// The radii of the particles at these places of the sorted disk.
std::vector<double> radii_at(Exec exec, const DiskView& disk, const std::vector<Index>& places);

/// Particles of the sorted disk from `begin` to below `end`, between the radii `inner` and `outer`.
struct DiskRing {
    std::size_t begin = 0, end = 0;
    double inner = 0, median = 0, outer = 0;

    std::size_t size() const { return end - begin; }
};

/// Least and largest number of particles of a ring that is chosen.
inline constexpr std::size_t least_in_ring = 2000, most_in_ring = 32000;

/// Rings with equal numbers of particles (to one), from the centre outwards: about `number` in each; 0 takes
/// a 64th of all, at least 2000 and at most 32000. None without particles. A ring's outer radius is the
/// inner one of the next.
std::size_t ring_count(std::size_t n, std::size_t number);  ///< of a disk of n particles
std::vector<DiskRing> disk_rings(Exec exec, const DiskView& disk, std::size_t number = 0);
inline std::vector<DiskRing> disk_rings(const DiskParticles& disk, std::size_t number = 0)
{
    return disk_rings({}, view_of(disk), number);
}

}  // namespace aureole::run
