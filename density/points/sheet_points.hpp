// The phase-space sheet at given points: the tetrahedra that contain each point give density, velocity,
// dispersion and number of streams (Abel, Hahn & Kaehler 2012). Points are in a tree, each lattice cube looks
// up those in its bounding box, and signs of exact determinants decide. Nothing is interpolated on a grid. A
// GPU finds the pairs of point and tetrahedron, and the host computes the numbers from them.
#pragma once

#include <span>
#include <vector>

#include "density/sheet/lattice.hpp"
#include "sim/core/particles_view.hpp"
#include "sim/core/progress.hpp"

namespace aureole::density {

/// One tetrahedron at a point.
struct Stream {
    std::uint64_t tetrahedron;  ///< 6 times its lattice cube, z fastest, plus its number in the cube
    double density;             ///< mass over volume of the tetrahedron
    Vec3 velocity;    ///< interpolated linearly in the tetrahedron; NaN when the particles have no velocities
    int orientation;  ///< 1, or -1 for a tetrahedron turned inside out; orientations add up to 1 at every
                      ///< point
};

/// The sums and means over the streams at a point.
struct PointField {
    Index streams = 0;
    double density = 0;
    Vec3 velocity{};        ///< mass-weighted mean; NaN without mass
    double dispersion = 0;  ///< between streams, one-dimensional: sqrt((<v^2> - <v>^2) / 3); NaN
                            ///< without mass
};

/// The streams at n points: those of point i are streams[first[i]] to streams[first[i + 1] - 1], by
/// tetrahedron.
struct StreamsAtPoints {
    std::vector<std::size_t> first;  ///< n + 1
    std::vector<Stream> streams;

    std::span<const Stream> at(std::size_t point) const
    {
        return std::span(streams).subspan(first[point], first[point + 1] - first[point]);
    }
};

/// Sums over streams in the order that is given, so equal streams give equal bits.
PointField field_of(std::span<const Stream> streams);

/// Host particles and their order in the lattice; borrowed. Reads positions and, where there are any,
/// velocities.
struct SampledSheet {
    ConstParticlesView particles;
    Box box;
    const Lattice& lattice;
};

/// The streams at host points; points outside the box count as their images inside. A point on a face is
/// moved by an infinitesimal step that is the same for both sides, and tetrahedra without volume contain
/// nothing, so the number of streams is odd. Bits are the same on each backend, for any number of threads and
/// any order of particles. Throws aureole::Error naming the first point that is not finite or more than a box
/// side outside, or the first velocity that is not finite; throws Stopped when `progress` asks for it. Cost:
/// O((N + P) log P) for P points.
StreamsAtPoints streams_at(Exec exec, const SampledSheet& sheet, std::span<const Vec3> points,
                           const Progress& progress = {});

/// Memory beside particles, points and streams, bytes; a stream takes 16 bytes more on a device.
struct PointsMemory {
    std::size_t tree;    ///< of the points, on the host and on the device
    std::size_t chunks;  ///< of the lattice on their way to the device; 0 on the CPU
};

PointsMemory points_memory(Backend backend, Index lattice_side, std::size_t n_points);

}  // namespace aureole::density
